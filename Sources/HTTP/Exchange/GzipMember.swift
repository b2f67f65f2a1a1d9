internal import CDeflate
internal import Primitives

/// Content as one member of gzip (RFC 1952), without a name and with the time 0: the same content becomes the same
/// bytes.
enum GzipMember {
    /// The level of libdeflate, 1 (fast) to 12 (small). The next levels save little (docs/decisions/0023).
    private static let level: Int32 = 1

    /// The maximum memory that compressing needs besides the content and the result, in bytes.
    static let workingBytes = 256 << 10

    /// The maximum size of the result for `count` bytes, in bytes.
    static func maxBytes(forContentBytes count: Int) -> Int { cdeflate_gzip_bound(count) }

    /// Reserves the memory for compressing `count` bytes. What a response holds already has a reservation of its own.
    /// - Parameter copiedBytes: the length of a copy of the content.
    static func reserve(
        forContentBytes count: Int,
        copiedBytes: Int = 0,
        in account: MemoryAccount
    ) throws(RejectionReason) -> MemoryReservation {
        try account.reserve(maxBytes(forContentBytes: count) + workingBytes + copiedBytes, besides: 0)
    }

    /// Compresses `content`.
    /// - Returns: `nil` if there is no memory.
    static func compress(_ content: Span<UInt8>) -> OutputBuffer? {
        let maxBytes = maxBytes(forContentBytes: content.count)
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
