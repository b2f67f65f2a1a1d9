extension FramingError {
    var problemCode: ProblemCode {
        switch self {
        case .targetTooLong: .targetTooLong
        case .headTooLarge: .headTooLarge
        case .unsupportedVersion: .unsupportedVersion
        case .unsupportedTransferEncoding: .unsupportedTransferCoding
        case .irregularRequestLine, .invalidMethod, .invalidTarget, .irregularFieldLine, .whitespaceBeforeColon,
            .invalidFieldName, .invalidFieldValue, .missingHost, .repeatedHost, .invalidHost, .invalidContentLength,
            .repeatedContentLength, .contentLengthWithTransferEncoding, .transferEncodingInHTTP10, .malformedChunk,
            .chunkOverheadTooLarge:
            .malformedFraming
        }
    }

    /// One sentence for a person, which contains nothing of the client's own text but the name of a field.
    var message: String {
        switch self {
        case .invalidMethod: "the method is not a token"
        case .invalidTarget(let offset): "the request target is not valid at byte \(offset)"
        case .irregularRequestLine:
            "the request line is not a method, a target and a version, with one space between them and CRLF after them"
        case .unsupportedVersion: "the version of the request is not HTTP/1.1 or HTTP/1.0"
        case .targetTooLong: "the request line is longer than \(HeadParser.maxHeadBytes) bytes"
        case .headTooLarge:
            "the head of the request, which is the request line and all fields, is longer than \(HeadParser.maxHeadBytes) bytes"
        case .irregularFieldLine(let index):
            "field line \(index + 1) is folded, has no colon, or ends in a line feed without a carriage return"
        case .whitespaceBeforeColon(let name): "white space precedes the colon of the field \(name.excerpt)"
        case .invalidFieldName(let index): "the name of field \(index + 1) is not a token"
        case .invalidFieldValue(let name, let byte):
            "the value of the field \(name.excerpt) has the control character 0x\(String(byte, radix: 16, uppercase: true))"
        case .malformedChunk:
            "the chunks of the content are malformed: each size, its content and each trailer end in CRLF"
        case .chunkOverheadTooLarge:
            "the chunk extensions and trailers are longer than \(ChunkParser.maxOverheadBytes) bytes together"
        case .missingHost: "the field Host is missing"
        case .repeatedHost: "the field Host is given more than once"
        case .invalidHost: "the field Host is not a host with an optional port"
        case .invalidContentLength: "the field Content-Length is not one decimal number"
        case .repeatedContentLength: "the field Content-Length is given more than once"
        case .contentLengthWithTransferEncoding: "the fields Content-Length and Transfer-Encoding are both given"
        case .unsupportedTransferEncoding(let coding):
            "the transfer coding '\(coding.excerpt)' is not supported; there is one 'chunked', or none"
        case .transferEncodingInHTTP10: "HTTP/1.0 has no transfer codings"
        }
    }
}
