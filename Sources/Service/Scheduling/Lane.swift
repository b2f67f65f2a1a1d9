internal import Serialization

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

    /// The maximum size of text that is decoded on an HTTP thread, in bytes, inclusive.
    static let maxInlineBytes = 256 << 10

    /// Returns whether an HTTP thread may decode `content`: text up to a maximum size, and images of which only the header is read.
    @inline(__always) static func fitsInline(
        _ content: Span<UInt8>,
        of response: UpstreamResponse,
        with serializer: ResponseSerializer
    ) -> Bool {
        content.count <= maxInlineBytes || serializer.readsHeaderOnly(of: content, response)
    }
}
