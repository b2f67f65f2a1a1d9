internal import Primitives

/// The content of one request, as it is received.
///
/// It uses at most twice the memory of the received bytes, regardless of the value of `Content-Length`: only address
/// space is reserved in advance, and its pages are allocated when they are written. All received bytes are charged to
/// the service's ``MemoryAccount``, and are released with the buffer.
struct ContentBuffer: ~Copyable {
    /// The maximum size that is reserved in advance for a declared length, in bytes. Beyond it the buffer grows by
    /// doubling, which copies the content.
    static let maxReservedBytes = 1 << 20

    private var bytes: OutputBuffer
    let account: MemoryAccount
    private var chargedBytes = 0

    /// Creates an empty buffer.
    /// - Parameter declaredBytes: the value of `Content-Length`; `nil` for chunked content.
    init(declaredBytes: Int?, account: MemoryAccount) {
        bytes = OutputBuffer(capacity: min(declaredBytes ?? 0, Self.maxReservedBytes))
        self.account = account
    }

    deinit { account.release(chargedBytes) }

    var count: Int { bytes.count }

    /// Appends `piece`.
    /// - Returns: `false` if it exceeds the account. In this case nothing is appended.
    mutating func append(_ piece: Span<UInt8>) -> Bool {
        guard charge(piece.count) else { return false }
        bytes.append(piece)
        return true
    }

    /// Appends the bytes that `read` writes.
    /// - Parameters:
    ///   - maxBytes: the size of the memory that `read` receives, in bytes.
    ///   - read: returns the number of bytes that it has written; zero or a negative number indicates a failure.
    /// - Returns: the result of `read`, and `false` if that number of bytes exceeds the account.
    mutating func append(
        atMost maxBytes: Int,
        _ read: (UnsafeMutablePointer<UInt8>, Int) -> Int
    ) -> (count: Int, isAllowed: Bool) {
        bytes.reserve(maxBytes)
        // The buffer has memory for `maxBytes` after the content.
        let count = unsafe read(bytes.base + bytes.count, maxBytes)
        guard count > 0 else { return (count, true) }
        guard charge(count) else { return (count, false) }
        bytes.count += count
        return (count, true)
    }

    private mutating func charge(_ count: Int) -> Bool {
        guard account.charge(count) else { return false }
        chargedBytes += count
        return true
    }

    /// Calls `body` with the content that has been received so far, which is valid for the duration of the call.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }
}
