internal import Logging

/// Appends the lines of a `Logger` to a ``LogQueue``, so that a blocked standard error does not block the thread that
/// logs.
struct LineLogHandler: LogHandler {
    let format: LogFormat
    let queue: LogQueue

    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(format: LogFormat, queue: LogQueue) {
        self.format = format
        self.queue = queue
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Logs an event. The metadata of the event take precedence over those of the provider, and these over those of the
    /// handler. The error of the event is added to the metadata as `error`.
    func log(event: LogEvent) {
        var metadata = metadata
        if let provided = metadataProvider?.get() { metadata.merge(provided) { $1 } }
        if let error = event.error { metadata["error"] = "\(error)" }
        if let own = event.metadata { metadata.merge(own) { $1 } }
        let line = LogLine(
            time: WallClock.now,
            level: event.level,
            message: event.message.description,
            metadata: metadata
        )
        queue.append(line.bytes(format).span, count: 1)
    }
}
