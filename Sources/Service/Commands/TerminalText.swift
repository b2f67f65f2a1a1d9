internal import Serialization

/// Text of an upstream or of a user, for a terminal: characters that a terminal executes, hides or reorders are
/// escaped.
enum TerminalText {
    /// A character as a terminal shows it.
    struct Cell: Equatable, Sendable {
        var text: String
        /// The number of columns that it takes.
        var columns: Int
    }

    /// Returns `text` with control characters, format characters such as those of bidirectional text, and line and
    /// paragraph separators as `\u{…}`.
    static func escaped(_ text: String) -> String { text.unicodeScalars.reduce(into: "") { $0 += cell(of: $1).text } }

    /// Returns UTF-8 as characters. Bytes that are not UTF-8 are `\x…`.
    static func cells(of bytes: some Sequence<UInt8>) -> [Cell] {
        let bytes = Array(bytes)
        var cells: [Cell] = []
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                offset += encoded.count
                cells.append(cell(of: Unicode.UTF8.decode(encoded)))
            case .error(let length):
                for byte in bytes[offset..<offset + length] {
                    cells.append(Cell(text: "\\x" + Hexadecimal.text(of: [byte]), columns: 4))
                }
                offset += length
            case .emptyInput: return cells
            }
        }
    }

    /// Returns whether a terminal may execute the character, show nothing for it, or reorder the text around it: a
    /// control character, a format character such as those of bidirectional text, a separator of lines or paragraphs,
    /// or one that has no meaning of its own.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func cell(of scalar: Unicode.Scalar) -> Cell {
        if scalar == "\t" { return Cell(text: " ", columns: 1) }
        if isHidden(scalar) {
            let text = "\\u{\(String(scalar.value, radix: 16))}"
            return Cell(text: text, columns: text.utf8.count)
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return Cell(text: String(scalar), columns: 0)
        default: return Cell(text: String(scalar), columns: wide.contains { $0.contains(scalar.value) } ? 2 : 1)
        }
    }

    /// The blocks whose characters take two columns (Unicode Standard Annex #11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
