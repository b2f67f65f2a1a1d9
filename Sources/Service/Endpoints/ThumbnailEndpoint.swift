internal import HTTP
internal import Serialization

/// `POST /v1/thumbnail`, in the direct form: takes an upstream image, and returns one thumbnail as bytes.
struct ThumbnailEndpoint: Sendable {
    /// Creates serializers with the options of a thumbnail.
    let configured: ConfiguredSerializer
    /// Whether a request must give the status of the upstream response.
    let requiresStatus: Bool

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
        } catch { return .respond(Problem(error).response(requestID: requestID.text)) }
    }
}
