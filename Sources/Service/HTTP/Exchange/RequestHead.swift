internal import Serialization

/// Everything of a request before its content.
struct RequestHead: ~Copyable, Sendable {
    /// Method as sent; methods are case-sensitive (RFC 9110 §9.1).
    var method: String

    var target: RequestTarget

    /// Fields in the order they came, framing already checked.
    let fields: RequestFields

    /// Length that `Content-Length` declares, in bytes; nil for chunked content or none.
    var declaredContentBytes: Int?

    /// `X-Request-ID` as taken from the request or made for it; also goes into the answer.
    var requestID: RequestID
}

extension RequestHead {
    init(method: String, target: RequestTarget, fields: HeaderFields, declaredContentBytes: Int?, requestID: RequestID)
    {
        self.init(
            method: method,
            target: target,
            fields: RequestFields(fields),
            declaredContentBytes: declaredContentBytes,
            requestID: requestID
        )
    }
}
