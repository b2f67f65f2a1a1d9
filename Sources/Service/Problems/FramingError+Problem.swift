extension FramingError {
    /// One sentence for a person. Nothing of it is the client's own text, but for a field's name.
    var message: String {
        switch self {
        case .invalidMethod: "the method is not a token"
        case .invalidTarget(let offset): "the request target is not valid at byte \(offset)"
        case .irregularRequestLine:
            "the request line is not a method, a target and a version, with one space between them and CRLF after them"
        case .irregularFieldLine(let index):
            "field line \(index + 1) is not followed by CRLF and another field line: a bare LF, a folded line or a NUL"
        case .whitespaceBeforeColon(let name): "white space stands before the colon of the field \(name.excerpt)"
        case .invalidFieldName(let index): "the name of field \(index + 1) is not a token"
        case .invalidFieldValue(let name, let byte):
            "the value of the field \(name.excerpt) has the control character 0x\(String(byte, radix: 16, uppercase: true))"
        case .malformedChunk:
            "the chunks of the content are malformed: each size, its content and each trailer end in CRLF"
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
