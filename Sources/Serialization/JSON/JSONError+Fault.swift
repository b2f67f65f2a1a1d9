// Converts a fault of the kernel, a kind and an offset, to a reason with details for people.

extension JSONError.Reason {
    /// - Parameter limits: The limits of the kernel.
    init(_ fault: JSONFault, in source: JSONSource, limits: Limits) {
        let expected: [String]
        switch fault.kind {
        case .expectedValue:
            expected = source.follows(UInt8(ascii: "["), at: fault.offset) ? ["a value", "']'"] : ["a value"]
        case .expectedName:
            expected = source.follows(UInt8(ascii: "{"), at: fault.offset) ? ["a name", "'}'"] : ["a name"]
        case .expectedColon: expected = ["':'"]
        case .expectedCommaOrEndOfObject: expected = ["','", "'}'"]
        case .expectedCommaOrEndOfArray: expected = ["','", "']'"]
        case .expectedRecordSeparator: expected = ["a record separator (U+001E)"]
        case .unterminatedString: expected = ["'\"'"]
        case .invalidNumber where fault.offset == source.count: expected = ["a digit"]
        case .invalidNumber:
            self = .invalidNumber
            return
        case .trailingContent:
            self = .trailingContent
            return
        case .topLevelScalar:
            self = .topLevelScalar
            return
        case .invalidLiteral:
            self = .invalidLiteral
            return
        case .invalidEscape:
            self = .invalidEscape
            return
        case .loneSurrogate:
            self = .loneSurrogate
            return
        case .controlCharacter:
            self = .controlCharacter
            return
        case .invalidEncoding:
            self = .invalidEncoding(UnicodeEncoding.utf8.rawValue)
            return
        case .duplicateName:
            self = .duplicateName(source.name(at: fault.offset))
            return
        case .nestingTooDeep:
            self = .nestingTooDeep(max: min(limits.maxNestingDepth, Limits.hardMaxNestingDepth))
            return
        case .numberTooLong:
            self = .numberTooLong(max: limits.maxNumberBytes)
            return
        case .keyTooLong:
            self = .keyTooLong(max: limits.maxKeyBytes)
            return
        case .tooManyMembers:
            self = .tooManyMembers(max: limits.maxObjectMembers)
            return
        case .outOfMemory:
            self = .outOfMemory
            return
        }
        self =
            fault.offset >= source.count ? .unexpectedEnd(expected: expected) : .unexpectedCharacter(expected: expected)
    }
}
