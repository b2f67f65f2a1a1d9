/// Makes no pixels: whoever needs some is told to ask again on a thread that may wait.
final class DeferringRenderer: ImageRenderer {
    static let shared = DeferringRenderer()

    func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        throw .deferred
    }
}

extension SerializationFailure {
    /// Whether it only says that pixels are needed.
    var isDeferred: Bool {
        if case .image(let error) = chain.first { error.reason == .deferred } else { false }
    }
}
