internal import Serialization

/// A renderer that decodes nothing. A worker for facts has it: images that need pixels are
/// read by another worker.
package final class DeferringRenderer: ImageRenderer {
    package static let shared = DeferringRenderer()

    package func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        throw .deferred
    }
}
