internal import HTTP
internal import Platform

/// Receives the records of requests: writes the access log, and maintains the counts that ``MetricsEndpoint`` reads.
///
/// It is created before the server and the application, and both receive it:
///
///     HTTPServer ─┬─ each loop: LoopTelemetry ─┬─ LoopLog ─────────► LogQueue
///                 │                            └─ RequestMetrics ──► Telemetry ◄── MetricsEndpoint
///                 └─ observeServer { figures } ────────────────────►
final class Telemetry: ServerObserver {
    /// The destination of the access log; `nil` if there is none.
    private let accessLog: (queue: LogQueue, format: LogFormat)?
    private let loops = Monitor<[RequestMetrics]>([])
    private let server = Monitor<(@Sendable () -> ServerFigures)?>(nil)

    /// - Parameter accessLog: the queue and the format of the access log; `nil` if there is none.
    init(accessLog: (queue: LogQueue, format: LogFormat)? = nil) { self.accessLog = accessLog }

    func makeLoopObserver() -> any LoopObserver {
        let log = accessLog.map { LoopLog(AccessLog(format: $0.format), queue: $0.queue) }
        return LoopTelemetry(makeLoopMetrics(), log)
    }

    /// Creates the counts of one loop. They remain part of ``requestCounts`` after the loop has ended, because a
    /// counter must not decrease.
    func makeLoopMetrics() -> RequestMetrics {
        let metrics = RequestMetrics()
        loops.withLock { $0.append(metrics) }
        return metrics
    }

    /// The counts of all loops.
    var requestCounts: RequestCounts {
        var total = RequestCounts()
        for loop in loops.withLock(\.self) { loop.add(to: &total) }
        return total
    }

    func observeServer(_ figures: (@Sendable () -> ServerFigures)?) { server.withLock { $0 = figures } }

    /// The figures of the server; `nil` if no server runs.
    var serverFigures: ServerFigures? {
        // Called without the lock, because the function may acquire other locks.
        server.withLock(\.self)?()
    }
}

extension Telemetry {
    /// Receives the records of a server whose figures are not those of the service.
    struct RecordsOnly: ServerObserver {
        private let telemetry: Telemetry

        init(_ telemetry: Telemetry) { self.telemetry = telemetry }

        func makeLoopObserver() -> any LoopObserver { telemetry.makeLoopObserver() }

        func observeServer(_ figures: (@Sendable () -> ServerFigures)?) {}
    }
}

/// The access log and the metrics of one loop.
private final class LoopTelemetry: LoopObserver {
    private let metrics: RequestMetrics
    /// The access log; `nil` if there is none.
    private var log: LoopLog?

    init(_ metrics: RequestMetrics, _ log: consuming LoopLog?) {
        self.metrics = metrics
        self.log = log
    }

    func completed(_ record: borrowing ExchangeRecord) {
        let record = RequestRecord(record)
        metrics.record(record)
        log?.append(record)
    }

    func endIteration() { log?.endIteration() }
}
