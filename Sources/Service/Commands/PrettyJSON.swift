internal import Serialization

/// Writes JSON text for people: indented, with one member or element per line, and optionally coloured.
///
/// Names, strings and numbers are copied. Only control characters that JSON permits in strings (U+007F to U+009F) are
/// escaped, because a terminal could execute them.
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
        var offset = 0
        while offset < json.count {
            let byte = json[offset]
            switch byte {
            case UInt8(ascii: "\""):
                let end = Self.endOfString(json, offset)
                begin(expectsName ? .name : .string)
                writeString(json.extracting(offset..<end))
                endColor()
                expectsName = false
                offset = end
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                offset = open(byte, json, offset + 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = containers.popLast()
                startLine()
                output.append(byte)
                expectsName = false
                offset += 1
            case UInt8(ascii: ","):
                output.append(byte)
                startLine()
                expectsName = containers.last == UInt8(ascii: "{")
                offset += 1
            case UInt8(ascii: ":"):
                output += [byte, UInt8(ascii: " ")]
                offset += 1
            case let byte where Self.isWhiteSpace(byte):
                offset += 1
            default:
                let end = Self.endOfLiteral(json, offset)
                begin(byte.isLetter ? .literal : .number)
                output.append(contentsOf: json, offset..<end)
                endColor()
                offset = end
            }
        }
    }

    /// Writes an opening bracket, and the closing one if the container is empty.
    /// - Returns: the offset after the brackets that were read.
    private mutating func open(_ bracket: UInt8, _ json: Span<UInt8>, _ start: Int) -> Int {
        var offset = start
        while offset < json.count, Self.isWhiteSpace(json[offset]) { offset += 1 }
        output.append(bracket)
        // In ASCII, the codes of `{` and `}`, and those of `[` and `]`, differ by 2.
        if offset < json.count, json[offset] == bracket + 2 {
            output.append(json[offset])
            expectsName = false
            return offset + 1
        }
        containers.append(bracket)
        startLine()
        expectsName = bracket == UInt8(ascii: "{")
        return offset
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
            } else {
                output.append(byte)
            }
            offset += 1
        }
    }

    private static func endOfString(_ json: Span<UInt8>, _ start: Int) -> Int {
        var offset = start + 1
        while offset < json.count {
            if json[offset] == UInt8(ascii: "\"") { return offset + 1 }
            offset += json[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return json.count
    }

    private static func endOfLiteral(_ json: Span<UInt8>, _ start: Int) -> Int {
        var offset = start + 1
        while offset < json.count, !isWhiteSpace(json[offset]), !",:[]{}\"".utf8.contains(json[offset]) {
            offset += 1
        }
        return offset
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        " \t\r\n".utf8.contains(byte)
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

extension UInt8 {
    fileprivate var isLetter: Bool { isLowercaseLetter }
}

extension [UInt8] {
    fileprivate mutating func append(contentsOf bytes: Span<UInt8>, _ range: Range<Int>) {
        for index in range { append(bytes[index]) }
    }
}
