internal import CDeflate

/// The library libdeflate, which inflates content that is completely in memory, faster than zlib.
package enum DeflateLibrary {
    /// The memory that it needs in addition to the output, in bytes.
    static let bytes = 32 << 10

    /// The size of the header and the trailer of gzip, in bytes.
    private static let minMemberBytes = 18

    /// Returns whether content begins like a member of gzip, without a checksum of the header, which the library does
    /// not verify.
    static func accepts(_ content: Span<UInt8>) -> Bool {
        content.count >= minMemberBytes && GzipReader.begins(content) && !GzipReader.hasHeadSum(content)
    }

    /// Appends the content of the first member of gzip, if the library ``accepts(_:)`` it.
    /// - Parameter room: the maximum number of bytes that are appended.
    /// - Returns: the length of the member in `input`, in bytes; `nil` if it is corrupt, ends early or does not fit. In
    ///   this case, nothing is appended.
    package static func gunzip(_ input: Span<UInt8>, into output: inout OutputBuffer, room: Int) -> Int? {
        guard accepts(input) else { return nil }
        output.reserve(room)
        var consumed = 0
        var written = 0
        // The buffer has at least `room` bytes after its content.
        let outcome = unsafe input.withUnsafeBufferPointer { input in
            guard let start = input.baseAddress else { return CDEFLATE_FAILED }
            return unsafe cdeflate_gunzip(start, input.count, &consumed, output.base + output.count, room, &written)
        }
        guard outcome == CDEFLATE_DONE else { return nil }
        output.count += written
        return consumed
    }
}
