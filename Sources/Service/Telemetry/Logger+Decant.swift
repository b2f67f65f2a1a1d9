internal import Glibc
internal import Logging
internal import Platform

extension Logger {
    /// Returns the log of the service: one line per event, which is written through `queue`.
    static func service(level: Logger.Level, format: LogFormat, queue: LogQueue) -> Logger {
        var log = Logger(label: "decant") { _ in LineLogHandler(format: format, queue: queue) }
        log.logLevel = level
        return log
    }

    /// Returns the log of a short-lived command: one line per event on standard error, which is written by the thread
    /// that logs.
    static func command(level: Logger.Level) -> Logger {
        var log = Logger(label: "decant") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = level
        return log
    }
}

extension LogQueue {
    /// Creates a queue for standard error, which containers and systemd collect.
    static func standardError(format: LogFormat) throws(SystemError) -> LogQueue {
        try LogQueue(writingTo: STDERR_FILENO) { count in
            LogLine(
                time: WallClock.now,
                level: .warning,
                message: "log lines were dropped: standard error was blocked or failed",
                metadata: ["lines": .stringConvertible(count)]
            ).bytes(format)
        }
    }
}
