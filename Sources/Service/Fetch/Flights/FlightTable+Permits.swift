internal import Fetching
internal import Platform
internal import Serialization

// Queues, permits and the beginning and end of transfers.

extension FlightTable {
    private mutating func state(of origin: FetchOrigin) -> OriginState {
        if let state = origins[origin] { return state }
        let state = OriginState(origin, breaker: settings.breaker)
        origins[origin] = state
        return state
    }

    // MARK: The queue

    /// Adds a flight to the queue of its origin. It begins at the next ``dispatch(at:)`` if there is a permit.
    mutating func enqueue(_ flight: Flight, at now: MonotonicTime) {
        flight.state = .queued
        flight.waitStart = now
        let origin = state(of: flight.origin)
        guard isAvailable else { return fail(flight, .unavailable, at: now, isInQueue: false) }
        if origin.breaker.state(at: now.nanoseconds) == .open,
            case .rejected(let seconds) = origin.breaker.admit(at: now.nanoseconds)
        {
            fail(flight, .circuitOpen(retryAfterSeconds: seconds), at: now, isInQueue: false)
            return retire(origin, at: now)
        }
        let isNext =
            isReady && hasPermit && origin.active < settings.maxActivePerOrigin
            && !origin.isPaused(at: now) && origin.waiting == 0
        guard isNext || waiting < settings.maxQueued else {
            return fail(flight, .queueFull, at: now, isInQueue: false)
        }
        origin.append(flight)
        waiting += 1
        timers.set(flight, to: now + settings.queueTimeout)
        if origin.isPaused(at: now) { timers.set(origin, to: origin.pauseEnd) }
        grantTurn(origin, at: now)
    }

    /// Lets an origin take turns, if one of its flights may begin.
    mutating func grantTurn(_ origin: OriginState, at now: MonotonicTime) {
        guard !origin.hasTurn, origin.waiting > 0, origin.active < settings.maxActivePerOrigin,
            !origin.isPaused(at: now)
        else { return }
        origin.hasTurn = true
        turns.append(origin)
    }

    /// Whether a further transfer may begin. If responses arrive faster than they are decoded, requests wait here, and not in the queue of
    /// the lane, which rejects what does not fit.
    private var hasPermit: Bool {
        transfers.count < settings.maxActive && jobs.count < FlightSettings.maxSerializations
    }

    /// Begins the flights that may begin: one of each origin in turn.
    mutating func dispatch(at now: MonotonicTime) {
        guard isReady else { return }
        while hasPermit, let origin = turns.next() {
            origin.hasTurn = false
            guard origin.active < settings.maxActivePerOrigin, !origin.isPaused(at: now),
                let flight = origin.next(isLIFO: settings.isLIFO)
            else { continue }
            waiting -= 1
            timers.remove(flight)
            flight.endWait(at: now)
            begin(flight, origin, at: now)
            grantTurn(origin, at: now)
        }
    }

    /// Removes a flight from the queue of its origin.
    mutating func removeFromQueue(_ flight: Flight, at now: MonotonicTime) {
        timers.remove(flight)
        guard let origin = origins[flight.origin] else { return }
        let before = origin.waiting
        origin.remove(flight)
        waiting -= before - origin.waiting
        retire(origin, at: now)
    }

    // MARK: Transfers

    private mutating func begin(_ flight: Flight, _ origin: OriginState, at now: MonotonicTime) {
        let ticket: CircuitBreaker.Ticket
        switch origin.breaker.admit(at: now.nanoseconds) {
        case .admitted(let admitted): ticket = admitted
        case .rejected(let seconds):
            fail(flight, .circuitOpen(retryAfterSeconds: seconds), at: now, isInQueue: false)
            return retire(origin, at: now)
        }
        guard let start = try? start(of: flight) else {
            origin.breaker.record(.none, ticket, at: now.nanoseconds)
            fail(flight, .unavailable, at: now, isInQueue: false)
            return retire(origin, at: now)
        }
        let id = nextTransfer
        nextTransfer += 1
        transfers[id] = flight
        origin.active += 1
        if flight.facts.attempts == 0 || flight.retries.retries == 0 {
            origin.budget.recordRequest(at: now.nanoseconds)
        }
        flight.facts.attempts += 1
        flight.facts.url = flight.request.url.text
        flight.facts.phase = nil
        flight.head = nil
        flight.cache?.requested = moment(now)
        flight.cache?.outcome = nil
        flight.state = .active(
            Flight.Attempt(
                transfer: id,
                start: now,
                progress: TransferProgress(method: flight.request.method),
                ticket: ticket
            )
        )
        metrics.update { $0.attempts += 1 }
        effects.append(.send(.start(id: id, start)))
    }

