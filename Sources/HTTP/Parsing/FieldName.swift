package import Primitives

/// The fields of a request that the service reads. Their names are compared once per request.
package enum FieldName: UInt8, Sendable {
    /// Any other field, which can be found only by its name.
    case other

    // The framing of the request (RFC 9110, RFC 9112).
    case host
    case connection
    case expect
    case contentLength
    case transferEncoding

    /// The client's identifier of the request.
    case requestID

    /// The position of the client's span in a distributed trace (W3C Trace Context §3.2).
    case traceparent

    /// The token of the client.
    case authorization

    // The representation of the response.
    case acceptEncoding
    case wantReprDigest

    // The fields of the upstream response that are also fields of the request.
    case contentType
    case contentEncoding

    // The other properties of the upstream response.
    case upstreamStatus
    case upstreamURL
    case upstreamMethod
    /// `Upstream-Field-NAME`: the field NAME of the upstream response, which may be any text.
    case upstreamField
    /// An unknown name with the prefix `Upstream-`, which is reserved for the service. It must be a mistake, and
    /// ignoring it would change the response.
    case upstreamUnknown

    /// Identifies a field by its name. Names are case-insensitive (RFC 9110 §5.1).
    @inline(__always) init(_ name: Span<UInt8>) {
        // The lengths of nearly all other names differ from these.
        self =
            switch name.count {
            case 4 where name.equals("Host"): .host
            case 6 where name.equals("Expect"): .expect
            case 10 where name.equals("Connection"): .connection
            case 11 where name.equals("traceparent"): .traceparent
            case 12 where name.equals("Content-Type"): .contentType
            case 12 where name.equals("X-Request-ID"): .requestID
            case 12 where name.equals("Upstream-URL"): .upstreamURL
            case 13 where name.equals("Authorization"): .authorization
            case 14 where name.equals("Content-Length"): .contentLength
            case 15 where name.equals("Accept-Encoding"): .acceptEncoding
            case 15 where name.equals("Upstream-Status"): .upstreamStatus
            case 15 where name.equals("Upstream-Method"): .upstreamMethod
            case 16 where name.equals("Content-Encoding"): .contentEncoding
            case 16 where name.equals("Want-Repr-Digest"): .wantReprDigest
            case 17 where name.equals("Transfer-Encoding"): .transferEncoding
            case 9... where name.extracting(first: 9).equals("Upstream-"): Self.upstream(name)
            default: .other
            }
    }

    private static func upstream(_ name: Span<UInt8>) -> FieldName {
        let prefix = upstreamFieldPrefixBytes
        return name.count > prefix && name.extracting(first: prefix).equals("Upstream-Field-")
            ? .upstreamField : .upstreamUnknown
    }

    /// The length of the prefix of ``upstreamField``, in bytes.
    package static let upstreamFieldPrefixBytes = 15

    /// Whether the name is known to be a token (RFC 9110 §5.6.2), because it equals one of the names above.
    package var isToken: Bool { self != .other && self != .upstreamUnknown && self != .upstreamField }

    /// Whether the field concerns the framing of the request.
    @inline(__always) var isFraming: Bool {
        rawValue >= FieldName.host.rawValue && rawValue <= FieldName.transferEncoding.rawValue
    }
}

extension FieldLine {
    /// Parses a line without its CRLF, which is not empty, and identifies its field.
    /// - Returns: `nil` if the line is rejected.
    @inline(__always) package static func identified(
        _ window: Span<UInt8>,
        _ line: Range<Int>
    ) -> (field: FieldName, line: FieldLine)? {
        // As `FieldLine.name(in:_:)`, which is not inlined into another module.
        guard !window[line.lowerBound].isBlank, let colon = window.firstOffset(of: UInt8(ascii: ":"), in: line) else {
            return nil
        }
        let name = line.lowerBound..<colon
        let field = FieldName(window.extracting(name))
        let isToken = field.isToken || window.isToken(name)
        guard let parsed = FieldLine(window, line, name: name, isToken: isToken) else { return nil }
        return (field, parsed)
    }
}
