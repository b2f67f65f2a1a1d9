package import Fetching

/// The reason why a request for an upstream response has no result.
package enum FlightFailure: Error, Equatable, Sendable {
    /// - Parameter hostIsNamed: whether an entry of `fetch-allow` other than `*` matches, so that the reason is no
    ///   secret.
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

extension FlightFailure {
    /// What follows from a failure. Its words are those of the service, which knows the codes of problems.
    package struct Row: Sendable {
        /// The time after which the request may be repeated, in seconds; `nil` if repeating it is not the remedy.
        package var retryAfterSeconds: Int?

        /// The phase in which the request failed, as in the problem; `nil` if it has none.
        package var phase: StaticString?

        /// Whether the log contains it at `info`, because the origin or the process that fetches is the cause.
        package var isNotable = false

        /// Whether a stale response may replace the failure (RFC 5861 §4: what would otherwise result in 502, 503 or
        /// 504).
        package var permitsStored = false

        /// Whether it is also the result of other requests for the same, if it is kept.
        package var isShared = true
    }

    /// - Parameter facts: what is known about the flight of the request.
    package func row(_ facts: FlightFacts) -> Row {
        switch self {
        case .attempt(let failure, let phase, _):
            Row(phase: phase.name, isNotable: true, permitsStored: failure.row.permitsStored)
        case .redirect: Row(isNotable: true)
        case .timedOut: Row(phase: facts.attempts == 0 ? "queue" : facts.phase?.name, permitsStored: true)
        case .cancelled, .superseded, .contentTooLong: Row(isShared: false)
        case .queueFull, .requestContent, .nameFull: Row(inQueueFor: 1)
        case .queueTimeout(let pauseSeconds): Row(inQueueFor: pauseSeconds)
        case .memory, .originMemory: Row(retryAfterSeconds: 1)
        case .circuitOpen(let seconds): Row(inQueueFor: seconds, isNotable: true)
        case .unavailable: Row(inQueueFor: 1, isNotable: true)
        case .onlyIfCached: Row()
        case .draining: Row(retryAfterSeconds: 5, isShared: false)
        }
    }
}

extension FlightFailure.Row {
    /// A failure that has nothing to do with the resource: it can be requested again soon.
    init(inQueueFor seconds: Int, isNotable: Bool = false) {
        self.init(retryAfterSeconds: max(1, seconds), phase: "queue", isNotable: isNotable, permitsStored: true)
    }
}
