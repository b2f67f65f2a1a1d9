package import Serialization

/// Renders nothing, and says why.
package final class RefusingRenderer: ImageRenderer {
    private let reason: RenderingError

    package init(_ reason: RenderingError) {
        self.reason = reason
    }

    package func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        throw reason
    }
}
