internal import Serialization

/// `POST /v1/thumbnail`, in the direct form: takes an upstream image, and returns one thumbnail as bytes.
struct ThumbnailEndpoint: Sendable {
    private let configured: ConfiguredSerializer

    /// - Parameter renderer: a placeholder for the renderer of a lane; `nil` if pixels are never decoded.
    init(limits: Limits, renderer: (any ImageRenderer)?, profiles: ProfileRegistry = .builtIn) {
        configured = ConfiguredSerializer(limits: limits, renderer: renderer, form: .thumbnail, profiles: profiles)
    }

    func plan(for head: borrowing RequestHead) -> Plan.Decision {
        let requestID = head.requestID
        do {
            let response = try UpstreamResponse(head.fields)
            var serializer = try configured.serializer(query: head.target.query)
            // `format=` takes precedence over `Accept`.
            let isNegotiated = serializer.options.thumbnails?.first?.format == nil
            if isNegotiated, let format = try Self.acceptedFormat(head.fields) {
                serializer = configured.serializer(serializer, thumbnailsAs: format)
            }
            let normalization = Normalization(
                of: response,
                with: serializer,
                requestID: requestID,
                formTypeExample: "image/jpeg",
                thumbnail: .init(isNegotiated: isNegotiated)
            )
            return .accept(maxContentBytes: serializer.limits.maxContentBytes) {
                (content, keep) throws(RejectionReason) in
                try normalization.begin(content) { () throws(RejectionReason) in .all(of: try keep()) }
            }
        } catch {
            return .respond(Problem(error).response(requestID: requestID.text))
        }
    }

    /// The format that `Accept` selects; `nil` if the choice depends on the image.
    private static func acceptedFormat(_ fields: borrowing RequestFields) throws(RequestError) -> ThumbnailFormat? {
        guard let field = fields.combined("Accept") else { return nil }
        switch AcceptField(parsing: field).thumbnailChoice {
        case .byImage: return nil
        case .format(let format): return format
        case .none: throw .notAcceptable(field, available: ThumbnailFormat.allCases.map(\.mediaType))
        }
    }
}
