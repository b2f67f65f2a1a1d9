/// A renderer that decodes nothing. Its error tells the caller to repeat the call on a thread that may wait.
final class DeferringRenderer: ImageRenderer {
    static let shared = DeferringRenderer()

    func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        throw .deferred
    }
}

extension SerializationFailure {
    /// Whether the failure only means that pixels are needed.
    var isDeferred: Bool {
        (chain.first?.contentError as? ImageError)?.reason == .deferred
    }
}
