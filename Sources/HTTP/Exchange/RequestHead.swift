/// The head of a request: everything that precedes its content.
package struct RequestHead: ~Copyable, Sendable {
    /// The method as it was received; methods are case-sensitive (RFC 9110 §9.1).
    package var method: String

    package var target: RequestTarget

    /// The fields in the order in which they were received. The framing has been checked.
    package let fields: RequestFields

    /// The value of `Content-Length`, in bytes; `nil` for chunked content, or if there is no content.
    package var declaredContentBytes: Int?

    /// The identifier of the request, which is returned in the field `X-Request-ID` of the response.
    package var requestID: RequestID
}
