// Converts a fault of the kernel, a kind and an offset, to a reason with details for people.

extension JSONError.Reason {
    /// - Parameter limits: The limits of the kernel.
    init(_ fault: JSONFault, in text: Span<UInt8>, limits: Limits) {
        /// The reason at the offset if one of these texts is expected there.
        func expecting(_ expected: String...) -> Self {
            fault.offset >= text.count ? .unexpectedEnd(expected: expected) : .unexpectedCharacter(expected: expected)
        }
        self =
            switch fault.kind {
            case .expectedValue where text.follows(UInt8(ascii: "["), at: fault.offset): expecting("a value", "']'")
            case .expectedValue: expecting("a value")
            case .expectedName where text.follows(UInt8(ascii: "{"), at: fault.offset): expecting("a name", "'}'")
            case .expectedName: expecting("a name")
            case .expectedColon: expecting("':'")
            case .expectedCommaOrEndOfObject: expecting("','", "'}'")
            case .expectedCommaOrEndOfArray: expecting("','", "']'")
            case .expectedRecordSeparator: expecting("a record separator (U+001E)")
            case .unterminatedString: expecting("'\"'")
            case .unterminatedLiteral: expecting("the rest of true, false or null")
            case .invalidNumber where fault.offset == text.count: expecting("a digit")
            case .invalidNumber: .invalidNumber
            case .trailingContent: .trailingContent
            case .topLevelScalar: .topLevelScalar
            case .invalidLiteral: .invalidLiteral
            case .invalidEscape: .invalidEscape
            case .loneSurrogate: .loneSurrogate
            case .controlCharacter: .controlCharacter
            case .invalidEncoding: .invalidEncoding(UnicodeEncoding.utf8.rawValue)
            case .duplicateName: .duplicateName(JSONStringToken(at: fault.offset, in: text).text(in: text))
            case .nestingTooDeep: .nestingTooDeep(max: min(limits.maxNestingDepth, Limits.hardMaxNestingDepth))
            case .numberTooLong: .numberTooLong(max: limits.maxNumberBytes)
            case .keyTooLong: .keyTooLong(max: limits.maxKeyBytes)
            case .tooManyMembers: .tooManyMembers(max: limits.maxObjectMembers)
            case .outOfMemory: .outOfMemory
            }
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
