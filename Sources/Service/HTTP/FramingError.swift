/// Why a request's framing was refused: it breaks RFC 9112, or two readers could take it in two ways.
enum FramingError: Error, Equatable, Sendable {
    // MARK: Request line

    /// The method is not a token (RFC 9110 §9.1).
    case invalidMethod

    /// The target is neither in origin nor in absolute form, nor `*`, or has a byte that no target has, at `offset`.
    case invalidTarget(offset: Int)

    /// The request line is not three parts with one space between them and CRLF after them, or holds a NUL.
    case irregularRequestLine

    // MARK: Field lines

    /// A line after the field with this index (from 0) is folded, or ends in something else than CRLF, or holds a NUL,
    /// or has no name. RFC 9112 §2.2 and §5.2 allow tolerating some of it; proxies differ in what they make of it.
    case irregularFieldLine(index: Int)

    /// White space stands between the name and the colon (RFC 9112 §5.1).
    case whitespaceBeforeColon(name: String)

    /// A name is not a token. `index` counts fields from 0.
    case invalidFieldName(index: Int)

    /// A value holds a control character.
    case invalidFieldValue(name: String, byte: UInt8)

    // MARK: Host

    /// HTTP/1.1 without `Host` (RFC 9112 §3.2).
    case missingHost

    case repeatedHost

    /// The value is not a host with an optional port.
    case invalidHost

    // MARK: Content

    /// Not one number of decimal digits, or larger than any length that we count.
    case invalidContentLength

    /// More than once, with equal values or not.
    case repeatedContentLength

    /// Both at once: the classic way to smuggle a request (RFC 9112 §6.1).
    case contentLengthWithTransferEncoding

    /// Anything but one `chunked`.
    case unsupportedTransferEncoding(String)

    /// A chunk, or a trailer, is not as RFC 9112 §7.1 has it: a line that ends in something else than CRLF, a size that is
    /// no number, or too much beside the content.
    case malformedChunk

    /// HTTP/1.0 has no transfer codings (RFC 9112 §6.1).
    case transferEncodingInHTTP10
}
