internal import HTTP
internal import Serialization

/// `POST /v1/normalize`, the direct form: the content of the request *is* the content of the upstream response, and so
/// are `Content-Type` and `Content-Encoding`. `Upstream-*` fields describe other properties of the upstream response.
///
/// `POST /v1/normalize/value` has the same form and other options: the response is the value alone.
struct NormalizeEndpoint: Sendable {
    let configured: ConfiguredSerializer
    /// Whether a request must give the status of the upstream response.
    let requiresStatus: Bool

    func plan(for head: borrowing RequestHead) -> Plan.Decision {
        let requestID = head.requestID
        do {
            let response = try UpstreamResponse(head.fields, requiresStatus: requiresStatus)
            let serializer = try configured.serializer(query: head.target.query)
            let normalization = Normalization(
                of: response,
                with: serializer,
                requestID: requestID,
                isDirect: true
            )
            // A request without content means zero bytes: this form cannot specify that there is no data.
            return .accept(maxContentBytes: serializer.limits.maxContentBytes) {
                (content, takeOwnership) throws(RejectionReason) in
                try normalization.begin(content) { () throws(RejectionReason) in .all(of: try takeOwnership()) }
            }
        } catch { return .respond(Problem(error).response(requestID: requestID.text)) }
    }
}
