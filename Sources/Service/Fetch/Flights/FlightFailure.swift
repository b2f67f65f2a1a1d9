internal import Fetching

/// The reason why a request for an upstream response has no result.
enum FlightFailure: Error, Equatable, Sendable {
    /// - Parameter hostIsNamed: whether an entry of `fetch-allow` other than `*` matches, so that the reason is no secret.
    case attempt(FetchFailure, in: FetchPhase, hostIsNamed: Bool)
    case redirect(RedirectRejection)
    /// The request's own time has passed.
    case timedOut
    case cancelled
    /// A later request in the same slot has taken its place.
    case superseded
    /// `fetch-max-queued` requests wait.
    case queueFull
    /// The request has waited for a permit for `fetch-queue-seconds`.
    case queueTimeout(pauseSeconds: Int)
    /// All memory for requests is in use.
    case memory
    /// The contents of the active requests use the memory of the fetcher.
    case requestContent
    /// Too many requests wait under the same receipt or in the same slot.
    case nameFull
    /// The responses of the origin use their share of the memory.
    case originMemory
    case circuitOpen(retryAfterSeconds: Int)
    /// No process that fetches is running.
    case unavailable
    /// The content exceeds `max-content-bytes` of the request.
    case contentTooLong(max: Int)
    case onlyIfCached
    case draining
}

/// What is known about a flight when a request leaves it.
struct FlightFacts: Equatable, Sendable {
    /// The URL of the last attempt.
    var url = ""
    /// The number of transfers that were started.
    var attempts = 0
    /// The phase in which the last attempt ended.
    var phase: FetchPhase?
    /// The status of the origin's response.
    var status: Int?
    /// The durations of the last attempt.
    var timings = FetchTimings()
    /// The time in queues and between attempts, in nanoseconds.
    var queueNanoseconds: UInt64 = 0
    /// Whether the request has joined a flight of another one.
    var isCollapsed = false
    /// The report of the cache; `nil` without a cache.
    var cache: CacheReport?

    /// The durations of the phases that took place: the time in queues, and the phases of the last attempt that has ended.
    var durations: [PhaseDuration] {
        [
            ("queue", queueNanoseconds > 0 ? queueNanoseconds / 1_000 : nil), ("resolve", timings.resolve),
            ("connect", timings.connect), ("tls", timings.tls), ("ttfb", timings.firstByte),
            ("transfer", timings.transfer),
        ].compactMap { phase, microseconds in microseconds.map { PhaseDuration(phase: phase, microseconds: $0) } }
    }
}

/// The duration of a phase of a fetch.
struct PhaseDuration: Equatable, Sendable {
    let phase: String
    let microseconds: UInt64

    /// The duration in milliseconds with three digits: `1.250`.
    var milliseconds: String {
        "\(microseconds / 1_000)." + "\(1_000 + microseconds % 1_000)".dropFirst()
    }
}
