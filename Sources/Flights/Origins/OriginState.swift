internal import Fetching
internal import Platform
internal import Primitives

/// The flights of one origin that wait for a permit, and what is known about the origin.
final class OriginState: FlightTimer {
    let origin: FetchOrigin
    var breaker: CircuitBreaker
    var budget = RetryBudget()

    /// The number of active transfers.
    var active = 0

    /// The number of its flights that wait for a permit.
    var waiting = 0

    /// Whether it has responded lately, so that its transfers do not count as silent.
    var isResponsive = false

    /// The time of its last response; `nil` if there was none.
    var lastHead: MonotonicTime?

    /// Whether it waits until the silent transfers are fewer.
    var isParked = false

    /// No transfer begins before this time, because the origin asked for it (`Retry-After`).
    var pauseEnd = MonotonicTime(nanoseconds: 0)

    /// The callers whose transfers do not begin yet, because the origin asked them for it.
    var callerPauses = CallerPauses()

    /// Whether the origin is in the list of those that take turns, or parked.
    var hasTurn = false

    /// The content of its flights in memory, in bytes.
    var contentBytes = 0

    /// The flights that may begin in their turn.
    var queue = SparseList<Flight>()

    init(_ origin: FetchOrigin, breaker settings: CircuitBreaker.Settings) {
        self.origin = origin
        breaker = CircuitBreaker(settings: settings)
    }

    var isIdle: Bool { active == 0 && waiting == 0 && contentBytes == 0 }

    /// Whether no transfer may begin yet.
    func isPaused(at now: MonotonicTime) -> Bool { now < pauseEnd }

    /// The time until which the transfers of a flight do not begin, because the origin asked its caller for it.
    func holdEnd(of flight: Flight, at now: MonotonicTime) -> MonotonicTime? { callerPauses.end(of: flight, at: now) }

    /// The end of all pauses.
    var lastPauseEnd: MonotonicTime { max(pauseEnd, callerPauses.lastEnd) }
}

/// The callers that an origin has asked for no more requests (429). Callers differ by their partition and the fields of
/// the request, those of the service included: what is asked of the owner of one token is not asked of others.
struct CallerPauses {
    private var ends: [SIMD4<UInt64>: MonotonicTime] = [:]
    private(set) var lastEnd = MonotonicTime(nanoseconds: 0)

    /// The maximum number of callers. Further ones are not paused: only their retries wait.
    private static let maxCallers = 1_024

    /// The fields that do not distinguish callers, besides those that a redirect to another origin keeps: conditions,
    /// and what differs in each request.
    private static let neutralNames: Set<String> = [
        "baggage", "cache-control", "content-type", "if-match", "if-modified-since", "if-none-match",
        "if-unmodified-since", "pragma", "referer", "traceparent", "tracestate", "x-correlation-id", "x-request-id",
    ]

    mutating func pause(_ flight: Flight, until end: MonotonicTime, at now: MonotonicTime) {
        if ends.count >= Self.maxCallers { ends = ends.filter { $0.value > now } }
        let key = Self.key(of: flight)
        guard ends.count < Self.maxCallers || ends[key] != nil else { return }
        ends[key] = max(ends[key] ?? end, end)
        lastEnd = max(lastEnd, end)
    }

    func end(of flight: Flight, at now: MonotonicTime) -> MonotonicTime? {
        guard lastEnd > now, let end = ends[Self.key(of: flight)], end > now else { return nil }
        return end
    }

    private static func key(of flight: Flight) -> SIMD4<UInt64> {
        var parts = KeyParts(capacity: 256)
        parts.add(flight.callerRequest.partition)
        var fields: [(name: String, value: String)] = []
        for field in flight.route.hop.request.fields + flight.credentials {
            let name = field.name.asciiLowercased
            if neutralNames.contains(name) || RedirectRules.isKeptAcrossOrigins(name) { continue }
            fields.append((name, field.value))
        }
        for field in fields.sorted(by: { ($0.name, $0.value) < ($1.name, $1.value) }) {
            parts.add(field.name)
            parts.add(field.value)
        }
        return SIMD4(sha256Of: parts.bytes.span)
    }
}
