internal import Platform

/// Receives the records of requests: writes the access log, and maintains the counts that ``MetricsEndpoint`` reads.
///
/// It is created before the server and the application, and both receive it:
///
///     HTTPServer ─┬─ each loop: makeLoopLog().append(…) ──────► LogQueue
///                 ├─ each loop: makeLoopMetrics().record(…) ──► Telemetry ◄── requestCounts, serverFigures ── MetricsEndpoint
///                 └─ observeServer { figures } ───────────────►
final class Telemetry: Sendable {
    /// The destination of the access log; `nil` if there is none.
    private let accessLog: (queue: LogQueue, format: LogFormat)?
    private let loops = Monitor<[RequestMetrics]>([])
    private let server = Monitor<(@Sendable () -> ServerFigures)?>(nil)

    /// - Parameter accessLog: the queue and the form of the access log; `nil` if there is none.
    init(accessLog: (queue: LogQueue, format: LogFormat)? = nil) {
        self.accessLog = accessLog
    }

    /// Creates the access log of one loop; `nil` if there is none.
    func makeLoopLog() -> LoopLog? {
        guard let accessLog else { return nil }
        return LoopLog(AccessLog(format: accessLog.format), queue: accessLog.queue)
    }

    /// Creates the counts of one loop. They remain part of ``requestCounts`` after the loop has ended, because a counter must not decrease.
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

    /// Replaces the function that provides ``serverFigures``, which may be called on any thread. `nil` if the server has stopped.
    ///
    /// The function may refer to parts of the server that refer to this object. A server that stops breaks this cycle.
    func observeServer(_ figures: (@Sendable () -> ServerFigures)?) {
        server.withLock { $0 = figures }
    }

    /// The figures of the server; `nil` if no server runs.
    var serverFigures: ServerFigures? {
        // Called without the lock, because the function may acquire other locks.
        server.withLock(\.self)?()
    }
}

/// The figures of an ``HTTPServer`` that the records of requests do not contain.
struct ServerFigures: Equatable, Sendable {
    /// The number of requests whose head is complete and whose response has not been sent.
    var requestsInFlight = 0

    /// The number of connections, including closed ones whose clients may still be sending.
    var openConnections = 0

    /// The number of connections that were accepted, including rejected ones.
    var acceptedConnections = 0

    /// The number of connections that were rejected because their address had reached its maximum.
    var rejectedConnections = 0

    /// The number of idle connections that were closed in favor of new ones.
    var evictedConnections = 0

    /// The number of times that accepting connections failed and was interrupted.
    var acceptFailures = 0

    /// The memory of request contents and of responses that are being sent, in bytes.
    var contentBytes = 0

    /// The maximum of `contentBytes`, inclusive. Content that exceeds it is rejected.
    var maxContentBytes = 0
}
