internal import Serialization

extension PropertyListError.Reason {
    var problemCode: ProblemCode {
        switch self {
        case .notAPropertyList: .plistNotAPropertyList
        case .unsupportedVersion: .plistUnsupportedVersion
        case .unexpectedEnd: .plistUnexpectedEnd
        case .unexpectedCharacter: .plistUnexpectedCharacter
        case .unexpectedElement: .plistUnexpectedElement
        case .trailingContent: .plistTrailingContent
        case .malformedXML: .plistMalformedXML
        case .invalidTrailer: .plistInvalidTrailer
        case .invalidReference: .plistInvalidReference
        case .overlappingObjects: .plistOverlappingObjects
        case .unknownMarker: .plistUnknownMarker
        case .invalidString: .plistInvalidString
        case .loneSurrogate: .plistLoneSurrogate
        case .invalidEncoding: .plistInvalidEncoding
        case .invalidEscape: .plistInvalidEscape
        case .invalidNumber: .plistInvalidNumber
        case .invalidDate: .plistInvalidDate
        case .invalidData: .plistInvalidData
        case .invalidKey: .plistInvalidKey
        case .duplicateKey: .plistDuplicateKey
        case .cycle: .plistCycle
        case .invalidArchive: .plistInvalidArchive
        case .expansionTooLarge: .plistExpansionTooLarge
        case .nestingTooDeep: .plistNestingTooDeep
        case .numberTooLong: .plistNumberTooLong
        case .keyTooLong: .plistKeyTooLong
        case .tooManyMembers: .plistTooManyMembers
        case .outOfMemory: .saturated
        case .tooManyObjects: .plistTooManyObjects
        }
    }

    /// The alternatives that would have been accepted.
    var expected: [String] {
        switch self {
        case .unexpectedEnd(let expected), .unexpectedCharacter(let expected), .unexpectedElement(let expected):
            expected
        case .trailingContent: ["end of content"]
        case .notAPropertyList: ["a property list: binary, XML or text"]
        case .unsupportedVersion: ["bplist0"]
        case .invalidKey: ["a string"]
        case .expansionTooLarge(let max), .numberTooLong(let max), .keyTooLong(let max): ["at most \(max) bytes"]
        case .nestingTooDeep(let max): ["at most \(max) levels"]
        case .tooManyMembers(let max): ["at most \(max) members"]
        case .tooManyObjects(let max): ["at most \(max) objects"]
        case .malformedXML, .invalidTrailer, .invalidReference, .overlappingObjects, .unknownMarker, .invalidString,
            .loneSurrogate, .invalidEncoding, .invalidEscape, .invalidNumber, .invalidDate, .invalidData, .duplicateKey,
            .cycle, .invalidArchive, .outOfMemory:
            []
        }
    }

    /// The reason, without the position.
    fileprivate func sentence(found: String?) -> String {
        switch self {
        case .notAPropertyList: "the content is not a property list"
        case .unsupportedVersion(let version): "a binary property list of version '\(version.excerpt)'"
        case .unexpectedEnd(let expected): "expected \(expected.alternatives), found the end of the content"
        case .unexpectedCharacter(let expected):
            "expected \(expected.alternatives), found \(found ?? "something else")"
        case .unexpectedElement(let expected): "expected \(expected.alternatives), found something else"
        case .trailingContent: "expected the end of the content, found \(found ?? "something else")"
        case .malformedXML(let reason): reason.sentenceInPropertyList
        case .invalidTrailer: "the trailer does not match the content"
        case .invalidReference: "a reference that does not lead to an object"
        case .overlappingObjects: "objects that share bytes"
        case .unknownMarker(let marker): "no object begins with \(marker.hexadecimalLiteral)"
        case .invalidString: "a string that is not valid in its encoding"
        case .loneSurrogate: "a lone surrogate"
        case .invalidEncoding(let encoding): "the content is not valid \(encoding.uppercased())"
        case .invalidEscape: "an escape that does not represent a character"
        case .invalidNumber: "a number that is malformed, or beyond the range of a double"
        case .invalidDate: "a date that does not exist, or is outside the years 0 to 9999"
        case .invalidData: "data that is neither Base64 nor hexadecimal"
        case .invalidKey: "a key that is not a string"
        case .duplicateKey(let key): "the key '\(key.excerpt)' is repeated"
        case .cycle: "an object that contains itself"
        case .invalidArchive: "a reference of the archive to a missing or invalid object"
        case .expansionTooLarge(let max): "references to shared objects would make the value longer than \(max) bytes"
        case .nestingTooDeep(let max): "arrays and dictionaries are nested more than \(max) levels deep"
        case .numberTooLong(let max): "a number has more than \(max) bytes"
        case .keyTooLong(let max): "a key has more than \(max) bytes"
        case .tooManyMembers(let max): "a dictionary has more than \(max) members"
        case .outOfMemory: "there is not enough memory to process the content"
        case .tooManyObjects(let max): "there are more than \(max) objects"
        }
    }
}

extension PropertyListError {
    /// One sentence with the reason and the position.
    var message: String {
        reason.sentence(found: found) + " at " + location.sentence
    }
}

extension XMLError.Reason {
    fileprivate var sentenceInPropertyList: String {
        switch self {
        case .malformed: "the XML is not well-formed"
        case .unexpectedEnd: "the XML ends too early"
        case .trailingContent: "something follows the root element"
        case .mismatchedTag: "an end tag does not match its start tag"
        case .duplicateAttribute: "an element has the same attribute twice"
        case .invalidCharacter: "a character that XML does not allow"
        case .invalidEncoding(let encoding): "the XML is not valid \(encoding.excerpt)"
        case .unsupportedCharset(let charset): "the XML is in \(charset.excerpt), which is not supported"
        case .undeclaredEntity: "a reference to an entity that is not declared"
        case .externalEntity: "a reference to an external entity, which is never fetched"
        case .entityExpansion(let max): "entities add more than \(max) bytes"
        case .nestingTooDeep(let max): "elements are nested more than \(max) levels deep"
        case .tooManyAttributes(let max): "an element has more than \(max) attributes"
        case .tooManyNamespaces(let max): "more than \(max) namespace declarations are in scope"
        case .tooManyNames(let max): "there are more than \(max) different names"
        case .namesTooLong(let max): "the different names and namespaces have more than \(max) bytes"
        case .doctypeTooLong(let max): "the document type declaration has more than \(max) bytes"
        case .keyTooLong(let max): "a name is longer than \(max) bytes"
        case .tooManyChoices(let max): "an enumeration has more than \(max) choices"
        case .outOfMemory: "there is not enough memory to process the content"
        }
    }
}
