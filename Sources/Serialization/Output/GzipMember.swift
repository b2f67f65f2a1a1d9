/// Content as one member of gzip (RFC 1952), without a name and with the time 0: the same content becomes the same bytes.
package enum GzipMember {
    /// The level of libdeflate. The next levels take 30 % more time, and save 3 % of the bytes each (docs/decisions/0023).
    private static let level: Int32 = 1

    /// The maximum memory that compressing needs besides the content and the result, in bytes.
    package static let workingBytes = 256 << 10

    /// The maximum size of the result for `count` bytes, in bytes.
    package static func maxBytes(forContentBytes count: Int) -> Int {
        DeflateLibrary.maxGzipBytes(forContentBytes: count)
    }

    /// Compresses `content`.
    /// - Returns: `nil` if there is no memory.
    package static func compress(_ content: Span<UInt8>) -> OutputBuffer? {
        DeflateLibrary.gzip(content, level: level)
    }
}
