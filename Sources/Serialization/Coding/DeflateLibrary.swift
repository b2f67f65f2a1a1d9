internal import CDeflate

/// libdeflate, which inflates what is in memory completely, faster than zlib.
enum DeflateLibrary {
    /// The memory that it needs besides the output, in bytes.
    static let bytes = 32 << 10

    /// Appends the content of the first member of gzip.
    /// - Parameter room: the most bytes that are appended.
    /// - Returns: the bytes of `input` that the member has; `nil` if it is corrupt, ends early or does not fit. Then nothing is appended.
    static func gunzip(_ input: Span<UInt8>, into output: inout OutputBuffer, room: Int) -> Int? {
        output.reserve(room)
        var consumed = 0
        var written = 0
        // The output has `room` bytes after its content.
        let outcome = unsafe input.withUnsafeBufferPointer { input in
            guard let start = input.baseAddress else { return CDEFLATE_FAILED }
            return unsafe cdeflate_gunzip(start, input.count, &consumed, output.base + output.count, room, &written)
        }
        guard outcome == CDEFLATE_DONE else { return nil }
        output.count += written
        return consumed
    }
}
