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

    /// Whether a stale response may replace the failure (RFC 5861 §4: what would otherwise result in 502, 503 or 504).
    var permitsStored: Bool {
        switch self {
        case .attempt(let failure, _, _): failure.row.permitsStored
        case .circuitOpen, .unavailable, .timedOut, .queueFull, .queueTimeout, .requestContent, .nameFull: true
        case .redirect, .cancelled, .superseded, .memory, .originMemory, .contentTooLong, .onlyIfCached, .draining:
            false
        }
    }
}
