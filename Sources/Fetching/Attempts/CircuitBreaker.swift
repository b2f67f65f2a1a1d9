// Rejects requests to an origin that does not respond, so that they do not occupy permits until they time out. One
// breaker belongs to one origin.
//
//              half of at least 20 in 10 s failed,
//              or 5 in a row without a head
//     closed ────────────────────────────────────► open ◄───────────────────┐
//        ▲                                           │ 5 s, doubling to 60   │ the probe fails
//        │          the probe connects               ▼                       │
//        └─────────────────────────────────────── half-open ────────────────┘
//                                                 admits one probe
//
// Five in a row are enough, because an origin that never responds fails no more requests in 10 s than it may have
// active.
//
// Example: five connections in a row are refused. For 5 s each request is rejected with the remaining time as
// Retry-After. The next one is the probe; it is refused too, and the breaker is open for 10 s.
//
// Only facts about the origin count: connections and TLS handshakes that fail, and configured timeouts. What a caller
// can cause is `none`: its own deadline, its cancellation, its limits, names and addresses. A response counts as
// connected, whatever its status is. Outcomes of requests that were admitted before the breaker changed its state do
// not count, because they report about the past.

package struct CircuitBreaker: Equatable, Sendable {
    package struct Settings: Equatable, Sendable {
        /// The share of requests that fail, in percent, at which the breaker opens (`fetch-breaker-failures`). It is
        /// inclusive.
        package var failurePercent: Int

        /// The time for which the breaker is open at first, in seconds (`fetch-breaker-open-seconds`).
        package var openSeconds: Int

        /// The number of requests in ten seconds from which the share is considered, inclusive. It is no setting.
        package var minRequests = 20

        /// The number of failures before a head in a row at which the breaker opens. It is no setting.
        package var failuresInARow = 5

        package init(failurePercent: Int, openSeconds: Int) {
            self.failurePercent = failurePercent
            self.openSeconds = openSeconds
        }

        /// The longest time for which the breaker is open, in seconds.
        var maxOpenSeconds: Int { max(60, openSeconds) }
    }

    /// What a request reports about its origin.
    package enum Outcome: Equatable, Sendable {
        /// A connection was established. It does not matter what happened then, unless a configured timeout expired.
        case connected
        /// No connection was established, including TLS.
        case connectFailed
        /// A connection was established, but a configured timeout expired before the head of a response.
        case silent
        /// The head of a response was received, but a configured timeout expired.
        case timedOut
        /// The request reports nothing about the origin.
        case none
    }

    /// The permission for one request, whose outcome must be recorded.
    package struct Permission: Equatable, Sendable {
        fileprivate let generation: UInt64
    }

    package enum Admission: Equatable, Sendable {
        case admitted(Permission)
        /// - Parameter retryAfterSeconds: The time until a request can be admitted, rounded up, at least 1.
        case rejected(retryAfterSeconds: Int)
    }

    package enum State: Equatable, Sendable {
        case closed
        case open
        case halfOpen
    }

    private enum Phase: Equatable {
        case closed
        case open(until: UInt64)
        /// The probe was admitted, and its outcome is not known.
        case probing
        /// The next request is the probe.
        case readyToProbe
    }

    private let settings: Settings
    private var phase = Phase.closed
    /// Counts the changes of the phase: outcomes of an earlier one are ignored.
    private var generation: UInt64 = 0
    private var requests = SlidingCount()
    private var failures = SlidingCount()
    private var failuresInARow = 0
    /// The time for which the breaker will be open, in seconds.
    private var nextOpenSeconds: Int

    package init(settings: Settings) {
        self.settings = settings
        nextOpenSeconds = settings.openSeconds
    }

    /// Returns the state for metrics.
    /// - Parameter now: Nanoseconds of a monotonic clock.
    package func state(at now: UInt64) -> State {
        switch phase {
        case .closed: .closed
        case .open(let until): now < until ? .open : .halfOpen
        case .probing, .readyToProbe: .halfOpen
        }
    }

    /// Admits or rejects a request.
    /// - Parameter now: Nanoseconds of a monotonic clock.
    package mutating func admit(at now: UInt64) -> Admission {
        switch phase {
        case .closed: return .admitted(Permission(generation: generation))
        case .open(let until) where now < until:
            let seconds = (until - now - 1) / 1_000_000_000 + 1
            return .rejected(retryAfterSeconds: Int(clamping: seconds))
        case .probing: return .rejected(retryAfterSeconds: 1)
        case .open, .readyToProbe:
            change(to: .probing)
            return .admitted(Permission(generation: generation))
        }
    }

    /// Records the outcome of an admitted request, once.
    /// - Parameter now: Nanoseconds of a monotonic clock.
    package mutating func record(_ outcome: Outcome, _ permission: Permission, at now: UInt64) {
        guard permission.generation == generation else { return }
        switch phase {
        case .closed: count(outcome, at: now)
        case .probing:
            switch outcome {
            case .connected: close()
            case .connectFailed, .silent, .timedOut: open(at: now)
            case .none: change(to: .readyToProbe)
            }
        case .open, .readyToProbe: break
        }
    }

    private mutating func count(_ outcome: Outcome, at now: UInt64) {
        switch outcome {
        case .none: return
        case .connected: failuresInARow = 0
        case .timedOut:
            failuresInARow = 0
            failures.add(at: now)
        case .connectFailed, .silent:
            failuresInARow += 1
            failures.add(at: now)
        }
        requests.add(at: now)
        let total = requests.total(at: now)
        let isShareReached =
            total >= settings.minRequests && failures.total(at: now) * 100 >= total * settings.failurePercent
        if isShareReached || failuresInARow >= settings.failuresInARow { open(at: now) }
    }

    private mutating func open(at now: UInt64) {
        let (span, overflow) = UInt64(clamping: nextOpenSeconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (end, carry) = now.addingReportingOverflow(span)
        change(to: .open(until: overflow || carry ? .max : end))
        nextOpenSeconds = min(nextOpenSeconds * 2, settings.maxOpenSeconds)
    }

    private mutating func close() {
        change(to: .closed)
        nextOpenSeconds = settings.openSeconds
    }

    private mutating func change(to phase: Phase) {
        self.phase = phase
        generation &+= 1
        requests.reset()
        failures.reset()
        failuresInARow = 0
    }
}

extension CircuitBreaker.Outcome {
    /// The outcome of an attempt that failed.
    package init(_ failure: FetchFailure, in phase: FetchPhase) {
        switch (failure.row.report, phase) {
        // The origin was not asked.
        case (.nothing, _), (.notConnected, .resolve), (.timedOut, .resolve): self = .none
        case (.notConnected, _), (.timedOut, .connect), (.timedOut, .tls): self = .connectFailed
        case (.timedOut, .head): self = .silent
        case (.timedOut, .content): self = .timedOut
        case (.connected, _): self = .connected
        }
    }
}
