internal import Platform

/// The metrics of the requests of one loop.
final class RequestMetrics: Sendable {
    private let counts = Monitor(RequestCounts())

    /// Counts a request. Called by the loop once per request.
    ///
    /// The lock is contended only while the counts are read, which takes a few microseconds.
    func record(_ record: borrowing RequestRecord) {
        let observation = Observation(record)
        counts.withLock { $0.add(observation) }
    }

    /// Adds the counts to `total`. Callable from any thread.
    func add(to total: inout RequestCounts) { counts.withLock { total.merge($0) } }
}
