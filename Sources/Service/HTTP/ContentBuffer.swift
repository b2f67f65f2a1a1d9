internal import Serialization

/// The content of one request, as it comes in.
///
/// Its memory is that of what has come, within a factor of two, whatever `Content-Length` promised: what is reserved ahead is
/// address space, whose pages come as they are written. All that has come is charged to the service's ``ContentBudget``, and
/// given back with the buffer.
struct ContentBuffer: ~Copyable {
    /// Most that a declared length reserves ahead, in bytes. Beyond it the buffer grows by doubling, which copies what has come.
    static let maxReservedBytes = 1 << 20

    private var bytes: OutputBuffer
    private let budget: ContentBudget

    /// - Parameter declaredBytes: what `Content-Length` says; nil for chunked content.
    init(declaredBytes: Int?, budget: ContentBudget) {
        bytes = OutputBuffer(capacity: min(declaredBytes ?? 0, Self.maxReservedBytes))
        self.budget = budget
    }

    deinit {
        budget.release(bytes.count)
    }

    var count: Int { bytes.count }

    /// Takes `piece` in, or nothing and says no where the budget does not allow it.
    mutating func append(_ piece: Span<UInt8>) -> Bool {
        guard budget.charge(piece.count) else { return false }
        bytes.append(piece)
        return true
    }

    /// Lends all that has come so far.
    func withBytes<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
        bytes.withBytes(body)
    }
}
