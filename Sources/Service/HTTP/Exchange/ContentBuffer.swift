internal import Serialization

/// The content of one request, as it is received.
///
/// It takes the memory of what was received, up to a factor of two, whatever `Content-Length` announced: what is reserved ahead is
/// address space, whose pages are allocated as they are written. Everything received is charged to the service's ``ContentBudget``, and
/// released with the buffer.
struct ContentBuffer: ~Copyable {
    /// The maximum size that a declared length reserves ahead, in bytes. Beyond it the buffer grows by doubling, which copies.
    static let maxReservedBytes = 1 << 20

    private var bytes: OutputBuffer
    private let budget: ContentBudget
    private var chargedBytes = 0

    /// - Parameter declaredBytes: the value of `Content-Length`; `nil` for chunked content.
    init(declaredBytes: Int?, budget: ContentBudget) {
        bytes = OutputBuffer(capacity: min(declaredBytes ?? 0, Self.maxReservedBytes))
        self.budget = budget
    }

    deinit {
        budget.release(chargedBytes)
    }

    var count: Int { bytes.count }

    /// Appends `piece`.
    /// - Returns: `false` if the budget does not allow it. Then nothing is appended.
    mutating func append(_ piece: Span<UInt8>) -> Bool {
        guard charge(piece.count) else { return false }
        bytes.append(piece)
        return true
    }

    /// Appends what `read` writes.
    /// - Parameters:
    ///   - maxBytes: the size of the memory that `read` receives, in bytes.
    ///   - read: returns how many bytes it has written, or a number that is not positive for a failure.
    /// - Returns: what `read` returned, and `false` if the budget does not allow that many bytes.
    mutating func append(
        atMost maxBytes: Int,
        _ read: (UnsafeMutablePointer<UInt8>, Int) -> Int
    ) -> (count: Int, isAllowed: Bool) {
        bytes.reserve(maxBytes)
        // There is memory for that many bytes behind the content.
        let count = unsafe read(bytes.base + bytes.count, maxBytes)
        guard count > 0 else { return (count, true) }
        guard charge(count) else { return (count, false) }
        bytes.count += count
        return (count, true)
    }

    private mutating func charge(_ count: Int) -> Bool {
        guard budget.charge(count) else { return false }
        chargedBytes += count
        return true
    }

    /// Borrows the content that was received so far.
    func withBytes<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
        bytes.withBytes(body)
    }
}
