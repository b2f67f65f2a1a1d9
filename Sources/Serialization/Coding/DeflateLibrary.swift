internal import CDeflate

/// The library libdeflate, which inflates content that is completely in memory, faster than zlib.
enum DeflateLibrary {
    /// The memory that it needs in addition to the output, in bytes.
    static let bytes = 32 << 10

    /// Appends the content of the first member of gzip.
    /// - Parameter room: the maximum number of bytes that are appended.
    /// - Returns: the length of the member in `input`, in bytes; `nil` if it is corrupt, ends early or does not fit. In
    ///   this case, nothing is appended.
    static func gunzip(_ input: Span<UInt8>, into output: inout OutputBuffer, room: Int) -> Int? {
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
