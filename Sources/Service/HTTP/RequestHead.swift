internal import Serialization

/// Everything of a request before its content.
struct RequestHead: Sendable {
    /// Method as sent; methods are case-sensitive (RFC 9110 §9.1).
    var method: String

    var target: RequestTarget

    /// Fields in the order they came, framing already checked.
    var fields: HeaderFields

    /// Length that `Content-Length` declares, in bytes; nil for chunked content or none.
    var declaredContentBytes: Int?

    /// `X-Request-ID` as taken from the request or made for it; also goes into the answer.
    var requestID: String
}

/// A request target in origin form (RFC 9112 §3.2.1), split at the first `?` and otherwise raw: nothing is decoded.
struct RequestTarget: Equatable, Sendable {
    var path: String

    /// What follows the `?`, without it; nil where there is none.
    var query: String?
}
