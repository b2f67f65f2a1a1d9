internal import HTTP
internal import Serialization

/// `POST /v1/thumbnail`, in the direct form: takes an upstream image, and returns one thumbnail as bytes.
struct ThumbnailEndpoint: Sendable {
    private let configured: ConfiguredSerializer
    private let requiresStatus: Bool

    /// - Parameters:
    ///   - configured: creates serializers with the options of a thumbnail.
    ///   - requiresStatus: whether a request must give the status of the upstream response.
    init(configured: ConfiguredSerializer, requiresStatus: Bool) {
        self.configured = configured
        self.requiresStatus = requiresStatus
    }

    func plan(for head: borrowing RequestHead) -> Plan.Decision {
        let requestID = head.requestID
        do {
            let response = try UpstreamResponse(head.fields, requiresStatus: requiresStatus)
            let serializer = try configured.serializer(query: head.target.query)
            let thumbnail = try NegotiatedThumbnail(serializer, of: configured, head.fields)
            let normalization = Normalization(
                of: response,
                with: thumbnail.serializer,
                requestID: requestID,
                thumbnail: .init(isNegotiated: thumbnail.isNegotiated)
            )
            return .accept(maxContentBytes: serializer.limits.maxContentBytes) {
                (content, takeOwnership) throws(RejectionReason) in
                try normalization.begin(content) { () throws(RejectionReason) in .all(of: try takeOwnership()) }
            }
        } catch {
            return .respond(Problem(error).response(requestID: requestID.text))
        }
    }
}
