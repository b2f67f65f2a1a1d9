internal import HTTP
internal import Serialization

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

    /// The detail of the problem. The only text of the client in it is the name of a field, or a transfer coding.
    var message: String {
        switch self {
        case .invalidMethod: "the method is not a token"
        case .invalidTarget(let offset): "the request target is not valid at byte \(offset)"
        case .irregularRequestLine:
            "the request line does not consist of a method, a target and a version that are separated by single spaces and followed by CRLF"
        case .unsupportedVersion: "the version of the request is not HTTP/1.1 or HTTP/1.0"
        case .targetTooLong: "the request line is longer than \(HeadParser.maxHeadBytes) bytes"
        case .headTooLarge:
            "the request line and all fields together are longer than \(HeadParser.maxHeadBytes) bytes"
        case .irregularFieldLine(let index):
            "field line \(index + 1) is folded, has no colon, or ends in a line feed without a carriage return"
        case .whitespaceBeforeColon(let name): "white space precedes the colon of the field \(name.excerpt)"
        case .invalidFieldName(let index): "the name of field \(index + 1) is not a token"
        case .invalidFieldValue(let name, let byte):
            "the value of the field \(name.excerpt) contains the control character \(byte.hexadecimalLiteral)"
        case .malformedChunk:
            "the chunked content is malformed: each size, each chunk and each trailer must end in CRLF"
        case .chunkOverheadTooLarge:
            "the chunk extensions and trailers together are longer than \(ChunkParser.maxOverheadBytes) bytes"
        case .missingHost: "the field Host is missing"
        case .repeatedHost: "the field Host is given more than once"
        case .invalidHost: "the field Host is not a host with an optional port"
        case .invalidContentLength: "the field Content-Length is not a single decimal number"
        case .repeatedContentLength: "the field Content-Length is given more than once"
        case .contentLengthWithTransferEncoding: "the fields Content-Length and Transfer-Encoding are both given"
        case .unsupportedTransferEncoding(let coding):
            "the transfer coding '\(coding.excerpt)' is not supported; only a single 'chunked' is"
        case .transferEncodingInHTTP10: "HTTP/1.0 does not support transfer codings"
        }
    }
}
