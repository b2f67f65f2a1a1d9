extension JSONError: ContentError {
    package var diagnostic: Diagnostic { reasonDiagnostic.at(location, first: first, found: found, excerpt: excerpt) }

    package var isOutOfMemory: Bool { reason == .outOfMemory }

    package var remedies: [Remedy.Candidate] {
        switch reason {
        case .topLevelScalar: [.fragments]
        case .duplicateName: [.lastDuplicate]
        case .loneSurrogate: [.replacedSurrogates]
        case .nestingTooDeep: [.deeperNesting]
        case .invalidEncoding: [.otherCharset, .lenient]
        case .unsupportedCharset: [.lenient]
        case .unexpectedCharacter, .unexpectedEnd, .trailingContent, .invalidNumber, .invalidLiteral, .invalidEscape,
            .controlCharacter:
            [.lenient, .manyRecords, .strippedPrefix, .functionCall, .otherType]
        case .numberNotRepresentable, .numberTooLong, .keyTooLong, .tooManyMembers, .outOfMemory: []
        }
    }

    /// The account of the reason, without the location.
    package var reasonDiagnostic: Diagnostic {
        switch reason {
        case .unexpectedCharacter(let expected):
            Diagnostic(
                .jsonUnexpectedCharacter,
                expected.isEmpty
                    ? "unexpected \(found ?? "character")"
                    : "expected \(expected.alternatives), found \(found ?? "something else")",
                expected: expected
            )
        case .unexpectedEnd(let expected):
            Diagnostic(
                .jsonUnexpectedEnd,
                expected.isEmpty
                    ? "the content ends inside a value"
                    : "expected \(expected.alternatives), found the end of the content",
                expected: expected
            )
        case .trailingContent:
            Diagnostic(
                .jsonTrailingContent,
                "expected the end of the content, found \(found ?? "something else")",
                expected: ["end of content"]
            )
        case .invalidNumber: Diagnostic(.jsonInvalidNumber, "a number that RFC 8259 does not allow")
        case .invalidLiteral:
            Diagnostic(.jsonInvalidLiteral, "expected true, false or null, found \(found ?? "something else")")
        case .invalidEscape: Diagnostic(.jsonInvalidEscape, "an escape that RFC 8259 does not allow")
        case .loneSurrogate: Diagnostic(.jsonLoneSurrogate, "an escaped lone surrogate")
        case .controlCharacter: Diagnostic(.jsonControlCharacter, "an unescaped control character in a string")
        case .invalidEncoding(let encoding):
            Diagnostic(.jsonInvalidEncoding, "the content is not valid \(encoding.uppercased())")
        case .unsupportedCharset(let label): .unsupportedCharset(label)
        case .duplicateName(let name): Diagnostic(.jsonDuplicateName, "the member '\(name.excerpt)' is repeated")
        case .topLevelScalar:
            Diagnostic(.jsonTopLevelScalar, "the value is neither an object nor an array", expected: ["'{'", "'['"])
        case .numberNotRepresentable:
            Diagnostic(
                .jsonNumberNotRepresentable,
                "a number beyond the range of a double",
                expected: ["a number within the range of a double"]
            )
        case .nestingTooDeep(let max):
            Diagnostic(
                .jsonNestingTooDeep,
                "arrays and objects are nested more than \(max) levels deep",
                atMost: "\(max) levels"
            )
        case .numberTooLong(let max):
            Diagnostic(.jsonNumberTooLong, "a number has more than \(max) bytes", atMost: "\(max) bytes")
        case .keyTooLong(let max):
            Diagnostic(.jsonKeyTooLong, "a member name has more than \(max) bytes", atMost: "\(max) bytes")
        case .tooManyMembers(let max):
            Diagnostic(.jsonTooManyMembers, "an object has more than \(max) members", atMost: "\(max) members")
        case .outOfMemory: .outOfMemory
        }
    }
}
