/// The form of a log line.
enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object per line, for programs.
    case json
    /// One readable line, for people.
    case text
}

/// The value of `--access-log`.
enum AccessLogMode: String, CaseIterable, Sendable {
    /// No line per request is written. All other lines are.
    case off
    case json
    case text
}

extension LogFormat {
    /// The form of all log lines.
    /// - Parameters:
    ///   - mode: `nil` if the setting is not given.
    ///   - isTerminal: whether the log is written to a terminal. It decides if `mode` does not.
    init(_ mode: AccessLogMode?, isTerminal: Bool) {
        switch mode {
        case .json: self = .json
        case .text: self = .text
        case .off, nil: self = isTerminal ? .text : .json
        }
    }
}
