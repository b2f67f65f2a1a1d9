internal import Logging

extension Logger {
    /// The service's log: one line an event on standard error, which containers and systemd collect.
    static func decant(level: Logger.Level) -> Logger {
        var log = Logger(label: "decant") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = level
        return log
    }
}
