internal import HTTP
internal import Serialization

/// A format of the content of requests that has a path and media types of its own.
enum RequestFormat: Sendable {
    case envelope
    case message
    /// A request for a resource of an origin.
    case fetch

    /// The media types of the format, in lower case.
    var mediaTypes: [String] {
        switch self {
        case .envelope, .fetch: ["application/json"]
        // RFC 9112 §10.
        case .message: ["application/http", "message/http"]
        }
    }

    /// The name with its article, for the beginning of a sentence.
    var name: String {
        switch self {
        case .envelope: "an envelope"
        case .message: "a message"
        case .fetch: "a fetch request"
        }
    }

    /// Checks that a request has a media type of the format, no content coding, and no field that contradicts its
    /// content.
    func check(_ fields: borrowing RequestFields) throws(RequestError) {
        var type: String?
        try fields.forEach { (field, name, value) throws(RequestError) in
            switch field {
            case .contentType: type = type.map { "\($0), \(value.text)" } ?? value.text
            case .contentEncoding:
                guard value.equals("identity") else { throw .unsupportedContentCoding(value.text, format: self) }
            case .upstreamStatus, .upstreamURL, .upstreamMethod, .upstreamField, .upstreamUnknown:
                throw .conflictingField(name.text, format: self)
            case .other, .host, .connection, .expect, .contentLength, .transferEncoding, .requestID, .traceparent,
                .authorization,
                .acceptEncoding, .wantReprDigest:
                break
            }
        }
        guard let type, accepts(type) else { throw .unsupportedMediaType(got: type, format: self) }
    }

    /// Whether a request with this media type is one of the format.
    func accepts(_ type: String) -> Bool {
        let essence = String(type.parts(separatedBy: ";", maxSplits: 1, omittingEmpty: false)[0]).trimmingBlanks()
        guard mediaTypes.contains(where: { essence.equalsIgnoringASCIICase($0) }) else { return false }
        switch self {
        case .envelope, .fetch: return true
        case .message:
            // RFC 9112 §10.1: without the parameter, the first line determines whether the message is a request or a
            // response.
            guard let type = try? MediaType(parsing: type) else { return false }
            return type.parameter("msgtype").map { $0.equalsIgnoringASCIICase("response") } ?? true
        }
    }
}
