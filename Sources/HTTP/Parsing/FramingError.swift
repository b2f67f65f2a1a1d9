/// The reason why a request is rejected by the parser: it violates RFC 9112, or two parsers could interpret it
/// differently. After such an error nothing more is read from the connection.
package enum FramingError: Error, Equatable, Sendable {
    // MARK: Request line

    /// The request line does not consist of three parts that are separated by single spaces and followed by CRLF, or
    /// its version is not an HTTP version, or too many empty lines precede it (RFC 9112 §2.2, §3).
    case irregularRequestLine

    /// The method is not a token (RFC 9110 §9.1).
    case invalidMethod

    /// The major version is not 1 (RFC 9110 §15.6.6). 505.
    case unsupportedVersion

    /// The target is neither in origin form nor in absolute form nor `*`, or contains an invalid byte. `offset` is the
    /// location of the error in the target.
    case invalidTarget(offset: Int)

    /// The request line does not end within ``HeadParser/maxHeadBytes``. 414.
    case targetTooLong

    // MARK: Field lines

    /// A field line is folded, has no colon, or does not end in CRLF. `index` counts field lines from 0. RFC 9112 §2.2
    /// and §5.2 allow a server to tolerate some of these lines, but proxies interpret them differently.
    case irregularFieldLine(index: Int)

    /// White space precedes the colon (RFC 9112 §5.1).
    case whitespaceBeforeColon(name: String)

    /// A field name is not a token. `index` counts fields from 0.
    case invalidFieldName(index: Int)

    /// A field value contains a control character.
    case invalidFieldValue(name: String, byte: UInt8)

    /// The head does not end within ``HeadParser/maxHeadBytes``. 431.
    case headTooLarge

    // MARK: Host

    /// An HTTP/1.1 request has no `Host` (RFC 9112 §3.2).
    case missingHost

    case repeatedHost

    /// The value of `Host` is not a host with an optional port.
    case invalidHost

    // MARK: Content

    /// The value of `Content-Length` is not a single decimal number, or exceeds `Int.max`.
    case invalidContentLength

    /// `Content-Length` is repeated, with equal or different values.
    case repeatedContentLength

    /// The request has both `Content-Length` and `Transfer-Encoding`: the classic form of request smuggling
    /// (RFC 9112 §6.1).
    case contentLengthWithTransferEncoding

    /// The transfer coding is not a single `chunked` (RFC 9112 §6.1). 501.
    case unsupportedTransferEncoding(String)

    /// An HTTP/1.0 request has a `Transfer-Encoding`, which HTTP/1.0 does not define (RFC 9112 §6.1).
    case transferEncodingInHTTP10

    /// A chunk or a trailer violates RFC 9112 §7.1. For example, a line does not end in CRLF, or a size is not a
    /// hexadecimal number.
    case malformedChunk

    /// The chunk extensions and trailers together exceed ``ChunkParser/maxOverheadBytes``.
    case chunkOverheadTooLarge
}
