internal import Serialization

extension MessageError.Reason {
    var problemCode: ProblemCode {
        switch self {
        case .invalidStatusLine: .messageInvalidStatusLine
        case .unsupportedVersion: .messageUnsupportedVersion
        case .bareLineFeed: .messageBareLineFeed
        case .foldedFieldLine, .fieldLineWithoutColon, .whitespaceBeforeColon, .invalidFieldName, .invalidFieldValue:
            .messageInvalidField
        case .headTooLarge, .tooManyFields: .messageHeadTooLarge
        case .invalidContentLength, .repeatedContentLength: .messageInvalidLength
        case .contentLengthWithTransferEncoding, .transferEncodingInOtherVersion: .messageConflictingFraming
        case .unsupportedTransferEncoding: .messageUnsupportedTransferCoding
        case .malformedChunk: .messageMalformedChunk
        case .empty, .endsInHead, .endsBeforeFinalResponse, .endsInContent: .messageTruncated
        case .bytesAfterClose: .messageTrailingBytes
        }
    }

    /// The reason, without the position.
    fileprivate var sentence: String {
        switch self {
        case .invalidStatusLine: "the line is not a status line"
        case .unsupportedVersion(let version): "the version HTTP/\(version.excerpt) is not supported"
        case .bareLineFeed: "the line ends in a line feed without a carriage return"
        case .foldedFieldLine: "the field line is folded: it begins with white space"
        case .fieldLineWithoutColon: "the field line has no colon"
        case .whitespaceBeforeColon(let name): "white space precedes the colon of the field \(name.excerpt)"
        case .invalidFieldName(let found): "the name of the field is not a token: it contains \(found)"
        case .invalidFieldValue(let name, let byte):
            "the value of the field \(name.excerpt) contains the control character \(byte.hexadecimalLiteral)"
        case .headTooLarge:
            "the head, or the chunk extensions and trailers, are larger than \(Message.maxHeadBytes) bytes"
        case .tooManyFields: "there are more than \(Message.maxFields) fields"
        case .invalidContentLength(let value):
            "Content-Length is '\(value.excerpt)', which is not a single decimal number"
        case .repeatedContentLength: "Content-Length is given more than once"
        case .contentLengthWithTransferEncoding: "Content-Length and Transfer-Encoding are both given"
        case .transferEncodingInOtherVersion: "Transfer-Encoding is given, but only HTTP/1.1 has transfer codings"
        case .unsupportedTransferEncoding(let value):
            "the transfer coding '\(value.excerpt)' is not supported; only a single 'chunked' is"
        case .malformedChunk(let expected, let found):
            "the chunked content is malformed: expected \(expected.joined(separator: " or ")), found \(found)"
        case .empty: "the message is empty"
        case .endsInHead: "the message ends inside a head"
        case .endsBeforeFinalResponse: "the message ends after an interim response"
        case .endsInContent(let declared, let received):
            "the message ends inside the content, after \(received) bytes"
                + (declared.map { " of \($0)" } ?? "; the last chunk is missing")
        case .bytesAfterClose(let count):
            "\(count) \(count == 1 ? "byte follows" : "bytes follow") a response after which the connection is closed"
        }
    }

    /// The alternatives that would have been accepted.
    fileprivate var expected: [String] {
        switch self {
        case .invalidStatusLine, .empty: ["a status line, for example 'HTTP/1.1 200 OK'"]
        case .unsupportedVersion: ["HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/3"]
        case .bareLineFeed: ["CRLF"]
        case .foldedFieldLine, .fieldLineWithoutColon: ["a field line: a name, a colon and a value"]
        case .whitespaceBeforeColon: ["':'"]
        case .invalidFieldName: ["a token (RFC 9110 §5.6.2)"]
        case .invalidFieldValue: ["text without control characters"]
        case .headTooLarge: ["at most \(Message.maxHeadBytes) bytes"]
        case .tooManyFields: ["at most \(Message.maxFields) fields"]
        case .invalidContentLength: ["a decimal number"]
        case .repeatedContentLength: ["Content-Length once"]
        case .contentLengthWithTransferEncoding: ["one of Content-Length and Transfer-Encoding"]
        case .transferEncodingInOtherVersion: ["HTTP/1.1"]
        case .unsupportedTransferEncoding: ["chunked"]
        case .malformedChunk(let expected, _): expected
        case .endsInHead: ["an empty line at the end of the head"]
        case .endsBeforeFinalResponse: ["a final response"]
        case .endsInContent(let declared, _): [declared.map { "\($0) bytes" } ?? "the last chunk"]
        case .bytesAfterClose: ["the end of the message"]
        }
    }

    fileprivate var found: String? {
        switch self {
        case .invalidStatusLine(let found), .unsupportedVersion(let found), .invalidFieldName(let found),
            .invalidContentLength(let found), .unsupportedTransferEncoding(let found), .malformedChunk(_, let found),
            .whitespaceBeforeColon(let found):
            found.excerpt
        case .invalidFieldValue(_, let byte): MessageFault.described(byte)
        case .endsInContent(_, let received): "\(received) bytes"
        case .bytesAfterClose(let count): "\(count) bytes"
        case .bareLineFeed, .foldedFieldLine, .fieldLineWithoutColon, .headTooLarge, .tooManyFields,
            .repeatedContentLength, .contentLengthWithTransferEncoding, .transferEncodingInOtherVersion, .empty,
            .endsInHead, .endsBeforeFinalResponse:
            nil
        }
    }

    /// One sentence with a remedy, unless the remedy is tried first.
    fileprivate var hint: String? {
        switch self {
        case .bareLineFeed:
            "send the bytes as they were received (curl --data-binary, not -d), or convert the line ends of the head to CRLF"
        case .malformedChunk: "if the chunks are already undone, remove the field Transfer-Encoding"
        case .invalidStatusLine, .unsupportedVersion, .foldedFieldLine, .fieldLineWithoutColon, .whitespaceBeforeColon,
            .invalidFieldName, .invalidFieldValue, .headTooLarge, .tooManyFields, .invalidContentLength,
            .repeatedContentLength, .contentLengthWithTransferEncoding, .transferEncodingInOtherVersion,
            .unsupportedTransferEncoding, .empty, .endsInHead, .endsBeforeFinalResponse, .endsInContent,
            .bytesAfterClose:
            nil
        }
    }
}

extension Problem {
    /// - Parameter remedy: what was tried and accepts the message.
    init(_ error: MessageError, remedy: Remedy? = nil) {
        switch error {
        case .rejected(let reason, let at):
            self.init(
                Link(
                    code: reason.problemCode,
                    message: "the message is not valid: \(reason.sentence), at \(at.sentence)",
                    at: at,
                    expected: reason.expected,
                    found: reason.found
                )
            )
            if let remedy { propose(remedy) } else if let hint = reason.hint { propose(hint, accepts: nil) }
        case .contentTooLarge(let max):
            self.init(contentOver: max)
        }
    }
}
