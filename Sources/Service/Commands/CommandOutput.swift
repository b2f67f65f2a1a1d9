internal import HTTP
internal import Platform
internal import Serialization

/// The flags for the format of the output.
enum OutputFlags: FlagTable {
    static let flags = [
        FlagDefinition(
            name: "pretty",
            valueName: "value",
            help:
                "Whether JSON is indented. On a terminal it is also coloured, unless NO_COLOR is set, and a problem is "
                + "a report unless this flag is given. [true, false] (default: true on a terminal)",
            completions: ["true", "false"]
        )
    ]
}

/// The standard streams of a command: results go to standard output, problems and warnings to standard error.
struct CommandOutput {
    private let outputStyle: JSONStyle
    private let errorStyle: JSONStyle
    /// The width of the terminal on which problems are reports; `nil` if they are JSON.
    private let reportColumns: Int?

    /// Creates the output that the flags specify.
    /// - Parameter flags: the values of ``OutputFlags``.
    /// - Throws: ``CommandFailure`` for wrong usage.
    init(flags: [String: String]) throws(CommandFailure) {
        var isPretty: Bool?
        if let text = flags["pretty"] {
            guard let value = Bool(text) else {
                throw CommandFailure(usage: "--pretty is '\(text)'; it must be true or false.")
            }
            isPretty = value
        }
        let environment = Environment.variables()
        let isOutputTerminal = FileDescriptor.isStandardOutputTerminal
        let isErrorTerminal = FileDescriptor.isStandardErrorTerminal
        outputStyle = JSONStyle(isPretty: isPretty, isTerminal: isOutputTerminal, environment: environment)
        errorStyle = JSONStyle(isPretty: isPretty, isTerminal: isErrorTerminal, environment: environment)
        let columns = environment["COLUMNS"]?.decimal() ?? Self.usualColumns
        reportColumns = isErrorTerminal && isPretty == nil ? columns : nil
    }

    /// Writes the content of a response and a line feed: a problem to standard error, anything else to standard output.
    ///
    /// - Parameters:
    ///   - name: a name that precedes the output on standard error; `nil` if there is only one response.
    ///   - input: what a problem is about, for its report.
    func write(
        _ response: borrowing Response,
        of name: String? = nil,
        input: ProblemReport.Input
    ) throws(CommandFailure) {
        if response.isProblem {
            if let reportColumns { return try writeReport(response, of: input, columns: reportColumns) }
            if let name { try writeError("\(TerminalText.escaped(name)):") }
            try write(response, errorStyle) { () throws(SystemError) in try .standardError() }
        } else {
            try write(response, outputStyle) { () throws(SystemError) in try .standardOutput() }
            try writeWarnings(response, of: name)
        }
    }

    private func writeReport(
        _ response: borrowing Response,
        of input: ProblemReport.Input,
        columns: Int
    ) throws(CommandFailure) {
        var report = ""
        do throws(SystemError) {
            try response.withContent { content in
                let facts = ProblemFacts(content)
                report = ProblemReport(facts, of: input, columns: columns, isColored: errorStyle.isColored).text
            }
        } catch { throw CommandFailure(error.description) }
        try writeError(report)
    }

    /// The width of a terminal that the environment does not specify.
    private static let usualColumns = 80

    /// Writes the codes of the warnings that are not in the content to standard error.
    func writeWarnings(_ response: borrowing Response, of name: String? = nil) throws(CommandFailure) {
        guard let codes = response.field("Decant-Warnings") else { return }
        try writeError("\(name.map { "\(TerminalText.escaped($0)): " } ?? "")Warnings: \(codes)")
    }

    /// Writes a line to standard error.
    func writeError(_ line: String) throws(CommandFailure) {
        do {
            try FileDescriptor.standardError().writeLine(line)
        } catch { throw CommandFailure(usage: error.description) }
    }

    private func write(
        _ response: borrowing Response,
        _ style: JSONStyle,
        to open: () throws(SystemError) -> FileDescriptor
    ) throws(CommandFailure) {
        do throws(SystemError) {
            let stream = try open()
            try response.withContent { content throws(SystemError) in
                if style.isPretty {
                    try stream.writeAll(PrettyJSON.rendering(content, isColored: style.isColored).span)
                } else {
                    try stream.writeAll(content)
                }
            }
            try stream.writeLine("")
        } catch { throw CommandFailure(usage: error.description) }
    }
}

/// The format of JSON on a stream.
struct JSONStyle: Equatable, Sendable {
    /// Whether each member and each element is on a separate line.
    var isPretty: Bool
    var isColored: Bool

    /// - Parameters:
    ///   - isPretty: the choice of the user; `nil` if there is none.
    ///   - isTerminal: whether the stream is a terminal.
    ///   - environment: the variables of the process: `NO_COLOR` (https://no-color.org) and `TERM`.
    init(isPretty: Bool?, isTerminal: Bool, environment: [String: String]) {
        self.isPretty = isPretty ?? isTerminal
        let allowsColor = environment["NO_COLOR"]?.isEmpty ?? true
        isColored = self.isPretty && isTerminal && allowsColor && environment["TERM"] != "dumb"
    }
}

extension Response {
    /// Calls `body` with the content, which is valid for the duration of the call. The content of a command's response
    /// is always one buffer.
    borrowing func withContent(_ body: (Span<UInt8>) throws(SystemError) -> Void) throws(SystemError) {
        switch content {
        case .buffer(let buffer): try buffer.withBytes(body)
        case .shared: break
        }
    }
}
