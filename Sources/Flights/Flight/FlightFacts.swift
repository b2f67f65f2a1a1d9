package import Fetching

/// What is known about a flight when a request leaves it.
package struct FlightFacts: Equatable, Sendable {
    /// The URL of the last attempt.
    package var url: String
    /// The number of transfers that were started.
    package var attempts = 0
    /// The phase in which the last attempt ended.
    package var phase: FetchPhase?
    /// The status of the origin's response.
    package var status: Int?
    /// The durations of the last attempt.
    package var timings = FetchTimings()
    /// The time in queues and between attempts, in nanoseconds.
    package var queueNanoseconds: UInt64 = 0
    /// Whether the response was decoded in this flight, and not found in the cache.
    package var isDecoded = false
    /// Whether the request has joined a flight of another one.
    package var isCollapsed = false
    /// The report of the cache; `nil` without a cache.
    package var cache: CacheReport?

    package init(url: String = "") { self.url = url }

    /// The durations of the phases that took place: the time in queues, and the phases of the last attempt that has
    /// ended.
    package var durations: [PhaseDuration] {
        let queue = queueNanoseconds > 0 ? queueNanoseconds / 1_000 : nil
        let phases = zip(["queue", "resolve", "connect", "tls", "ttfb", "transfer"], [queue] + timings.all)
        return phases.compactMap { phase, microseconds in
            microseconds.map { PhaseDuration(phase: phase, microseconds: $0) }
        }
    }
}

/// The duration of a phase of a fetch.
package struct PhaseDuration: Equatable, Sendable {
    package let phase: String
    package let microseconds: UInt64

    package init(phase: String, microseconds: UInt64) {
        self.phase = phase
        self.microseconds = microseconds
    }

    /// The duration in milliseconds with three digits: `1.250`.
    package var milliseconds: String { "\(microseconds / 1_000)." + "\(1_000 + microseconds % 1_000)".dropFirst() }
}
