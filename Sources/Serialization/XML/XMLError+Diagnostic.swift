extension XMLError: ContentError {
    package var diagnostic: Diagnostic {
        let sentence = reasonDiagnostic.sentence
        var diagnostic = reasonDiagnostic.at(location, first: first, found: found, excerpt: excerpt)
        if !expected.isEmpty { diagnostic.expected = expected }
        // The charset applies to the whole document.
        if case .unsupportedCharset = reason { diagnostic.sentence = sentence }
        diagnostic.xmlNumber = number
        return diagnostic
    }

    package var isOutOfMemory: Bool { reason == .outOfMemory }

    package var remedies: [Remedy.Candidate] { reason.remedies }

    /// The account without the location.
    var reasonDiagnostic: Diagnostic {
        switch reason {
        case .malformed:
            Diagnostic(.xmlMalformed, XMLErrorNumber.sentence(number) ?? "the content is not well-formed XML")
        case .unexpectedEnd: Diagnostic(.xmlUnexpectedEnd, "the content ends inside the document")
        case .trailingContent:
            Diagnostic(.xmlTrailingContent, "something follows the root element", expected: ["end of content"])
        case .mismatchedTag:
            if let found, let expected = expected.first {
                Diagnostic(
                    .xmlMismatchedTag,
                    "the end tag \(found) does not match the start tag <\(expected.dropFirst(2))"
                )
            } else {
                Diagnostic(.xmlMismatchedTag, "an end tag does not match its start tag")
            }
        case .duplicateAttribute: Diagnostic(.xmlDuplicateAttribute, "an element has the same attribute twice")
        case .invalidCharacter: Diagnostic(.xmlInvalidCharacter, "a character that XML does not allow")
        case .invalidEncoding(let encoding):
            Diagnostic(.xmlInvalidEncoding, "the content is not valid \(encoding.excerpt.uppercased())")
        case .unsupportedCharset(let label):
            Diagnostic(.charsetUnsupported, "the charset '\(label.excerpt)' is not supported")
        case .undeclaredEntity(let name):
            Diagnostic(.xmlUndeclaredEntity, "the entity '\(name.excerpt)' is not declared")
        case .externalEntity: Diagnostic(.xmlExternalEntity, "an external entity, which is never fetched, is used")
        case .entityExpansion(let max):
            Diagnostic(
                .xmlEntityExpansion,
                "entities and default attributes add more than \(max) bytes",
                atMost: "\(max) bytes"
            )
        case .nestingTooDeep(let max):
            Diagnostic(.xmlNestingTooDeep, "elements are nested more than \(max) levels deep", atMost: "\(max) levels")
        case .tooManyAttributes(let max):
            Diagnostic(.xmlTooManyAttributes, "an element has more than \(max) attributes", atMost: "\(max) attributes")
        case .tooManyNamespaces(let max):
            Diagnostic(
                .xmlTooManyNamespaces,
                "more than \(max) namespace declarations are in scope",
                atMost: "\(max) declarations"
            )
        case .tooManyNames(let max):
            Diagnostic(.xmlTooManyNames, "the document has more than \(max) different names", atMost: "\(max) names")
        case .namesTooLong(let max):
            Diagnostic(
                .xmlTooManyNames,
                "the different names and namespaces of the document have more than \(max) bytes",
                atMost: "\(max) bytes"
            )
        case .doctypeTooLong(let max):
            Diagnostic(
                .xmlDoctypeTooLong,
                "the document type declaration has more than \(max) bytes without quoted text and comments",
                atMost: "\(max) bytes"
            )
        case .keyTooLong(let max):
            Diagnostic(.xmlKeyTooLong, "a name is longer than \(max) bytes", atMost: "\(max) bytes")
        case .tooManyChoices(let max):
            Diagnostic(.xmlTooManyChoices, "an enumeration has more than \(max) choices", atMost: "\(max) choices")
        case .outOfMemory: .outOfMemory
        }
    }
}

extension XMLError.Reason {
    /// ``ContentError/remedies``.
    var remedies: [Remedy.Candidate] {
        switch self {
        case .nestingTooDeep: [.deeperNesting]
        case .invalidEncoding: [.otherCharset, .lenient]
        case .malformed: [.lenient, .otherType]
        case .trailingContent: [.otherType]
        case .unexpectedEnd, .invalidCharacter, .unsupportedCharset, .undeclaredEntity: [.lenient]
        case .mismatchedTag, .duplicateAttribute, .externalEntity, .entityExpansion, .tooManyAttributes,
            .tooManyNamespaces, .tooManyNames,
            .namesTooLong, .keyTooLong, .doctypeTooLong, .tooManyChoices, .outOfMemory:
            []
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
