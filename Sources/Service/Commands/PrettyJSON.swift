internal import Serialization

/// Writes JSON text for people: indented, with one member or element per line, and optionally coloured.
///
/// Names, strings and numbers are copied. Only characters that JSON permits in strings, and that a terminal could
/// execute, or instead of which it could show something else, are escaped (``TerminalText/isHidden(_:)``).
struct PrettyJSON {
    private let isColored: Bool
    private var output: [UInt8] = []

    /// The opening brackets of the containers that are open.
    private var containers: [UInt8] = []

    /// Whether the next string is the name of a member.
    private var expectsName = false

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
                writeString(json.text(string.range.lowerBound - 1..<cursor.offset))
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
            case .punctuation(let byte): output += [byte, UInt8(ascii: " ")]
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
    private mutating func writeString(_ string: String) {
        for scalar in string.unicodeScalars {
            if scalar.value >= 0x7F, TerminalText.isHidden(scalar) {
                for unit in scalar.utf16 {
                    output += "\\u\(Hexadecimal.text(of: [UInt8(unit >> 8), UInt8(unit & 0xFF)]))".utf8
                }
            } else {
                output += scalar.utf8
            }
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

    private mutating func begin(_ color: Color) { if isColored { output += "\u{1B}[\(color.rawValue)m".utf8 } }

    private mutating func endColor() { if isColored { output += "\u{1B}[0m".utf8 } }
}
