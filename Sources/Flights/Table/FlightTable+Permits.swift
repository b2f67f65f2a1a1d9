internal import Fetching
internal import Platform
internal import Primitives

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
        flight.clients = flight.receipts.reduce(0) { $0 + ($1.countsAsClient ? 1 : 0) }
        shares.setUnattended(flight.clients == 0, flight, origin)
        refresh(origin, at: now)
        let holdEnd = origin.holdEnd(of: flight, at: now)
        let isNext =
            isReady && hasPermit && mayBegin(origin, at: now) && origin.queued == 0 && !isSilenceFull(origin)
            && holdEnd == nil && share(of: flight, at: now) == nil
        guard isNext || mayWait(flight, origin, at: now) else {
            fail(flight, .queueFull, at: now, isInQueue: false)
            return retire(origin, at: now)
        }
        if let holdEnd { return hold(flight, until: holdEnd, origin, at: now) }
        shares.move(flight, to: .queue, origin)
        origin.append(flight)
        timers.set(flight, to: now + settings.queueTimeout)
        if origin.isPaused(at: now) { timers.set(origin, to: origin.pauseEnd) }
        grantTurn(origin, at: now)
    }

    /// Whether there is a place for a flight to wait.
    private func mayWait(_ flight: Flight, _ origin: OriginState, at now: MonotonicTime) -> Bool {
        let partition = flight.order.partition
        return waiting < settings.maxQueued
            && (!flight.countsAsUnattended || shares.unattendedWaiting < settings.sharedQueued)
            && (origin.isResponsive || shares.silentWaiting < settings.sharedQueued)
            && (shares.partitions[partition].map { $0.waiting < settings.sharedQueued } ?? true
                || !shares.hasOthers(than: partition, at: now))
    }

    /// Lets a flight wait until its origin permits it, at most as long as in the queue.
    private mutating func hold(
        _ flight: Flight,
        until end: MonotonicTime,
        _ origin: OriginState,
        at now: MonotonicTime
    ) {
        shares.move(flight, to: .aside, origin)
        flight.holdEnd = end
        timers.set(flight, to: min(end, flight.waitStart + settings.queueTimeout))
    }

    /// Lets an origin take turns, if one of its flights may begin.
    mutating func grantTurn(_ origin: OriginState, at now: MonotonicTime) {
        guard !origin.hasTurn, origin.queued > 0, mayBegin(origin, at: now) else { return }
        origin.hasTurn = true
        turns.append(origin)
    }

    /// Whether an origin may have one more transfer.
    private func mayBegin(_ origin: OriginState, at now: MonotonicTime) -> Bool {
        let isCrowded = !origin.isResponsive && shares.silentActive >= settings.crowdedActive
        return origin.active < (isCrowded ? 1 : settings.maxActivePerOrigin) && !origin.isPaused(at: now)
    }

    // MARK: Shares

    /// Whether an origin may not begin a transfer, because too many others are silent.
    private func isSilenceFull(_ origin: OriginState) -> Bool {
        !origin.isResponsive && shares.silentActive >= settings.sharedActive
    }

    private enum Share {
        case unattended
        case partition(PartitionState)
    }

    /// Returns the share of a flight that is exhausted; `nil` if none is.
    private func share(of flight: Flight, at now: MonotonicTime) -> Share? {
        if flight.countsAsUnattended, shares.unattendedActive >= settings.sharedActive { return .unattended }
        let name = flight.order.partition
        guard let partition = shares.partitions[name], partition.active >= settings.sharedActive,
            shares.hasOthers(than: name, at: now)
        else { return nil }
        return .partition(partition)
    }

    private mutating func setAside(_ flight: Flight, _ share: Share, _ origin: OriginState) {
        shares.move(flight, to: .aside, origin)
        switch share {
        case .unattended: shares.backlog.append(flight)
        case .partition(let partition): partition.backlog.append(flight)
        }
    }

    /// Moves a flight that was set aside back to the queue of its origin.
    /// - Returns: whether it was set aside because of its share.
    @discardableResult
    private mutating func readmit(_ flight: Flight, at now: MonotonicTime) -> Bool {
        guard flight.place == .aside, flight.holdEnd == nil, let origin = origins[flight.origin] else { return false }
        shares.move(flight, to: .queue, origin)
        origin.append(flight)
        grantTurn(origin, at: now)
        return true
    }

    /// Readmits what a share has permits for again, after the end of a transfer.
    private mutating func refill(_ partition: PartitionState?, at now: MonotonicTime) {
        var room = settings.sharedActive - shares.unattendedActive
        while room > 0, let flight = shares.backlog.next() {
            if readmit(flight, at: now) { room -= 1 }
        }
        if let partition {
            let isLimited = shares.hasOthers(than: partition.name, at: now)
            room = (isLimited ? settings.sharedActive : settings.maxActive) - partition.active
            while room > 0, let flight = partition.backlog.next() {
                if readmit(flight, at: now) { room -= 1 }
            }
        }
        room = settings.sharedActive - shares.silentActive
        while room > 0, let origin = shares.parked.next() {
            if unpark(origin) { room -= 1 }
        }
    }

    /// Returns whether the origin was parked.
    @discardableResult
    private mutating func unpark(_ origin: OriginState) -> Bool {
        guard origin.isParked else { return false }
        origin.isParked = false
        turns.append(origin)
        return true
    }

    /// Records that an origin has responded.
    mutating func responded(_ origin: OriginState, at now: MonotonicTime) {
        origin.lastHead = now
        guard !origin.isResponsive else { return }
        shares.setResponsive(true, origin)
        unpark(origin)
        grantTurn(origin, at: now)
    }

    /// Forgets the last response of an origin after a time.
    private mutating func refresh(_ origin: OriginState, at now: MonotonicTime) {
        guard origin.isResponsive, origin.lastHead.map({ $0 + FlightShares.responsiveTime <= now }) ?? true else {
            return
        }
        shares.setResponsive(false, origin)
    }

    /// Counts the clients of a flight again, one of which has come or gone.
    mutating func updateClients(_ flight: Flight, by change: Int, at now: MonotonicTime) {
        flight.clients += change
        shares.setUnattended(flight.clients <= 0, flight, flight.place == .none ? nil : origins[flight.origin])
        if flight.clients > 0, flight.place == .aside { readmit(flight, at: now) }
    }

    /// Whether a flight in the queue may lose its last client.
    func mayBeUnattended(_ flight: Flight) -> Bool {
        switch flight.place {
        case .none, .active: true
        case .queue, .aside:
            flight.countsAsUnattended || flight.clients > 1 || shares.unattendedWaiting < settings.sharedQueued
        }
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
            refresh(origin, at: now)
            guard mayBegin(origin, at: now) else { continue }
            guard !isSilenceFull(origin) else {
                (origin.hasTurn, origin.isParked) = (true, true)
                shares.parked.append(origin)
                continue
            }
            guard let flight = nextFlight(of: origin, at: now) else { continue }
            shares.move(flight, to: .none, origin)
            timers.remove(flight)
            flight.endWait(at: now)
            begin(flight, origin, at: now)
            grantTurn(origin, at: now)
        }
    }

    /// Removes and returns the next flight of an origin that may begin, and sets aside those before it.
    private mutating func nextFlight(of origin: OriginState, at now: MonotonicTime) -> Flight? {
        while let flight = origin.next(isLIFO: settings.isLIFO) {
            if let end = origin.holdEnd(of: flight, at: now) {
                hold(flight, until: end, origin, at: now)
            } else if let share = share(of: flight, at: now) {
                setAside(flight, share, origin)
            } else {
                return flight
            }
        }
        return nil
    }

    /// Removes a flight from those that wait.
    mutating func removeFromQueue(_ flight: Flight, at now: MonotonicTime) {
        timers.remove(flight)
        flight.holdEnd = nil
        guard let origin = origins[flight.origin] else { return }
        if flight.place == .queue { origin.remove(flight) }
        shares.move(flight, to: .none, origin)
        retire(origin, at: now)
    }

    /// Ends all flights that wait, because there will be no fetcher.
    mutating func failWaiting(at now: MonotonicTime) {
        for origin in Array(origins.values) {
            while let flight = origin.next(isLIFO: false) { fail(flight, .unavailable, at: now) }
        }
        var aside: [Flight] = []
        while let flight = shares.backlog.next() { aside.append(flight) }
        for partition in Array(shares.partitions.values) {
            while let flight = partition.backlog.next() { aside.append(flight) }
        }
        for flight in aside where flight.place == .aside { fail(flight, .unavailable, at: now) }
    }

    // MARK: Transfers

    private mutating func begin(_ flight: Flight, _ origin: OriginState, at now: MonotonicTime) {
        let requestBytes = flight.request.content?.count ?? 0
        guard requestBytes <= FlightSettings.maxActiveContentBytes - activeContentBytes else {
            fail(flight, .requestContent, at: now, isInQueue: false)
            return retire(origin, at: now)
        }
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
        shares.move(flight, to: .active, origin)
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
                ticket: ticket,
                requestBytes: requestBytes
            )
        )
        activeContentBytes += requestBytes
        counts.attempts += 1
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
        activeContentBytes -= attempt.requestBytes
        flight.waitStart = now
        guard let origin = origins[flight.origin] else { return }
        let partition = flight.partition
        shares.move(flight, to: .none, origin)
        switch outcome {
        case .connectFailed, .silent: shares.setResponsive(false, origin)
        case .connected, .timedOut, .none: break
        }
        refill(partition, at: now)
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
            guard isDue, !isOpen, origin.lastPauseEnd <= now else {
                return timers.set(origin, to: max(origin.lastPauseEnd, now + Self.idleTime))
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
