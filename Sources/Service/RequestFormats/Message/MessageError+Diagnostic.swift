internal import Serialization

extension MessageError.Reason {
    /// The reason in words, without the location.
    var diagnostic: Diagnostic {
        switch self {
        case .invalidStatusLine(let found):
            Diagnostic(
                .messageInvalidStatusLine,
                "the line is not a status line",
                expected: Self.statusLine,
                found: found.excerpt
            )
        case .unsupportedVersion(let version):
            Diagnostic(
                .messageUnsupportedVersion,
                "the version HTTP/\(version.excerpt) is not supported",
                expected: ["HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/3"],
                found: version.excerpt
            )
        case .bareLineFeed:
            Diagnostic(
                .messageBareLineFeed,
                "the line ends in a line feed without a carriage return",
                expected: ["CRLF"],
                hint: """
                    send the bytes as they were received (curl --data-binary, not -d), or convert the line ends of \
                    the head to CRLF
                    """
            )
        case .foldedFieldLine:
            Diagnostic(
                .messageInvalidField,
                "the field line is folded: it begins with white space",
                expected: Self.fieldLine
            )
        case .fieldLineWithoutColon:
            Diagnostic(.messageInvalidField, "the field line has no colon", expected: Self.fieldLine)
        case .whitespaceBeforeColon(let name):
            Diagnostic(
                .messageInvalidField,
                "white space precedes the colon of the field \(name.excerpt)",
                expected: ["':'"],
                found: name.excerpt
            )
        case .invalidFieldName(let found):
            Diagnostic(
                .messageInvalidField,
                "the name of the field is not a token: it contains \(found)",
                expected: ["a token (RFC 9110 §5.6.2)"],
                found: found.excerpt
            )
        case .invalidFieldValue(let name, let byte):
            Diagnostic(
                .messageInvalidField,
                """
                the value of the field \(name.excerpt) contains the control character \
                \(byte.hexadecimalLiteral)
                """,
                expected: ["text without control characters"],
                found: MessageFault.described(byte)
            )
        case .headTooLarge:
            Diagnostic(
                .messageHeadTooLarge,
                "the head, or the chunk extensions and trailers, are larger than \(Message.maxHeadBytes) bytes",
                expected: ["at most \(Message.maxHeadBytes) bytes"]
            )
        case .tooManyFields:
            Diagnostic(
                .messageHeadTooLarge,
                "there are more than \(Message.maxFields) fields",
                expected: ["at most \(Message.maxFields) fields"]
            )
        case .invalidContentLength(let value):
            Diagnostic(
                .messageInvalidLength,
                "Content-Length is '\(value.excerpt)', which is not a single decimal number",
                expected: ["a decimal number"],
                found: value.excerpt
            )
        case .repeatedContentLength:
            Diagnostic(
                .messageInvalidLength,
                "Content-Length is given more than once",
                expected: ["Content-Length once"]
            )
        case .contentLengthWithTransferEncoding:
            Diagnostic(
                .messageConflictingFraming,
                "Content-Length and Transfer-Encoding are both given",
                expected: ["one of Content-Length and Transfer-Encoding"]
            )
        case .transferEncodingInOtherVersion:
            Diagnostic(
                .messageConflictingFraming,
                "Transfer-Encoding is given, but only HTTP/1.1 has transfer codings",
                expected: ["HTTP/1.1"]
            )
        case .unsupportedTransferEncoding(let value):
            Diagnostic(
                .messageUnsupportedTransferCoding,
                "the transfer coding '\(value.excerpt)' is not supported; only a single 'chunked' is",
                expected: ["chunked"],
                found: value.excerpt
            )
        case .malformedChunk(let expected, let found):
            Diagnostic(
                .messageMalformedChunk,
                "the chunked content is malformed: expected \(expected.joined(separator: " or ")), found \(found)",
                expected: expected,
                found: found.excerpt,
                hint: Self.hintOfUndoneChunks
            )
        case .empty: Diagnostic(.messageTruncated, "the message is empty", expected: Self.statusLine)
        case .endsInHead:
            Diagnostic(
                .messageTruncated,
                "the message ends inside a head",
                expected: ["an empty line at the end of the head"]
            )
        case .endsBeforeFinalResponse:
            Diagnostic(.messageTruncated, "the message ends after an interim response", expected: ["a final response"])
        case .endsInContent(let declared, let received):
            Diagnostic(
                .messageTruncated,
                "the message ends inside the content, after \(received) bytes"
                    + (declared.map { " of \($0)" } ?? "; the last chunk is missing"),
                expected: [declared.map { "\($0) bytes" } ?? "the last chunk"],
                found: "\(received) bytes",
                hint: declared == nil ? Self.hintOfUndoneChunks : nil
            )
        case .truncatedRecord(let received):
            Diagnostic(
                .messageTruncated,
                """
                the record has only a part of the content, \(received) bytes (WARC-Truncated, or the first of several \
                segments)
                """,
                expected: ["the complete content"],
                found: "\(received) bytes",
                hint: "truncated=allow uses the part of some formats"
            )
        case .bytesAfterClose(let count):
            Diagnostic(
                .messageTrailingBytes,
                """
                \(count) \(count == 1 ? "byte follows" : "bytes follow") a response after which the connection is \
                closed
                """,
                expected: ["the end of the message"],
                found: "\(count) bytes"
            )
        }
    }

    private static let hintOfUndoneChunks = "if the chunks are already undone, remove the field Transfer-Encoding"
    private static let statusLine = ["a status line, for example 'HTTP/1.1 200 OK'"]
    private static let fieldLine = ["a field line: a name, a colon and a value"]
}

extension Problem {
    /// - Parameter remedy: what was tried and accepts the message.
    init(_ error: MessageError, remedy: Remedy? = nil) {
        switch error {
        case .rejected(let reason, let at):
            var diagnostic = reason.diagnostic
            diagnostic.sentence = "the message is not valid: \(diagnostic.sentence), at \(at.sentence)"
            diagnostic.location = at
            self.init(Link(diagnostic))
            if let remedy { propose(remedy) } else { hint = diagnostic.hint }
        case .contentTooLarge(let max): self.init(contentOver: max)
        }
    }
}
