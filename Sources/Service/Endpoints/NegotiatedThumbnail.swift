internal import HTTP
internal import Serialization

/// One thumbnail, whose format may depend on the field `Accept`. Both paths that return images use it.
struct NegotiatedThumbnail: Sendable {
    /// Makes the thumbnail, in the format that was negotiated.
    let serializer: ResponseSerializer

    /// Whether `Accept` affected the choice of the format. `format=` takes precedence.
    let isNegotiated: Bool

    /// - Parameters:
    ///   - serializer: one of `configured`, whose form is that of a thumbnail.
    ///   - fields: the fields of the request.
    /// - Throws: ``RequestError/notAcceptable(_:available:)``
    init(
        _ serializer: ResponseSerializer,
        of configured: ConfiguredSerializer,
        _ fields: borrowing RequestFields
    ) throws(RequestError) {
        isNegotiated = serializer.options.thumbnails?.first?.format == nil
        guard isNegotiated, let format = try Self.acceptedFormat(fields) else {
            self.serializer = serializer
            return
        }
        self.serializer = configured.serializer(serializer, thumbnailsAs: format)
    }

    /// The box, the fit and the format.
    var request: ThumbnailRequest { serializer.options.thumbnails?.first ?? .byDefault }

    /// Returns the format that `Accept` selects; `nil` if the choice depends on the image.
    private static func acceptedFormat(_ fields: borrowing RequestFields) throws(RequestError) -> ThumbnailFormat? {
        guard let field = fields.combined("Accept") else { return nil }
        switch AcceptField(parsing: field).thumbnailChoice {
        case .byImage: return nil
        case .format(let format): return format
        case .none: throw .notAcceptable(field, available: ThumbnailFormat.allCases.map(\.mediaType))
        }
    }
}
