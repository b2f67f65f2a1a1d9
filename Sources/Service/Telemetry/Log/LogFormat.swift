/// The format of a log line.
enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object per line, for programs.
    case json
    /// One readable line, for people.
    case text
}

/// The value of `--access-log`.
enum AccessLogMode: String, CaseIterable, Sendable {
    /// No access log is written. Other lines are still written.
    case off
    case json
    case text
}

extension LogFormat {
    /// The format of all log lines.
    /// - Parameters:
    ///   - mode: the value of the setting; `nil` if it is not set.
    ///   - isTerminal: whether the log is written to a terminal, which determines the default.
    init(_ mode: AccessLogMode?, isTerminal: Bool) {
        switch mode {
        case .json: self = .json
        case .text: self = .text
        case .off, nil: self = isTerminal ? .text : .json
        }
    }
}
