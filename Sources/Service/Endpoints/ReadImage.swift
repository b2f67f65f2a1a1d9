internal import HTTP
internal import Serialization

/// What a worker has read from an image, as a reader for the step that follows.
final class ReadImage: ImageReader {
    private let order: ImageOrder
    private let result: Result<ImageRecord, ImageRejection>

    /// - Parameter omission: the reason for which the default thumbnail is omitted; `nil` if it is not.
    init(
        _ order: ImageOrder,
        by reader: any ImageReader,
        of content: NormalizedContent,
        omitting omission: ImageError.Reason?
    ) {
        self.order = order
        let orders = [omission == nil ? order : order.withoutDefaultThumbnail ?? order]
        let results = content.withBytes { content in
            if let content { reader.read(content, orders) } else { [Result<ImageRecord, ImageRejection>]() }
        }
        let result = results.first ?? .failure(ImageRejection(ImageError(.decoderCrashed)))
        self.result = result.map { record in
            var record = record
            if let omission { record.warnOfMissingThumbnail(omission) }
            return record
        }
    }

    /// The length of the record, in bytes.
    var byteCount: Int { if case .success(let record) = result { record.byteCount } else { 0 } }

    /// The reason for which the image is read again without the default thumbnail: its content is too long for the
    /// workers that decode pixels, and nothing else needs them. `nil` if it is not read again.
    var reasonForOmission: ImageError.Reason? {
        guard order.withoutDefaultThumbnail != nil, case .failure(let rejection) = result,
            case .tooLargeToDecode = rejection.error.reason
        else { return nil }
        return rejection.error.reason
    }

    /// Whether the worker does not decode the pixels that are needed.
    var isDeferred: Bool {
        if case .failure(let rejection) = result { rejection.error.reason == .deferred } else { false }
    }

    func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result<ImageRecord, ImageRejection>] {
        orders.map { $0 == order ? result : .failure(ImageRejection(ImageError(.deferred))) }
    }
}
