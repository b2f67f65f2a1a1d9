// From the kernel's fault, which is a kind and an offset, to the error that a person can read. Only here is the text
// looked at a second time.

extension JSONError {
    /// - Parameters:
    ///   - fault: what the kernel refused in `source`.
    ///   - limits: those that the kernel ran under.
    init(_ fault: JSONFault, in source: JSONSource, limits: Limits) {
        let location = JSONLocator(source: source, limits: limits).locate([fault.offset])[0]
        let excerpt = JSONExcerpt(source: source)
        self.init(
            Self.reason(fault, in: source, limits: limits),
            at: location,
            found: excerpt.found(at: fault.offset),
            excerpt: excerpt.around(fault.offset)
        )
    }

    private static func reason(_ fault: JSONFault, in source: JSONSource, limits: Limits) -> Reason {
        let expected: [String]
        switch fault.kind {
        case .expectedValue:
            expected = follows(UInt8(ascii: "["), fault.offset, in: source) ? ["a value", "']'"] : ["a value"]
        case .expectedName:
            expected = follows(UInt8(ascii: "{"), fault.offset, in: source) ? ["a name", "'}'"] : ["a name"]
        case .expectedColon: expected = ["':'"]
        case .expectedCommaOrEndOfObject: expected = ["','", "'}'"]
        case .expectedCommaOrEndOfArray: expected = ["','", "']'"]
        case .unterminatedString: expected = ["'\"'"]
        case .trailingContent: return .trailingContent
        case .topLevelScalar: return .topLevelScalar
        case .invalidNumber:
            guard fault.offset == source.count else { return .invalidNumber }
            expected = ["a digit"]
        case .invalidLiteral: return .invalidLiteral
        case .invalidEscape: return .invalidEscape
        case .loneSurrogate: return .loneSurrogate
        case .controlCharacter: return .controlCharacter
        case .invalidEncoding: return .invalidEncoding(UnicodeEncoding.utf8.rawValue)
        case .duplicateName: return .duplicateName(name(at: fault.offset, in: source))
        case .nestingTooDeep: return .nestingTooDeep(max: min(limits.maxNestingDepth, Limits.hardMaxNestingDepth))
        case .numberTooLong: return .numberTooLong(max: limits.maxNumberBytes)
        case .keyTooLong: return .keyTooLong(max: limits.maxKeyBytes)
        case .tooManyMembers: return .tooManyMembers(max: limits.maxObjectMembers)
        }
        return fault.offset >= source.count
            ? .unexpectedEnd(expected: expected) : .unexpectedCharacter(expected: expected)
    }

    /// Whether the last byte before `offset` that is not white space is `byte`.
    private static func follows(_ byte: UInt8, _ offset: Int, in source: JSONSource) -> Bool {
        var index = min(offset, source.count) - 1
        while index >= 0, source[index].isJSONWhiteSpace { index -= 1 }
        return index >= 0 && source[index] == byte
    }

    /// The name whose opening quote is at `offset`, as it reads.
    static func name(at offset: Int, in source: JSONSource) -> String {
        let name = source.rangeOfName(at: offset + 1).range
        return source.withBytes(name) { String(decoding: JSONString.unescape($0), as: UTF8.self) }
    }
}

/// Small pieces of the content, fit to be shown: valid UTF-8, controls and broken bytes escaped.
struct JSONExcerpt {
    let source: JSONSource

    static let maxBytes = 64

    /// The character at `offset`, quoted, or `end of content`.
    func found(at offset: Int) -> String {
        guard offset < source.count else { return "end of content" }
        let text = printable(from: offset, maxBytes: 4, maxCharacters: 1)
        return "'\(text)'"
    }

    /// The text around `offset`: half before it, half from it on.
    func around(_ offset: Int) -> String {
        var start = max(0, min(offset, source.count) - Self.maxBytes / 2)
        while start > 0, start < source.count, source[start] & 0xC0 == 0x80, offset - start < Self.maxBytes {
            start -= 1
        }
        return printable(from: start, maxBytes: Self.maxBytes, maxCharacters: Self.maxBytes)
    }

    private func printable(from start: Int, maxBytes: Int, maxCharacters: Int) -> String {
        var text = ""
        var characters = 0
        var index = start
        while index < source.count, characters < maxCharacters {
            let window = index..<min(index + 4, source.count)
            let scalar = source.withBytes(window) { bytes in Self.firstScalar(bytes) }
            let piece: String
            let width: Int
            if let scalar, scalar.properties.generalCategory != .control, scalar.properties.generalCategory != .format {
                piece = String(Character(scalar))
                width = UTF8.width(scalar)
            } else if let scalar {
                piece = "\\u{" + String(scalar.value, radix: 16) + "}"
                width = UTF8.width(scalar)
            } else {
                piece = "\\x" + (source[index] < 16 ? "0" : "") + String(source[index], radix: 16)
                width = 1
            }
            guard text.utf8.count + piece.utf8.count <= max(maxBytes, characters == 0 ? piece.utf8.count : 0) else {
                break
            }
            text += piece
            characters += 1
            index += width
        }
        return text
    }

    private static func firstScalar(_ bytes: Span<UInt8>) -> Unicode.Scalar? {
        // The span is lent for the call and the decoder reads no further.
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var decoder = UTF8()
            var iterator = unsafe bytes.makeIterator()
            guard case .scalarValue(let scalar) = unsafe decoder.decode(&iterator) else { return nil }
            return scalar
        }
    }
}
