internal import Serialization

/// `POST /v1/normalize`, the direct form: the request's content *is* the upstream's, and its `Content-Type` and
/// `Content-Encoding` are the upstream's too. `Upstream-*` fields say the rest.
struct NormalizeEndpoint: Sendable {
    private let configured: ConfiguredSerializer

    init(configured: ConfiguredSerializer) {
        self.configured = configured
    }

    func plan(for head: borrowing RequestHead) -> Plan {
        let requestID = head.requestID
        do {
            let response = try Self.upstreamResponse(head.fields)
            let serializer = try configured.serializer(query: head.target.query)
            return .acceptOnLanes(maxContentBytes: serializer.limits.maxContentBytes) { content, lane in
                guard lane.takes(content, serializer.options) else { return .handOn(to: .compute) }
                // No content at all is zero bytes: this form cannot say "no data".
                return AnswerResponse.serialize(
                    response,
                    content: content,
                    with: serializer,
                    requestID: requestID,
                    on: lane
                ) { problem in
                    problem.explainFormType(example: "application/json")
                }
            }
        } catch {
            return .refuse(Problem(error).response(requestID: requestID.text))
        }
    }

    /// One pass over the fields: the two that the upstream shares with us, and the three that speak of it.
    static func upstreamResponse(_ fields: borrowing RequestFields) throws(RequestError) -> UpstreamResponse {
        var response = UpstreamResponse(statusAssumed: true)
        try fields.forEach { (name, value) throws(RequestError) in
            switch UpstreamField(name) {
            case .contentType: response.appendContentType(value)
            case .contentEncoding: response.fields.append(name: "Content-Encoding", value: String(field: value))
            case .status:
                guard response.statusAssumed else { throw .repeatedField("Upstream-Status") }
                guard let status = UpstreamFieldValue.status(value) else {
                    throw .invalidField("Upstream-Status", got: String(field: value), expected: ["100 to 999"])
                }
                response.status = status
                response.statusAssumed = false
            case .url:
                guard response.url == nil else { throw .repeatedField("Upstream-URL") }
                response.url = String(field: value)
            case .method:
                guard response.method == nil else { throw .repeatedField("Upstream-Method") }
                guard FieldSyntax.isToken(value) else {
                    throw .invalidField("Upstream-Method", got: String(field: value), expected: ["a method name"])
                }
                response.method = String(field: value)
            case .unknown: throw .unknownUpstreamField(String(field: name))
            case nil: break
            }
        }
        return response
    }
}

extension UpstreamResponse {
    /// The only field of most responses, and nearly always this one; made once, it costs no memory.
    private static let json = HeaderFields([HeaderFields.Field(name: "Content-Type", value: "application/json")])

    fileprivate mutating func appendContentType(_ value: Span<UInt8>) {
        if fields.isEmpty, value.equals("application/json".utf8.span) {
            fields = Self.json
        } else {
            fields.append(name: "Content-Type", value: String(field: value))
        }
    }
}

extension Problem {
    /// `curl -d` sends a form's type by itself; whoever meets that should not have to guess.
    mutating func explainFormType(example: String) {
        guard let link = ([first] + rest).first(where: { $0.code == .unacceptableType }),
            let type = link.found, type.lowercased().hasPrefix("application/x-www-form-urlencoded")
        else { return }
        detail +=
            "; curl -d sends this type by itself: say the upstream's own with -H 'Content-Type: \(example)' "
            + "or with ?type=\(example)"
    }
}
