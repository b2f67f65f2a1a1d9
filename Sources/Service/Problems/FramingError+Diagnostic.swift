internal import HTTP
internal import Serialization

extension FramingError {
    /// The reason in words. The only text of the client in it is the name of a field, or a transfer coding.
    var diagnostic: Diagnostic {
        switch self {
        case .invalidMethod: .malformed("the method is not a token")
        case .invalidTarget(let offset): .malformed("the request target is not valid at byte \(offset)")
        case .irregularRequestLine:
            .malformed(
                """
                the request line does not consist of a method, a target and a version that are separated by single \
                spaces and followed by CRLF
                """
            )
        case .unsupportedVersion:
            Diagnostic(.unsupportedVersion, "the version of the request is not HTTP/1.1 or HTTP/1.0")
        case .targetTooLong:
            Diagnostic(.targetTooLong, "the request line is longer than \(HeadParser.maxHeadBytes) bytes")
        case .headTooLarge:
            Diagnostic(
                .headTooLarge,
                "the request line and all fields together are longer than \(HeadParser.maxHeadBytes) bytes"
            )
        case .irregularFieldLine(let index):
            .malformed(
                "field line \(index + 1) is folded, has no colon, or ends in a line feed without a carriage return"
            )
        case .whitespaceBeforeColon(let name): .malformed("white space precedes the colon of the field \(name.excerpt)")
        case .invalidFieldName(let index): .malformed("the name of field \(index + 1) is not a token")
        case .invalidFieldValue(let name, let byte):
            .malformed(
                """
                the value of the field \(name.excerpt) contains the control character \
                \(byte.hexadecimalLiteral)
                """
            )
        case .malformedChunk:
            .malformed("the chunked content is malformed: each size, each chunk and each trailer must end in CRLF")
        case .chunkOverheadTooLarge:
            .malformed(
                "the chunk extensions and trailers together are longer than \(ChunkParser.maxOverheadBytes) bytes"
            )
        case .missingHost: .malformed("the field Host is missing")
        case .repeatedHost: .malformed("the field Host is given more than once")
        case .invalidHost: .malformed("the field Host is not a host with an optional port")
        case .invalidContentLength: .malformed("the field Content-Length is not a single decimal number")
        case .repeatedContentLength: .malformed("the field Content-Length is given more than once")
        case .contentLengthWithTransferEncoding:
            .malformed("the fields Content-Length and Transfer-Encoding are both given")
        case .unsupportedTransferEncoding(let coding):
            Diagnostic(
                .unsupportedTransferCoding,
                "the transfer coding '\(coding.excerpt)' is not supported; only a single 'chunked' is"
            )
        case .transferEncodingInHTTP10: .malformed("HTTP/1.0 does not support transfer codings")
        }
    }
}

extension Diagnostic {
    fileprivate static func malformed(_ sentence: String) -> Diagnostic { Diagnostic(.malformedFraming, sentence) }
}
