internal import Serialization

/// A problem as a terminal shows it, as compilers do: the error, the line of the content with a caret under the
/// position, and the hint as a command.
///
///     error[json.unexpected_character]: expected ',' or '}', found '"' at byte 82 (line 5, column 19)
///       --> order.json:5:19
///        |
///      5 |     {"sku": "B-7" "count": 1}
///        |                   ^ expected ',' or '}'
///     hint: …
///         decant normalize --lenient comments order.json
///
/// **Invariant.** Text of the content, of its head and of file names is escaped (``TerminalText``), and no line of the
/// content is longer than the terminal is wide, however long it is. `ProblemReportTests` check this.
struct ProblemReport {
    private let problem: ProblemFacts
    private let input: Input
    private let columns: Int
    private let isColored: Bool

    /// What was rejected.
    struct Input {
        /// The name of the file; `nil` for standard input.
        var name: String?
        /// The bytes in which locations count; empty if they are not known.
        var content: [UInt8] = []
        /// Whether the content is a part of the file, so that its lines are counted from its own beginning.
        var isPart = false
        /// The command that was used.
        var command: CommandText?
    }

    /// - Parameter columns: the width of the terminal.
    init(_ problem: ProblemFacts, of input: Input, columns: Int, isColored: Bool) {
        self.problem = problem
        self.input = input
        self.columns = min(max(columns, 40), 240)
        self.isColored = isColored
    }

    /// The lines, without a line feed at the end.
    var text: String {
        let title = styled("error[\(problem.code)]", .error) + ": " + TerminalText.escaped(problem.detail)
        return ([title] + location + causes + hint).joined(separator: "\n")
    }

    // MARK: Where

    private var location: [String] {
        let name = TerminalText.escaped(input.name ?? "standard input") + (input.isPart ? " (content)" : "")
        guard let link = problem.located, let byte = link.byte else {
            return input.name == nil ? [] : ["  --> \(name)"]
        }
        guard let line = link.line, let column = link.column else { return ["  --> \(name), byte \(byte)"] }
        let place = ["  --> \(name):\(line):\(column)"]
        let number = String(line)
        let margin = String(repeating: " ", count: number.count + 2)
        guard let (text, indentation) = excerpt(at: byte, of: link, columns: columns - margin.utf8.count - 2) else {
            return place + (link.excerpt.map { ["\(margin)| \(TerminalText.escaped($0))"] } ?? [])
        }
        let expected = link.expected.prefix(4).map(TerminalText.escaped).alternatives
        let label = expected.isEmpty ? "here" : "expected \(expected)"
        let caret = String(repeating: " ", count: indentation) + styled("^ \(label)", .error)
        return place + ["\(margin)|", " \(number) | \(text)", "\(margin)| \(caret)"]
    }

    /// Returns the part of the line around `byte` that fits into `columns`, and the column of `byte` in it; `nil` if
    /// the content is not what the location refers to, for example because it is compressed.
    private func excerpt(at byte: Int, of link: ProblemFacts.Link, columns: Int) -> (text: String, column: Int)? {
        let content = input.content
        guard !content.isEmpty, 0...content.count ~= byte, refers(link, to: byte) else { return nil }
        // A character has at most four bytes, and what is escaped is wider than long.
        let reach = columns * 4
        let isLineEnd: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D }
        var start =
            content[max(0, byte - reach)..<byte].lastIndex(where: isLineEnd).map { $0 + 1 } ?? max(0, byte - reach)
        let isCut = start > 0 && !isLineEnd(content[start - 1])
        // UTF-8 continuation bytes have the form 10xxxxxx.
        if isCut { while start < byte, content[start] & 0xC0 == 0x80 { start += 1 } }
        let rest = content[byte..<min(content.count, byte + reach)]
        let end = rest.firstIndex(where: isLineEnd) ?? rest.endIndex
        var before = TerminalText.cells(of: content[start..<byte])
        var after = TerminalText.cells(of: content[byte..<end])
        let isLong = after.columns + before.columns > columns || isCut
        if isLong {
            let most = columns * 2 / 3
            let whole = before.count
            while before.columns > most - 1 { before.removeFirst(max(1, (before.columns - most) / 12)) }
            if isCut || before.count < whole { before.insert(TerminalText.Cell(text: "…", columns: 1), at: 0) }
            var room = columns - before.columns - 1
            let fitting = after.prefix { cell in
                room -= cell.columns
                return room >= 0
            }
            if fitting.count < after.count || end < content.count && !isLineEnd(content[end]) {
                after = fitting + [TerminalText.Cell(text: "…", columns: 1)]
            }
        }
        return ((before + after).map(\.text).joined(), before.columns)
    }

    /// Whether the content has the line and the column of a location at `byte`, and the text that the error quotes.
    private func refers(_ link: ProblemFacts.Link, to byte: Int) -> Bool {
        let content = input.content
        let location = content.span.locate([byte])[0]
        guard location.line == link.line, location.column == link.column else { return false }
        let printable = content[byte...].prefix { 0x20..<0x7F ~= $0 }.prefix(8)
        return link.excerpt.map { $0.contains(String(decoding: printable, as: UTF8.self)) || printable.isEmpty } ?? true
    }

    // MARK: Why, and what helps

    private var causes: [String] {
        problem.links.dropFirst().filter { !problem.detail.contains($0.message) }.map {
            "  caused by: \(TerminalText.escaped($0.message)) [\($0.code)]"
        }
    }

    private var hint: [String] {
        guard let hint = problem.hint else { return [] }
        let lines = [styled("hint", .hint) + ": " + TerminalText.escaped(hint)]
        guard let command = input.command?.changed(by: problem.accepts) else { return lines }
        return lines + ["    " + command.text]
    }

    // MARK: Colours

    /// The colours: sequences of ECMA-48 §8.3.117 (SGR).
    private enum Style: String {
        case error = "31;1"
        case hint = "36;1"
    }

    private func styled(_ text: String, _ style: Style) -> String {
        isColored ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension [TerminalText.Cell] {
    fileprivate var columns: Int { reduce(0) { $0 + $1.columns } }
}
