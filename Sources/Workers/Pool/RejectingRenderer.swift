package import Images
internal import Serialization

/// A renderer that rejects every request with the same error.
package final class RejectingRenderer: ImageRenderer {
    private let reason: RenderingError

    package init(_ reason: RenderingError) {
        self.reason = reason
    }

    package func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        throw reason
    }
}
