// Converts a fault of the kernel, a kind and an offset, to a reason with details for people.

extension JSONError.Reason {
    /// - Parameter limits: The limits of the kernel.
    init(_ fault: JSONFault, in text: Span<UInt8>, limits: Limits) {
        let expected: [String]
        switch fault.kind {
        case .expectedValue:
            expected = text.follows(UInt8(ascii: "["), at: fault.offset) ? ["a value", "']'"] : ["a value"]
        case .expectedName:
            expected = text.follows(UInt8(ascii: "{"), at: fault.offset) ? ["a name", "'}'"] : ["a name"]
        case .expectedColon: expected = ["':'"]
        case .expectedCommaOrEndOfObject: expected = ["','", "'}'"]
        case .expectedCommaOrEndOfArray: expected = ["','", "']'"]
        case .expectedRecordSeparator: expected = ["a record separator (U+001E)"]
        case .unterminatedString: expected = ["'\"'"]
        case .unterminatedLiteral: expected = ["the rest of true, false or null"]
        case .invalidNumber where fault.offset == text.count: expected = ["a digit"]
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
            self = .duplicateName(JSONStringToken(at: fault.offset, in: text).text(in: text))
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
            fault.offset >= text.count ? .unexpectedEnd(expected: expected) : .unexpectedCharacter(expected: expected)
    }
}

extension JSONFault {
    /// Returns this fault, or that of a text that ends too early, if it ends within a token that could be completed.
    func orEnd(of text: Span<UInt8>) -> JSONFault {
        switch kind {
        case .invalidLiteral where text.endsInLiteral(from: offset): JSONFault(.unterminatedLiteral, at: text.count)
        case .invalidEncoding where text.endsInCharacter(from: offset),
            .loneSurrogate where text.endsInSurrogatePair(from: offset):
            JSONFault(.unterminatedString, at: text.count)
        default: self
        }
    }
}

extension Span<UInt8> {
    /// Returns whether the last byte before `offset` that is not white space is `byte`.
    fileprivate func follows(_ byte: UInt8, at offset: Int) -> Bool {
        var index = Swift.min(offset, count) - 1
        while index >= 0, self[index].isJSONWhiteSpace { index -= 1 }
        return index >= 0 && self[index] == byte
    }

    /// Whether the rest of the text is the beginning of a literal.
    fileprivate func endsInLiteral(from start: Int) -> Bool {
        let rest = (start..<count).prefix(5).map { self[$0] }
        return ["true", "false", "null"].contains { rest.count < $0.utf8.count && $0.utf8.starts(with: rest) }
    }

    /// Whether the rest of the text is the beginning of a character in UTF-8 (RFC 3629 §4).
    fileprivate func endsInCharacter(from start: Int) -> Bool {
        guard start < count else { return false }
        var second: ClosedRange<UInt8> = 0x80...0xBF
        let bytes: Int
        switch self[start] {
        case 0xC2...0xDF: bytes = 2
        case 0xE0: (bytes, second) = (3, 0xA0...0xBF)
        case 0xED: (bytes, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: bytes = 3
        case 0xF0: (bytes, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: bytes = 4
        case 0xF4: (bytes, second) = (4, 0x80...0x8F)
        default: return false
        }
        guard count - start < bytes else { return false }
        return (start + 1..<count).allSatisfy { ($0 == start + 1 ? second : 0x80...0xBF) ~= self[$0] }
    }

    /// Whether the text ends after the escape of a high surrogate, or before the `u` of the next escape.
    fileprivate func endsInSurrogatePair(from start: Int) -> Bool {
        let isEnd = count - start == 6 || count - start == 7 && self[count - 1] == UInt8(ascii: "\\")
        return isEnd && (jsonCodeUnit(at: start).map(UTF16.isLeadSurrogate) ?? false)
    }
}
