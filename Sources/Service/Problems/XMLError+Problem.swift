internal import Serialization

extension XMLError.Reason {
    var problemCode: ProblemCode {
        switch self {
        case .malformed: .xmlMalformed
        case .unexpectedEnd: .xmlUnexpectedEnd
        case .trailingContent: .xmlTrailingContent
        case .mismatchedTag: .xmlMismatchedTag
        case .duplicateAttribute: .xmlDuplicateAttribute
        case .invalidCharacter: .xmlInvalidCharacter
        case .invalidEncoding: .xmlInvalidEncoding
        case .unsupportedCharset: .charsetUnsupported
        case .undeclaredEntity: .xmlUndeclaredEntity
        case .externalEntity: .xmlExternalEntity
        case .entityExpansion: .xmlEntityExpansion
        case .nestingTooDeep: .xmlNestingTooDeep
        case .tooManyAttributes: .xmlTooManyAttributes
        case .tooManyNamespaces: .xmlTooManyNamespaces
        case .tooManyNames, .namesTooLong: .xmlTooManyNames
        case .doctypeTooLong: .xmlDoctypeTooLong
        case .keyTooLong: .xmlKeyTooLong
        case .tooManyChoices: .xmlTooManyChoices
        case .outOfMemory: .saturated
        }
    }

    /// The alternatives that would have been accepted.
    var expected: [String] {
        switch self {
        case .trailingContent: ["end of content"]
        case .entityExpansion(let max), .namesTooLong(let max), .keyTooLong(let max), .doctypeTooLong(let max):
            ["at most \(max) bytes"]
        case .nestingTooDeep(let max): ["at most \(max) levels"]
        case .tooManyAttributes(let max): ["at most \(max) attributes"]
        case .tooManyNamespaces(let max): ["at most \(max) declarations"]
        case .tooManyNames(let max): ["at most \(max) names"]
        case .tooManyChoices(let max): ["at most \(max) choices"]
        case .malformed, .unexpectedEnd, .mismatchedTag, .duplicateAttribute, .invalidCharacter, .invalidEncoding,
            .unsupportedCharset, .undeclaredEntity, .externalEntity, .outOfMemory:
            []
        }
    }

    /// The reason, without the position.
    fileprivate func sentence(number: Int) -> String {
        switch self {
        case .malformed: XMLErrorNumber.sentence(number) ?? "the content is not well-formed XML"
        case .unexpectedEnd: "the content ends inside the document"
        case .trailingContent: "something follows the root element"
        case .mismatchedTag: "an end tag does not match its start tag"
        case .duplicateAttribute: "an element has the same attribute twice"
        case .invalidCharacter: "a character that XML does not allow"
        case .invalidEncoding(let encoding): "the content is not valid \(encoding.excerpt.uppercased())"
        case .unsupportedCharset(let label): "the charset '\(label.excerpt)' is not supported"
        case .undeclaredEntity: "an undeclared entity is used"
        case .externalEntity: "an external entity, which is never fetched, is used"
        case .entityExpansion(let max): "entities and default attributes add more than \(max) bytes"
        case .nestingTooDeep(let max): "elements are nested more than \(max) levels deep"
        case .tooManyAttributes(let max): "an element has more than \(max) attributes"
        case .tooManyNamespaces(let max): "more than \(max) namespace declarations are in scope"
        case .tooManyNames(let max): "the document has more than \(max) different names"
        case .namesTooLong(let max): "the different names and namespaces of the document have more than \(max) bytes"
        case .doctypeTooLong(let max):
            "the document type declaration has more than \(max) bytes without quoted text and comments"
        case .keyTooLong(let max): "a name is longer than \(max) bytes"
        case .outOfMemory: "there is not enough memory to process the content"
        case .tooManyChoices(let max): "an enumeration has more than \(max) choices"
        }
    }
}

extension XMLError {
    /// One sentence with the reason and the position.
    var message: String {
        if reason == .mismatchedTag, let found, let expected = expected.first {
            return "the end tag \(found) does not match the start tag <\(expected.dropFirst(2)) at " + location.sentence
        }
        // The charset applies to the whole document.
        if case .unsupportedCharset = reason { return reason.sentence(number: number) }
        return reason.sentence(number: number) + " at " + location.sentence
            + (first.map { ", first at " + $0.sentence } ?? "")
    }

    /// The number of libxml2; `nil` if the code is not of the domain of the parser.
    var domainCode: Int? {
        switch reason {
        case .unsupportedCharset, .outOfMemory: nil
        case .malformed, .unexpectedEnd, .trailingContent, .mismatchedTag, .duplicateAttribute, .invalidCharacter,
            .invalidEncoding, .undeclaredEntity, .externalEntity, .entityExpansion, .nestingTooDeep, .tooManyAttributes,
            .tooManyNamespaces, .tooManyNames, .namesTooLong, .keyTooLong, .doctypeTooLong, .tooManyChoices:
            number
        }
    }
}

/// Sentences for the error numbers of libxml2 (xmlerror.h).
private enum XMLErrorNumber {
    /// Returns `nil` if the number only means that the content is malformed.
    static func sentence(_ number: Int) -> String? {
        switch number {
        case 4: "a start tag was expected"
        case 22, 68: "a name was expected"
        case 23: "a reference without a semicolon"
        case 38: "an attribute value contains '<'"
        case 39: "an attribute value without quotes"
        case 40: "an unterminated attribute value"
        case 41: "an attribute without a value"
        case 45: "an unterminated comment"
        case 47: "an unterminated processing instruction"
        case 57: "an unterminated XML declaration"
        case 61: "an unterminated document type declaration"
        case 62: "']]>' in text"
        case 63: "an unterminated CDATA section"
        case 64: "an XML declaration after the beginning of the document"
        case 65: "white space was expected"
        case 73: "'>' was expected"
        case 80: "'--' in a comment"
        default: nil
        }
    }
}
