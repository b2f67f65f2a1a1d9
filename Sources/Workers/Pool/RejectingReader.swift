package import Serialization

/// A reader that rejects every image for the same reason.
package final class RejectingReader: ImageReader {
    private let reason: ImageError.Reason

    package init(_ reason: ImageError.Reason) { self.reason = reason }

    package func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result<ImageRecord, ImageRejection>] {
        orders.map { _ in .failure(ImageRejection(ImageError(reason))) }
    }
}
