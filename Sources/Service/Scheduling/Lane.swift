internal import Serialization

/// Where an answer is worked out.
enum Lane: Sendable {
    /// On the HTTP thread: microseconds, and no waiting.
    case inline

    /// On a thread of the ``ComputeLane``: no waiting for anything.
    case compute

    /// On a thread that waits for a worker process. `renderer` has the pixels made there, and must not be kept.
    case isolated(any ImageRenderer)

    /// On the HTTP thread, or another: no pixels, for this reason. The answer says so, or does without.
    case refused(RenderingError)

    /// Longest text that is read on an HTTP thread, in bytes. Inclusive.
    static let maxInlineBytes = 256 << 10

    /// Whether `content` may be decoded here: text that is not long, or an image's header, whatever follows it.
    @inline(__always) func takes(
        _ content: Span<UInt8>,
        of response: UpstreamResponse,
        with serializer: ResponseSerializer
    ) -> Bool {
        takes(textBytes: content.count) || serializer.readsHeaderOnly(of: content, response)
    }

    /// Whether text of so many bytes may be read here.
    @inline(__always) func takes(textBytes: Int) -> Bool {
        switch self {
        case .inline: textBytes <= Self.maxInlineBytes
        case .compute, .isolated, .refused: true
        }
    }

    /// The lanes that an answer can be handed on to.
    enum Kind: Sendable {
        case compute
        case isolated
    }
}
