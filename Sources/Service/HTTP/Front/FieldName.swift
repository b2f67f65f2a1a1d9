internal import Serialization

/// The fields of a request that the service reads, identified by their names once per request.
enum FieldName: UInt8, Sendable {
    /// Every field that nothing here asks for without its name.
    case other

    // How the request is framed (RFC 9110, RFC 9112).
    case host
    case connection
    case expect
    case contentLength
    case transferEncoding

    /// The client's own identifier of the request.
    case requestID

    // What a request shares with the upstream's response that it carries.
    case contentType
    case contentEncoding

    // What else it says of that response.
    case upstreamStatus
    case upstreamURL
    case upstreamMethod
    /// The prefix `Upstream-` is ours: a name that we do not know is a mistake, and ignoring it would change the answer.
    case upstreamUnknown

    /// Names compare without case (RFC 9110 §5.1).
    @inline(__always) init(_ name: Span<UInt8>) {
        // Nearly all other fields differ in their length already.
        self =
            switch name.count {
            case 4 where name.equals("Host"): .host
            case 6 where name.equals("Expect"): .expect
            case 10 where name.equals("Connection"): .connection
            case 12 where name.equals("Content-Type"): .contentType
            case 12 where name.equals("X-Request-ID"): .requestID
            case 12 where name.equals("Upstream-URL"): .upstreamURL
            case 14 where name.equals("Content-Length"): .contentLength
            case 15 where name.equals("Upstream-Status"): .upstreamStatus
            case 15 where name.equals("Upstream-Method"): .upstreamMethod
            case 16 where name.equals("Content-Encoding"): .contentEncoding
            case 17 where name.equals("Transfer-Encoding"): .transferEncoding
            case 9... where name.extracting(first: 9).equals("Upstream-"): .upstreamUnknown
            default: .other
            }
    }

    /// Whether the name is known to be a token (RFC 9110 §5.6.2), because it is spelt out here.
    var isToken: Bool { self != .other && self != .upstreamUnknown }

    /// Whether the field describes how the request is framed.
    @inline(__always) var isFraming: Bool {
        rawValue >= FieldName.host.rawValue && rawValue <= FieldName.transferEncoding.rawValue
    }
}
