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
    package func utf8(in text: Span<UInt8>) -> [UInt8] {
        JSONString.unescape(text.extracting(range))
    }

    /// Returns the value of the string.
    package func text(in text: Span<UInt8>) -> String {
        String(decoding: utf8(in: text), as: UTF8.self)
    }
}

/// Traverses UTF-8 JSON that a `JSONReader` has validated, one value at a time, without copying it.
///
/// The grammar is not checked again. After the end, every byte reads as NUL, which occurs in no value: if the text were
/// invalid, the cursor would stop instead of trapping.
struct JSONCursor {
    /// The offset of the next byte.
    private(set) var position: Int

    init(at position: Int = 0) {
        self.position = position
    }

    /// Advances to the next value, name or bracket, and returns its first byte.
    mutating func peek(in text: Span<UInt8>) -> UInt8 {
        while true {
            switch byte(in: text) {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case let other: return other
            }
        }
    }

    /// Advances to the next value, and returns its type.
    mutating func kind(in text: Span<UInt8>) -> JSONKind {
        switch peek(in: text) {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// Enters an object or array.
    mutating func enter(in text: Span<UInt8>) {
        _ = peek(in: text)
        position += 1
    }

    /// Returns whether another element or member follows. Skips the comma before it, or the closing bracket.
    mutating func next(in text: Span<UInt8>) -> Bool {
        switch peek(in: text) {
        case UInt8(ascii: ","):
            position += 1
            _ = peek(in: text)
            return true
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            position += 1
            return false
        case 0:
            return false
        default:
            return true
        }
    }

    /// Reads the name of a member and the colon after it.
    mutating func name(in text: Span<UInt8>) -> JSONStringToken {
        let token = string(in: text)
        _ = peek(in: text)
        position += 1
        return token
    }

    /// Reads a string.
    mutating func string(in text: Span<UInt8>) -> JSONStringToken {
        _ = peek(in: text)
        position += 1
        let start = position
        var hasEscapes = false
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                position += 1
                return JSONStringToken(range: start..<position - 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position += 2
            default:
                position += 1
            }
        }
        position = text.count
        return JSONStringToken(range: start..<max(start, text.count), hasEscapes: hasEscapes)
    }

    /// Skips a value of any type, and returns its range.
    mutating func skip(in text: Span<UInt8>) -> Range<Int> {
        _ = peek(in: text)
        let start = position
        var depth = 0
        repeat {
            switch peek(in: text) {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                position += 1
            case UInt8(ascii: "\""):
                _ = string(in: text)
            case 0:
                return start..<position
            default:
                skipScalar(in: text)
            }
        } while depth > 0
        return start..<position
    }

    /// Skips a number, `true`, `false` or `null`, which ends before punctuation or white space.
    private mutating func skipScalar(in text: Span<UInt8>) {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x09, 0x0A, 0x0D: return
            default: position += 1
            }
        }
    }

    private func byte(in text: Span<UInt8>) -> UInt8 {
        position < text.count ? text[position] : 0
    }
}
