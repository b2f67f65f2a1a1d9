/// The reason why a request is rejected before anybody sees its content: it breaks RFC 9112, or two readers could read it
/// in two ways. After it nothing more is read from the connection.
enum FramingError: Error, Equatable, Sendable {
    // MARK: Request line

    /// The request line is not three parts with one space between them and CRLF after them, or its version is not one of
    /// HTTP, or too many empty lines precede it (RFC 9112 §2.2, §3).
    case irregularRequestLine

    /// The method is not a token (RFC 9110 §9.1).
    case invalidMethod

    /// The major version is not 1 (RFC 9110 §15.6.6). 505.
    case unsupportedVersion

    /// The target is neither in origin nor in absolute form, nor `*`, or has a byte that no target has, at `offset`.
    case invalidTarget(offset: Int)

    /// The request line does not end within ``HeadParser/maxHeadBytes``. 414.
    case targetTooLong

    // MARK: Field lines

    /// The field line with this index (from 0) is folded, has no colon, or ends in something else than CRLF. RFC 9112 §2.2
    /// and §5.2 allow tolerating some of it; proxies differ in what they make of it.
    case irregularFieldLine(index: Int)

    /// White space precedes the colon (RFC 9112 §5.1).
    case whitespaceBeforeColon(name: String)

    /// A name is not a token. `index` counts fields from 0.
    case invalidFieldName(index: Int)

    /// A value has a control character.
    case invalidFieldValue(name: String, byte: UInt8)

    /// The head does not end within ``HeadParser/maxHeadBytes``. 431.
    case headTooLarge

    // MARK: Host

    /// HTTP/1.1 without `Host` (RFC 9112 §3.2).
    case missingHost

    case repeatedHost

    /// The value is not a host with an optional port.
    case invalidHost

    // MARK: Content

    /// Not one number of decimal digits, or larger than any length that can be counted.
    case invalidContentLength

    /// More than once, with equal values or not.
    case repeatedContentLength

    /// Both at once: the classic way to smuggle a request (RFC 9112 §6.1).
    case contentLengthWithTransferEncoding

    /// Anything but one `chunked` (RFC 9112 §6.1). 501.
    case unsupportedTransferEncoding(String)

    /// HTTP/1.0 has no transfer codings (RFC 9112 §6.1).
    case transferEncodingInHTTP10

    /// A chunk, or a trailer, is not as RFC 9112 §7.1 specifies: a line that ends in something else than CRLF, or a size that is
    /// not a number.
    case malformedChunk

    /// Chunk extensions and trailers together exceed ``ChunkParser/maxOverheadBytes``.
    case chunkOverheadTooLarge
}