    private func start(of flight: Flight) throws(FetchFrameError) -> FetchStart {
        var request = flight.request
        if let forward = flight.cache?.forward { request.fields = forward.fields }
        for field in settings.fields
        where !request.fields.contains(where: { $0.name.equalsIgnoringASCIICase(field.name) }) {
            request.fields.append(field)
        }
        return try FetchStart(
            request,
            hostIsNamed: flight.admission.hostIsNamed,
            timeouts: FetchStart.Timeouts(
                resolve: settings.resolveTimeout.milliseconds,
                connect: settings.connectTimeout.milliseconds,
                idle: settings.idleTimeout.milliseconds,
                total: settings.timeout.milliseconds
            ),
            slowestBytesPerSecond: UInt32(clamping: settings.slowestBytesPerSecond)
        )
    }

    /// Returns the permit of an active transfer.
    mutating func endAttempt(_ flight: Flight, _ outcome: CircuitBreaker.Outcome, at now: MonotonicTime) {
        guard case .active(let attempt) = flight.state else { return }
        transfers[attempt.transfer] = nil
        flight.waitStart = now
        guard let origin = origins[flight.origin] else { return }
        origin.active -= 1
        if let ticket = attempt.ticket { origin.breaker.record(outcome, ticket, at: now.nanoseconds) }
        grantTurn(origin, at: now)
        retire(origin, at: now)
    }

    /// Cancels an active transfer, and returns its permit.
    mutating func cancelAttempt(_ flight: Flight, at now: MonotonicTime) {
        guard case .active(let attempt) = flight.state else { return }
        effects.append(.send(.cancel(id: attempt.transfer)))
        endAttempt(flight, flight.head == nil ? .none : .connected, at: now)
    }

    // MARK: Origins

    /// The number of origins above which nothing is remembered about an origin without flights.
    private static let maxIdleOrigins = 4_096

    /// The time for which an origin without flights is remembered: that of its counts.
    private static let idleTime = Duration.seconds(10)

    /// Forgets an origin without flights, after a time.
    /// - Parameter isDue: whether that time has passed.
    mutating func retire(_ origin: OriginState, at now: MonotonicTime, isDue: Bool = false) {
        guard origin.isIdle, origins[origin.origin] === origin else { return }
        if origins.count <= Self.maxIdleOrigins {
            let isOpen = origin.breaker.state(at: now.nanoseconds) == .open
            guard isDue, !isOpen, !origin.isPaused(at: now) else {
                return timers.set(origin, to: max(origin.pauseEnd, now + Self.idleTime))
            }
        }
        timers.remove(origin)
        origins[origin.origin] = nil
    }
}

/// The origins whose flights may begin, each once.
struct TurnQueue {
    private var queue: [OriginState] = []
    private var start = 0

    mutating func append(_ origin: OriginState) {
        queue.append(origin)
    }

    mutating func next() -> OriginState? {
        guard start < queue.count else { return nil }
        let origin = queue[start]
        start += 1
        if start == queue.count {
            queue.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 256, start * 2 > queue.count {
            queue.removeFirst(start)
            start = 0
        }
        return origin
    }
}

/// The requests that are not merged for a while, because a response to one of them must not be shared.
struct UnsharedKeys {
    /// The times at which requests are merged again, by the digest of their identities.
    private var ends: [SIMD4<UInt64>: MonotonicTime] = [:]
    /// The keys in the order of their ends. A key that was added again is there twice.
    private var order: [(key: SIMD4<UInt64>, end: MonotonicTime)] = []
    private var start = 0

    var count: Int { ends.count }

    mutating func insert(_ identity: FlightIdentity, at now: MonotonicTime) {
        removeExpired(at: now)
        let end = now + FlightSettings.noMergeTime
        let key = identity.digest
        ends[key] = end
        order.append((key, end))
        while ends.count > FlightSettings.maxNoMergeKeys { removeFirst() }
    }

    func contains(_ identity: FlightIdentity, at now: MonotonicTime) -> Bool {
        guard !ends.isEmpty else { return false }
        return ends[identity.digest].map { now < $0 } ?? false
    }

    private mutating func removeExpired(at now: MonotonicTime) {
        while start < order.count, order[start].end <= now { removeFirst() }
    }

    private mutating func removeFirst() {
        guard start < order.count else { return }
        let (key, end) = order[start]
        if ends[key] == end { ends[key] = nil }
        start += 1
        guard start * 2 > order.count else { return }
        order.removeFirst(start)
        start = 0
    }
}

extension Duration {
    /// The duration in whole milliseconds, at least 1 and at most ``FetchStart/Timeouts/maxMilliseconds``.
    fileprivate var milliseconds: UInt32 {
        min(max(UInt32(clamping: saturatedNanoseconds / 1_000_000), 1), FetchStart.Timeouts.maxMilliseconds)
    }
}
