internal import Serialization

/// The kind of thread on which an answer is computed.
enum Lane: Sendable {
    /// The HTTP thread. The computation takes microseconds, and never waits.
    case inline

    /// A thread of the ``ComputeLane``. The computation never waits.
    case compute

    /// A thread that waits for a worker process. The renderer decodes pixels in that process, and must not be used
    /// after the computation.
    case isolated(any ImageRenderer)

    /// The HTTP thread or another thread. Pixels are not available, for this reason. The answer reports the reason, or
    /// does not need pixels.
    case refused(RenderingError)

    /// The maximum size of text that is decoded on an HTTP thread, in bytes, inclusive.
    static let maxInlineBytes = 256 << 10

    /// Returns whether `content` may be decoded on this lane. An HTTP thread accepts text up to a maximum size, and
    /// images of which only the header is read.
    @inline(__always) func takes(
        _ content: Span<UInt8>,
        of response: UpstreamResponse,
        with serializer: ResponseSerializer
    ) -> Bool {
        takes(textBytes: content.count) || serializer.readsHeaderOnly(of: content, response)
    }

    /// Returns whether text of `textBytes` may be decoded on this lane.
    @inline(__always) func takes(textBytes: Int) -> Bool {
        switch self {
        case .inline: textBytes <= Self.maxInlineBytes
        case .compute, .isolated, .refused: true
        }
    }

    /// The lanes to which an answer can be handed on.
    enum Kind: Sendable {
        case compute
        case isolated
    }
}
