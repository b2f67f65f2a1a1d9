internal import CDeflate

/// The library libdeflate, which inflates and compresses content that is completely in memory, faster than zlib.
enum DeflateLibrary {
    /// The memory that it needs in addition to the output, in bytes.
    static let bytes = 32 << 10

    /// Appends the content of the first member of gzip.
    /// - Parameter room: the maximum number of bytes that are appended.
    /// - Returns: the length of the member in `input`, in bytes; `nil` if it is corrupt, ends early or does not fit. In this case, nothing
    ///   is appended.
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

    /// Returns the maximum length of `count` bytes as one member of gzip, in bytes.
    static func maxGzipBytes(forContentBytes count: Int) -> Int {
        cdeflate_gzip_bound(count)
    }

    /// Compresses `content` as one member of gzip, without a name and with the time 0.
    /// - Parameter level: 1 (fast) to 12 (small).
    /// - Returns: `nil` if there is no memory.
    static func gzip(_ content: Span<UInt8>, level: Int32) -> OutputBuffer? {
        let maxBytes = maxGzipBytes(forContentBytes: content.count)
        var result = OutputBuffer(capacity: maxBytes)
        let written = unsafe content.withUnsafeBufferPointer { bytes in
            // The buffer has at least `maxBytes` bytes, and the call writes no more than that.
            unsafe cdeflate_gzip(bytes.baseAddress, bytes.count, level, result.base, maxBytes)
        }
        guard written > 0 else { return nil }
        result.count = written
        return result
    }
}
