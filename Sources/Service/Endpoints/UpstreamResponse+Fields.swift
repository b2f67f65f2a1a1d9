internal import Serialization

// The direct forms: the fields that the upstream's response shares with the request that carries it, and those that speak
// of it (`Upstream-*`).

extension UpstreamResponse {
    init(_ fields: borrowing RequestFields) throws(RequestError) {
        self.init(statusAssumed: true)
        try fields.forEach { (field, name, value) throws(RequestError) in
            switch field {
            case .contentType: appendContentType(value)
            case .contentEncoding: self.fields.append(name: "Content-Encoding", value: String(field: value))
            case .upstreamStatus:
                guard statusAssumed else { throw .repeatedField("Upstream-Status") }
                guard let status = UpstreamFieldValue.status(value) else {
                    throw .invalidField("Upstream-Status", got: String(field: value), expected: ["100 to 999"])
                }
                self.status = status
                statusAssumed = false
            case .upstreamURL:
                guard url == nil else { throw .repeatedField("Upstream-URL") }
                url = String(field: value)
            case .upstreamMethod:
                guard method == nil else { throw .repeatedField("Upstream-Method") }
                guard FieldSyntax.isToken(value) else {
                    throw .invalidField("Upstream-Method", got: String(field: value), expected: ["a method name"])
                }
                method = String(field: value)
            case .upstreamUnknown: throw .unknownUpstreamField(String(field: name))
            case .other, .host, .expect, .contentLength, .transferEncoding, .requestID: break
            }
        }
    }

    /// The only field of most responses, and nearly always this one; made once, it costs no memory.
    private static let json = HeaderFields([HeaderFields.Field(name: "Content-Type", value: "application/json")])

    private mutating func appendContentType(_ value: Span<UInt8>) {
        if fields.isEmpty, value.equals("application/json".utf8.span) {
            fields = Self.json
        } else {
            fields.append(name: "Content-Type", value: String(field: value))
        }
    }
}
