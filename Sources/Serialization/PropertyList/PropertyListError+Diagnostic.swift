extension PropertyListError: ContentError {
    package var diagnostic: Diagnostic {
        var diagnostic = reasonDiagnostic.at(location, found: found, excerpt: excerpt)
        diagnostic.first = first
        // The charset applies to the whole content.
        if case .malformedXML(.unsupportedCharset) = reason { diagnostic.sentence = reasonDiagnostic.sentence }
        return diagnostic
    }

    package var isOutOfMemory: Bool { reason == .outOfMemory }

    package var remedies: [Remedy.Candidate] {
        switch reason {
        case .duplicateKey: [.lastDuplicate]
        case .loneSurrogate: [.replacedSurrogates]
        case .nestingTooDeep: [.deeperNesting]
        case .notAPropertyList, .unexpectedCharacter, .trailingContent: [.otherType]
        case .malformedXML(let reason): reason.remedies
        case .unsupportedVersion, .unexpectedEnd, .unexpectedElement, .invalidTrailer, .invalidReference,
            .overlappingObjects, .unknownMarker, .invalidString, .invalidEncoding, .invalidEscape, .invalidNumber,
            .invalidDate, .invalidData, .invalidKey, .cycle, .invalidArchive, .expansionTooLarge, .numberTooLong,
            .keyTooLong, .tooManyMembers, .tooManyObjects, .outOfMemory:
            []
        }
    }

    private var reasonDiagnostic: Diagnostic {
        switch reason {
        case .notAPropertyList:
            Diagnostic(
                .plistNotAPropertyList,
                "the content is not a property list",
                expected: ["a property list: binary, XML or text"]
            )
        case .unsupportedVersion(let version):
            Diagnostic(
                .plistUnsupportedVersion,
                "a binary property list of version '\(version.excerpt)'",
                expected: ["bplist0"]
            )
        case .unexpectedEnd(let expected):
            Diagnostic(
                .plistUnexpectedEnd,
                "expected \(expected.alternatives), found the end of the content",
                expected: expected
            )
        case .unexpectedCharacter(let expected):
            Diagnostic(
                .plistUnexpectedCharacter,
                "expected \(expected.alternatives), found \(found ?? "something else")",
                expected: expected
            )
        case .unexpectedElement(let expected):
            Diagnostic(
                .plistUnexpectedElement,
                "expected \(expected.alternatives), found something else",
                expected: expected
            )
        case .trailingContent:
            Diagnostic(
                .plistTrailingContent,
                "expected the end of the content, found \(found ?? "something else")",
                expected: ["end of content"]
            )
        case .malformedXML(let reason): reason.diagnosticInPropertyList
        case .invalidTrailer: Diagnostic(.plistInvalidTrailer, "the trailer does not match the content")
        case .invalidReference: Diagnostic(.plistInvalidReference, "a reference that does not lead to an object")
        case .overlappingObjects: Diagnostic(.plistOverlappingObjects, "objects that share bytes")
        case .unknownMarker(let marker):
            Diagnostic(.plistUnknownMarker, "no object begins with \(marker.hexadecimalLiteral)")
        case .invalidString: Diagnostic(.plistInvalidString, "a string that is not valid in its encoding")
        case .loneSurrogate: Diagnostic(.plistLoneSurrogate, "a lone surrogate")
        case .invalidEncoding(let encoding):
            Diagnostic(.plistInvalidEncoding, "the content is not valid \(encoding.uppercased())")
        case .invalidEscape: Diagnostic(.plistInvalidEscape, "an escape that does not represent a character")
        case .invalidNumber:
            Diagnostic(.plistInvalidNumber, "a number that is malformed, or beyond the range of a double")
        case .invalidDate:
            Diagnostic(.plistInvalidDate, "a date that does not exist, or is outside the years 0 to 9999")
        case .invalidData: Diagnostic(.plistInvalidData, "data that is neither Base64 nor hexadecimal")
        case .invalidKey: Diagnostic(.plistInvalidKey, "a key that is not a string", expected: ["a string"])
        case .duplicateKey(let key): Diagnostic(.plistDuplicateKey, "the key '\(key.excerpt)' is repeated")
        case .cycle: Diagnostic(.plistCycle, "an object that contains itself")
        case .invalidArchive:
            Diagnostic(.plistInvalidArchive, "a reference of the archive to a missing or invalid object")
        case .expansionTooLarge(let max):
            Diagnostic(
                .plistExpansionTooLarge,
                "references to shared objects would make the value longer than \(max) bytes",
                atMost: "\(max) bytes"
            )
        case .nestingTooDeep(let max):
            Diagnostic(
                .plistNestingTooDeep,
                "arrays and dictionaries are nested more than \(max) levels deep",
                atMost: "\(max) levels"
            )
        case .numberTooLong(let max):
            Diagnostic(.plistNumberTooLong, "a number has more than \(max) bytes", atMost: "\(max) bytes")
        case .keyTooLong(let max):
            Diagnostic(.plistKeyTooLong, "a key has more than \(max) bytes", atMost: "\(max) bytes")
        case .tooManyMembers(let max):
            Diagnostic(.plistTooManyMembers, "a dictionary has more than \(max) members", atMost: "\(max) members")
        case .outOfMemory: .outOfMemory
        case .tooManyObjects(let max):
            Diagnostic(.plistTooManyObjects, "there are more than \(max) objects", atMost: "\(max) objects")
        }
    }
}

extension XMLError.Reason {
    /// The account of an error of the XML form. Limits and charsets have the codes that they have elsewhere.
    fileprivate var diagnosticInPropertyList: Diagnostic {
        var diagnostic = XMLError(self, number: XMLError.stoppedByLimit, at: SourceLocation(byte: 0)).reasonDiagnostic
        switch self {
        case .nestingTooDeep: diagnostic.code = .plistNestingTooDeep
        case .invalidEncoding: diagnostic.code = .plistInvalidEncoding
        case .malformed, .unexpectedEnd, .trailingContent, .mismatchedTag, .duplicateAttribute, .invalidCharacter,
            .undeclaredEntity, .externalEntity:
            diagnostic.code = .plistMalformedXML
        case .unsupportedCharset, .entityExpansion, .tooManyAttributes, .tooManyNamespaces, .tooManyNames,
            .namesTooLong, .keyTooLong, .doctypeTooLong, .tooManyChoices, .outOfMemory:
            break
        }
        return diagnostic
    }
}
