internal import HTTP
internal import Serialization

// The direct forms. `Content-Type` and `Content-Encoding` of the request are those of the upstream response,
// `Upstream-Field-NAME` is its field NAME, and other `Upstream-*` fields describe its other properties.

extension UpstreamResponse {
    /// - Parameter requiresStatus: whether the status must be given. Otherwise it is 200 by default.
    init(_ requestFields: borrowing RequestFields, requiresStatus: Bool) throws(RequestError) {
        var status: Int?
        var url: String?
        var method: String?
        var fields = HeaderFields()
        var hasOtherFields = false
        try requestFields.forEach { (field, name, value) throws(RequestError) in
            switch field {
            case .contentType: fields.appendContentType(value)
            case .contentEncoding: fields.append(name: "Content-Encoding", value: value.text)
            case .upstreamStatus:
                guard status == nil else { throw .repeatedField("Upstream-Status") }
                guard let code = value.statusCode else {
                    throw .invalidField("Upstream-Status", got: value.text, expected: ["100 to 999"])
                }
                status = code
            case .upstreamURL:
                guard url == nil else { throw .repeatedField("Upstream-URL") }
                url = value.text
            case .upstreamMethod:
                guard method == nil else { throw .repeatedField("Upstream-Method") }
                guard value.isToken else {
                    throw .invalidField("Upstream-Method", got: value.text, expected: ["a method name"])
                }
                method = value.text
            case .upstreamField:
                let name = name.extracting(droppingFirst: FieldName.upstreamFieldPrefixBytes)
                guard !name.equals("Content-Type"), !name.equals("Content-Encoding") else {
                    throw .fieldOfContent(name.text)
                }
                fields.append(name: name.text, value: value.text)
                hasOtherFields = true
            case .upstreamUnknown: throw .unknownUpstreamField(name.text)
            case .other, .host, .connection, .expect, .contentLength, .transferEncoding, .requestID, .traceparent,
                .authorization,
                .acceptEncoding, .wantReprDigest:
                break
            }
        }
        if requiresStatus, status == nil { throw .missingStatus }
        self.init(status: status ?? 200, statusAssumed: status == nil, url: url, method: method, fields: fields)
        hasAllFields = hasOtherFields
    }
}

extension HeaderFields {
    fileprivate mutating func appendContentType(_ value: Span<UInt8>) {
        if isEmpty, value.equals("application/json".utf8.span) {
            self = .plainJSON
        } else {
            append(name: "Content-Type", value: value.text)
        }
    }
}
