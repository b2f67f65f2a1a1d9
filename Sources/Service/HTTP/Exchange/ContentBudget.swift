internal import Synchronization

/// The budget for the memory that the content of all requests uses together (`maxBufferedBytes`).
///
/// Bytes are charged when they are received, not when they are declared: a client that declares much content and sends
/// little does not reserve memory. Responses that clients have not read yet are charged too. They are never rejected
/// for it, but they leave less memory for new content.
final class ContentBudget: Sendable {
    /// The maximum number of bytes, inclusive.
    let maxBytes: Int

    private let used = Atomic<Int>(0)

    init(maxBytes: Int) {
        precondition(maxBytes > 0, "the memory for content is at least one byte")
        self.maxBytes = maxBytes
    }

    /// The number of bytes that are in use.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Charges `bytes` if they fit.
    /// - Returns: `false` if they do not fit. Then nothing is charged.
    func charge(_ bytes: Int) -> Bool {
        let (_, after) = used.wrappingAdd(bytes, ordering: .relaxed)
        if after <= maxBytes { return true }
        release(bytes)
        return false
    }

    /// Charges `bytes` even if they exceed the maximum.
    func occupy(_ bytes: Int) {
        used.wrappingAdd(bytes, ordering: .relaxed)
    }

    func release(_ bytes: Int) {
        used.wrappingSubtract(bytes, ordering: .relaxed)
    }
}
