internal import Serialization

/// A renderer that decodes nothing. Its error tells the caller to repeat the call on a thread that may wait.
package final class DeferringRenderer: ImageRenderer {
    package static let shared = DeferringRenderer()

    package func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        throw .deferred
    }
}
