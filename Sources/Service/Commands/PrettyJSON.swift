internal import Serialization

/// Writes JSON text for people: indented, with one member or element per line, and optionally coloured.
///
/// Names, strings and numbers are copied. Only control characters that JSON permits in strings (U+007F to U+009F), and
/// characters that hide or reorder text, such as those of bidirectional text, are escaped, because a terminal could
/// execute them, or show something else than there is.
struct PrettyJSON {
    private let isColored: Bool
    private var output: [UInt8] = []

    /// The opening brackets of the containers that are open.
    private var containers: [UInt8] = []

    /// Whether the next string is the name of a member.
    private var expectsName = false

    private init(isColored: Bool) {
        self.isColored = isColored
    }

    /// - Parameter json: valid JSON. The output for other text is unspecified, but it does not trap.
    static func rendering(_ json: Span<UInt8>, isColored: Bool) -> [UInt8] {
        var printer = PrettyJSON(isColored: isColored)
        printer.output.reserveCapacity(json.count + json.count / 2)
        printer.write(json)
        return printer.output
    }

    private mutating func write(_ json: Span<UInt8>) {
        var cursor = JSONCursor()
        while let token = cursor.token(in: json) {
            switch token {
            case .string(let string):
                begin(expectsName ? .name : .string)
                writeString(json.extracting(string.range.lowerBound - 1..<cursor.offset))
                endColor()
                expectsName = false
            case .opening(let bracket):
                output.append(bracket)
                // In ASCII, the codes of `{` and `}`, and those of `[` and `]`, differ by 2.
                if cursor.peek(in: json) == bracket + 2 {
                    cursor.offset += 1
                    output.append(bracket + 2)
                    expectsName = false
                } else {
                    containers.append(bracket)
                    startLine()
                    expectsName = bracket == UInt8(ascii: "{")
                }
            case .closing(let bracket):
                _ = containers.popLast()
                startLine()
                output.append(bracket)
                expectsName = false
            case .punctuation(UInt8(ascii: ",")):
                output.append(UInt8(ascii: ","))
                startLine()
                expectsName = containers.last == UInt8(ascii: "{")
            case .punctuation(let byte):
                output += [byte, UInt8(ascii: " ")]
            case .scalar(let range):
                begin(json[range.lowerBound].isLowercaseLetter ? .literal : .number)
                output.append(json, range)
                endColor()
            }
        }
    }

    private mutating func startLine() {
        output.append(UInt8(ascii: "\n"))
        for _ in containers { output += [UInt8(ascii: " "), UInt8(ascii: " ")] }
    }

    /// - Parameter string: the string with its quotes.
    private mutating func writeString(_ string: Span<UInt8>) {
        var offset = 0
        while offset < string.count {
            let byte = string[offset]
            if byte == 0x7F {
                output += "\\u007f".utf8
            } else if byte == 0xC2, offset + 1 < string.count, 0x80...0x9F ~= string[offset + 1] {
                // The control characters U+0080 to U+009F (C1) are encoded as C2 80 to C2 9F in UTF-8.
                offset += 1
                output += "\\u00\(Hexadecimal.text(of: [string[offset]]))".utf8
            } else if let scalar = string.formatCharacter(at: offset) {
                offset += UTF8.width(scalar) - 1
                output += "\\u".utf8
                output += Hexadecimal.text(of: [UInt8(scalar.value >> 8), UInt8(scalar.value & 0xFF)]).utf8
            } else {
                output.append(byte)
            }
            offset += 1
        }
    }

    // MARK: Colours

    /// The colours: sequences of ECMA-48 §8.3.117 (SGR).
    private enum Color: String {
        case name = "34;1"
        case string = "32"
        case number = "33"
        case literal = "35"
    }

    private mutating func begin(_ color: Color) {
        if isColored { output += "\u{1B}[\(color.rawValue)m".utf8 }
    }

    private mutating func endColor() {
        if isColored { output += "\u{1B}[0m".utf8 }
    }
}

extension Span<UInt8> {
    /// Returns the character at `offset` if it hides or reorders the text around it: U+061C, U+200B to U+200F, U+2028
    /// to U+202E, U+2060 to U+206F or U+FEFF.
    fileprivate func formatCharacter(at offset: Int) -> Unicode.Scalar? {
        let first = self[offset]
        guard first == 0xD8 || first == 0xE2 || first == 0xEF, offset + 1 < count else { return nil }
        let second = UInt32(self[offset + 1] & 0x3F)
        if first == 0xD8 { return self[offset + 1] == 0x9C ? "\u{61C}" : nil }
        guard offset + 2 < count else { return nil }
        let value = UInt32(first & 0x0F) << 12 | second << 6 | UInt32(self[offset + 2] & 0x3F)
        switch value {
        case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: return Unicode.Scalar(value)
        default: return nil
        }
    }
}
