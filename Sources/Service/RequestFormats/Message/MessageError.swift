internal import Serialization

/// The reason why a message is rejected.
enum MessageError: Error, Equatable, Sendable {
    /// The message violates RFC 9112, or ends early. The location is in the message.
    case rejected(Reason, at: SourceLocation)

    /// The content is larger than `max` bytes, after its transfer coding is decoded.
    case contentTooLarge(max: Int)

    enum Reason: Equatable, Sendable {
        // MARK: Status line

        /// The line is not a status line (RFC 9112 §4). `found` is the beginning of the line.
        case invalidStatusLine(found: String)

        /// The version is not 0.9, 1.0, 1.1, 2 or 3.
        case unsupportedVersion(String)

        // MARK: Field lines

        /// A line of a head ends in a line feed without a carriage return (RFC 9112 §2.2).
        case bareLineFeed

        /// A field line begins with white space (RFC 9112 §5.2).
        case foldedFieldLine

        case fieldLineWithoutColon

        /// White space precedes the colon (RFC 9112 §5.1).
        case whitespaceBeforeColon(name: String)

        /// The name of a field contains `found`, which is not allowed in a token, or is empty.
        case invalidFieldName(found: String)

        /// The value of a field contains a control character.
        case invalidFieldValue(name: String, byte: UInt8)

        /// A head, or the extensions and trailer lines of chunked content, have more than ``Message/maxHeadBytes``.
        case headTooLarge

        /// A head or a trailer section has more than ``Message/maxFields`` fields.
        case tooManyFields

        // MARK: Framing

        /// The value of `Content-Length` is not a single decimal number, or exceeds `Int.max`.
        case invalidContentLength(String)

        case repeatedContentLength

        /// The response has both `Content-Length` and `Transfer-Encoding` (RFC 9112 §6.1).
        case contentLengthWithTransferEncoding

        /// A response of a version that has no transfer codings has a `Transfer-Encoding` (RFC 9112 §6.1,
        /// RFC 9113 §8.2.2).
        case transferEncodingInOtherVersion

        /// The transfer coding is not a single `chunked`.
        case unsupportedTransferEncoding(String)

        /// A chunk or a trailer violates RFC 9112 §7.1.
        case malformedChunk(expected: [String], found: String)

        // MARK: End

        case empty

        /// The message ends inside a head.
        case endsInHead

        /// The message ends after an interim response.
        case endsBeforeFinalResponse

        /// The message ends before the end of its content. `declared` is the length of the content in bytes; `nil` if
        /// it is chunked.
        case endsInContent(declared: Int?, received: Int)

        /// The record of a web archive that contains the message has only a part of the content.
        case truncatedRecord(received: Int)

        /// Bytes follow a response after which the connection is closed (RFC 9112 §9.6).
        case bytesAfterClose(Int)
    }
}

/// A reason, and its offset in the message. The line and the column are computed once, at the end.
struct MessageFault: Error, Equatable {
    enum Reason: Equatable {
        case rejected(MessageError.Reason)
        case contentTooLarge
        /// The message is valid so far, but too long for an HTTP thread.
        case notShort
    }

    let reason: Reason
    let offset: Int

    init(_ reason: MessageError.Reason, at offset: Int) {
        self.reason = .rejected(reason)
        self.offset = offset
    }

    private init(_ reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// Returns the fault of content that begins at `offset` and is larger than the limit.
    static func contentTooLarge(at offset: Int) -> MessageFault { MessageFault(.contentTooLarge, offset: offset) }

    /// The message takes too much time for an HTTP thread.
    static let notShort = MessageFault(.notShort, offset: 0)
}
