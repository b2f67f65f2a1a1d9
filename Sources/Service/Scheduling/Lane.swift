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

    /// Longest content that is decoded on an HTTP thread, in bytes. Inclusive.
    static let maxInlineBytes = 256 << 10

    /// Whether `content` may be decoded here. Of an image only the header is, whatever its length.
    func takes(_ content: Span<UInt8>, _ options: SerializationOptions) -> Bool {
        switch self {
        case .inline where content.count > Self.maxInlineBytes:
            // A digest reads all of it.
            ContentSignature(of: content)?.isImage == true && !options.fingerprints.contains(.sha256)
        case .inline, .compute, .isolated, .refused: true
        }
    }

    /// The lanes that an answer can be handed on to.
    enum Kind: Sendable {
        case compute
        case isolated
    }
}
