/// The kind of thread on which a step of a computation runs.
enum Lane: UInt8, CaseIterable, Sendable {
    /// The HTTP thread. A step takes microseconds, and never waits.
    case inline

    /// A thread of the ``ComputeLane``. A step never waits.
    case compute

    /// A thread that waits for a worker process.
    case isolated

    /// The name in the log and in metrics.
    var name: StaticString {
        switch self {
        case .inline: "inline"
        case .compute: "compute"
        case .isolated: "isolated"
        }
    }

    /// The maximum size of a message that is read on an HTTP thread, in bytes, inclusive. For other content, it depends on the format
    /// (``ResponseSerializer/isShort(_:of:)``).
    static let maxInlineBytes = 256 << 10

    /// The memory that reading an envelope on an HTTP thread may use beyond its length, in bytes, inclusive: as for JSON
    /// (``ResponseSerializer/inlineMemoryBytes(for:of:)``).
    static let maxInlineMemoryBytes = 4 * maxInlineBytes
}
