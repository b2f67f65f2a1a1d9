internal import Synchronization

/// The memory that the content of all requests may take together (`maxBufferedBytes`).
///
/// Charged as bytes appear, not as they are declared: a client that announces much and sends little holds nothing.
/// Answers that wait to be read count too, though none is refused for it: there is only less left for new content.
final class ContentBudget: Sendable {
    /// Inclusive, in bytes.
    let maxBytes: Int

    private let used = Atomic<Int>(0)

    init(maxBytes: Int) {
        precondition(maxBytes > 0, "a service that buffers nothing can answer nothing")
        self.maxBytes = maxBytes
    }

    /// Bytes that are taken at this moment.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Takes `bytes`, or nothing and says no.
    func charge(_ bytes: Int) -> Bool {
        let (_, after) = used.wrappingAdd(bytes, ordering: .relaxed)
        if after <= maxBytes { return true }
        release(bytes)
        return false
    }

    /// Takes `bytes` in any case.
    func occupy(_ bytes: Int) {
        used.wrappingAdd(bytes, ordering: .relaxed)
    }

    func release(_ bytes: Int) {
        used.wrappingSubtract(bytes, ordering: .relaxed)
    }
}
