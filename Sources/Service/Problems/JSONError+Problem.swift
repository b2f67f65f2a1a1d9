internal import Serialization

extension JSONError.Reason {
    var problemCode: ProblemCode {
        switch self {
        case .unexpectedCharacter: .jsonUnexpectedCharacter
        case .unexpectedEnd: .jsonUnexpectedEnd
        case .trailingContent: .jsonTrailingContent
        case .invalidNumber: .jsonInvalidNumber
        case .invalidLiteral: .jsonInvalidLiteral
        case .invalidEscape: .jsonInvalidEscape
        case .loneSurrogate: .jsonLoneSurrogate
        case .controlCharacter: .jsonControlCharacter
        case .invalidEncoding: .jsonInvalidEncoding
        case .unsupportedCharset: .charsetUnsupported
        case .duplicateName: .jsonDuplicateName
        case .topLevelScalar: .jsonTopLevelScalar
        case .numberNotRepresentable: .jsonNumberNotRepresentable
        case .nestingTooDeep: .jsonNestingTooDeep
        case .numberTooLong: .jsonNumberTooLong
        case .keyTooLong: .jsonKeyTooLong
        case .tooManyMembers: .jsonTooManyMembers
        case .outOfMemory: .saturated
        }
    }

    /// The alternatives that would have been accepted.
    var expected: [String] {
        switch self {
        case .unexpectedCharacter(let expected), .unexpectedEnd(let expected): expected
        case .trailingContent: ["end of content"]
        case .topLevelScalar: ["'{'", "'['"]
        case .numberNotRepresentable: ["a number within the range of a double"]
        case .nestingTooDeep(let max): ["at most \(max) levels"]
        case .numberTooLong(let max), .keyTooLong(let max): ["at most \(max) bytes"]
        case .tooManyMembers(let max): ["at most \(max) members"]
        case .invalidNumber, .invalidLiteral, .invalidEscape, .loneSurrogate, .controlCharacter, .invalidEncoding,
            .unsupportedCharset, .duplicateName, .outOfMemory:
            []
        }
    }

    /// The reason, without the position.
    func sentence(found: String?) -> String {
        switch self {
        case .unexpectedCharacter(let expected):
            expected.isEmpty
                ? "unexpected \(found ?? "character")"
                : "expected \(expected.alternatives), found \(found ?? "something else")"
        case .unexpectedEnd(let expected):
            expected.isEmpty
                ? "the content ends inside a value" : "expected \(expected.alternatives), found the end of the content"
        case .trailingContent: "expected the end of the content, found \(found ?? "something else")"
        case .invalidNumber: "a number that RFC 8259 does not allow"
        case .invalidLiteral: "expected true, false or null, found \(found ?? "something else")"
        case .invalidEscape: "an escape that RFC 8259 does not allow"
        case .loneSurrogate: "an escaped lone surrogate"
        case .controlCharacter: "an unescaped control character in a string"
        case .invalidEncoding(let encoding): "the content is not valid \(encoding.uppercased())"
        case .unsupportedCharset(let label):
            "the charset '\(label.excerpt)' is not supported, and the content is not valid UTF-8"
        case .duplicateName(let name): "the member '\(name.excerpt)' is repeated"
        case .topLevelScalar: "the value is neither an object nor an array"
        case .numberNotRepresentable: "a number beyond the range of a double"
        case .nestingTooDeep(let max): "arrays and objects are nested more than \(max) levels deep"
        case .numberTooLong(let max): "a number has more than \(max) bytes"
        case .keyTooLong(let max): "a member name has more than \(max) bytes"
        case .tooManyMembers(let max): "an object has more than \(max) members"
        case .outOfMemory: "there is not enough memory to process the content"
        }
    }
}

extension JSONError {
    /// One sentence with the reason and the position.
    var message: String {
        reason.sentence(found: found) + " at " + location.sentence + (first.map { ", first at " + $0.sentence } ?? "")
    }
}

extension SourceLocation {
    /// `byte 41 (line 3, column 7)`.
    var sentence: String {
        guard let line, let column else { return "byte \(byte)" }
        return "byte \(byte) (line \(line), column \(column))"
    }
}

extension [String] {
    /// `a`, `a or b`, `a, b or c`.
    var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
