/// The type of a value, which is determined by its first byte.
package enum JSONKind: String, Sendable {
    case object = "an object"
    case array = "an array"
    case string = "a string"
    case number = "a number"
    case boolean = "true or false"
    case null = "null"
}

/// A string in JSON text.
package struct JSONStringToken: Equatable, Sendable {
    /// The range without the quotes.
    package var range: Range<Int>
    package var hasEscapes: Bool

    /// Returns the value of the string in UTF-8.
    package func utf8(in text: Span<UInt8>) -> [UInt8] { text.slice(range) { JSONString.unescape($0) } ?? [] }

    /// Returns the value of the string.
    package func text(in text: Span<UInt8>) -> String { hasEscapes ? utf8(in: text).span.text : text.text(range) }

    /// Returns whether the closing quote is in the text.
    func isTerminated(in text: Span<UInt8>) -> Bool { range.upperBound < text.count }
}

extension JSONStringToken {
    /// Reads the string whose opening quote is at `offset`.
    init(at offset: Int, in text: Span<UInt8>) {
        var cursor = JSONCursor(at: offset)
        self = cursor.string(in: text)
    }
}

/// Moves forward over UTF-8 JSON, one token or one value at a time, without copying it.
///
/// The kernel checks the grammar, the cursor does not. It also accepts text that has not been checked or is incomplete:
/// every byte after the end reads as NUL, and a byte that begins no token is a token of its own, so the cursor always
/// advances or stops at the end. Several values may follow each other, with or without separators.
///
/// **Invariant**: ``offset`` is not beyond the end of the text, and neither is the range of a token or value.
/// `JSONDocumentOracle` and `EnvelopeGrammarTests` read text that ends anywhere.
package struct JSONCursor {
    package enum Token {
        /// The opening bracket of an object or array.
        case opening(UInt8)
        case closing(UInt8)
        /// A comma, a colon, or a record separator (RFC 7464).
        case punctuation(UInt8)
        case string(JSONStringToken)
        /// A number, `true`, `false` or `null`.
        case scalar(Range<Int>)
    }

    /// The offset of the next byte.
    package var offset: Int

    /// - Parameter offset: An offset that is not beyond the end of the text.
    package init(at offset: Int = 0) { self.offset = offset }

    // MARK: Tokens

    /// Advances to the next token, and returns its first byte; NUL at the end of the text.
    package mutating func peek(in text: Span<UInt8>) -> UInt8 {
        while offset < text.count {
            let byte = text[offset]
            guard byte.isJSONWhiteSpace else { return byte }
            offset += 1
        }
        return 0
    }

    /// Reads the next token. Returns `nil` at the end of the text.
    package mutating func token(in text: Span<UInt8>) -> Token? {
        let first = peek(in: text)
        guard offset < text.count else { return nil }
        switch first {
        case UInt8(ascii: "\""): return .string(string(in: text))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            offset += 1
            return .opening(first)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            offset += 1
            return .closing(first)
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x1E:
            offset += 1
            return .punctuation(first)
        default: return .scalar(scalar(in: text))
        }
    }

    /// Reads a string, which ends with the quote that it begins with.
    mutating func string(in text: Span<UInt8>) -> JSONStringToken {
        let quote = peek(in: text)
        skipByte(in: text)
        let start = offset
        var hasEscapes = false
        while true {
            offset = text.offset(of: quote, or: UInt8(ascii: "\\"), from: offset)
            guard offset < text.count else { break }
            if text[offset] == quote {
                offset += 1
                return JSONStringToken(range: start..<offset - 1, hasEscapes: hasEscapes)
            }
            hasEscapes = true
            offset += 2
        }
        offset = text.count
        return JSONStringToken(range: start..<text.count, hasEscapes: hasEscapes)
    }

    /// Reads a number or literal, after which another value may follow directly.
    private mutating func scalar(in text: Span<UInt8>) -> Range<Int> {
        let start = offset
        switch text[start] {
        case UInt8(ascii: "t"), UInt8(ascii: "n"): offset = min(start + 4, text.count)
        case UInt8(ascii: "f"): offset = min(start + 5, text.count)
        default:
            repeat {
                offset += 1
            } while offset < text.count && text[offset].continuesNumber(after: text[offset - 1])
        }
        return start..<offset
    }

    /// Reads tokens up to the next number, and returns its range; `nil` if none follows.
    mutating func nextNumber(in text: Span<UInt8>) -> Range<Int>? {
        while let token = token(in: text) {
            if case .scalar(let range) = token, !text[range.lowerBound].isLowercaseLetter { return range }
        }
        return nil
    }

    // MARK: Values of checked text

    /// Advances to the next value, and returns its type.
    package mutating func kind(in text: Span<UInt8>) -> JSONKind {
        switch peek(in: text) {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// Skips one byte: enters an object or array, or moves behind the colon after a name.
    package mutating func enter(in text: Span<UInt8>) {
        _ = peek(in: text)
        skipByte(in: text)
    }

    private mutating func skipByte(in text: Span<UInt8>) { offset = min(offset + 1, text.count) }

    /// Returns whether another element or member follows. Skips the comma before it, or the closing bracket.
    package mutating func next(in text: Span<UInt8>) -> Bool {
        switch peek(in: text) {
        case UInt8(ascii: ","):
            offset += 1
            _ = peek(in: text)
            return true
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            offset += 1
            return false
        case 0: return false
        default: return true
        }
    }

    /// Reads the name of a member and the colon after it.
    package mutating func name(in text: Span<UInt8>) -> JSONStringToken {
        let token = string(in: text)
        enter(in: text)
        return token
    }

    /// Skips a value of any type, and returns its range.
    package mutating func skip(in text: Span<UInt8>) -> Range<Int> {
        _ = peek(in: text)
        let start = offset
        var depth = 0
        repeat {
            switch token(in: text) {
            case .opening: depth += 1
            case .closing: depth -= 1
            case .punctuation, .string, .scalar: break
            case nil: return start..<offset
            }
        } while depth > 0
        return start..<offset
    }
}

extension UInt8 {
    /// Whether a number continues with the byte. A minus sign belongs to an exponent, or to the next number.
    fileprivate func continuesNumber(after previous: UInt8) -> Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        case UInt8(ascii: "-"): previous | 0x20 == UInt8(ascii: "e")
        default: false
        }
    }
}
