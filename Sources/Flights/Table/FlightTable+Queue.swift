internal import Fetching
internal import Platform

// The queues of origins, and the flights that may begin.

extension FlightTable {
    mutating func state(of origin: FetchOrigin) -> OriginState {
        if let state = origins[origin] { return state }
        let state = OriginState(origin, breaker: settings.attempts.breaker)
        origins[origin] = state
        return state
    }

    // MARK: Waiting

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
        flight.clients = flight.waiters.reduce(0) { $0 + ($1.countsAsClient ? 1 : 0) }
        shares.setUnattended(flight.clients == 0, flight, origin)
        refresh(origin, at: now)
        let holdEnd = origin.holdEnd(of: flight, at: now)
        let isNext =
            isReady && hasPermit && mayBegin(origin, at: now) && origin.queue.count == 0 && !isSilenceFull(origin)
            && holdEnd == nil && obstacle(of: flight, at: now) == nil
        guard isNext || mayWait(flight, origin, at: now) else {
            fail(flight, .queueFull, at: now, isInQueue: false)
            return retire(origin, at: now)
        }
        if let holdEnd { return hold(flight, until: holdEnd, origin) }
        shares.move(flight, to: .queued, origin)
        timers.set(flight, to: now + settings.times.queue)
        if origin.isPaused(at: now) { timers.set(origin, to: origin.pauseEnd) }
        grantTurn(origin, at: now)
    }

    /// Whether there is a place for a flight to wait.
    private func mayWait(_ flight: Flight, _ origin: OriginState, at now: MonotonicTime) -> Bool {
        let partition = flight.callerRequest.partition
        return waiting < settings.permits.maxQueued
            && (!flight.countsAsUnattended || shares.unattendedWaiting < settings.sharedQueued)
            && (origin.isResponsive || shares.silentWaiting < settings.sharedQueued)
            && (shares.partitions[partition].map { $0.waiting < settings.sharedQueued } ?? true
                || !shares.hasOthers(than: partition, at: now))
    }

    /// Lets a flight wait until its origin permits it, at most as long as in the queue.
    private mutating func hold(_ flight: Flight, until end: MonotonicTime, _ origin: OriginState) {
        shares.move(flight, to: .setAside(.pause), origin)
        flight.holdEnd = end
        timers.set(flight, to: min(end, flight.waitStart + settings.times.queue))
    }

    /// Removes a flight from those that wait.
    mutating func removeFromQueue(_ flight: Flight, at now: MonotonicTime) {
        timers.remove(flight)
        flight.holdEnd = nil
        guard let origin = origins[flight.origin] else { return }
        shares.move(flight, to: .none, origin)
        retire(origin, at: now)
    }

    /// Ends all flights that wait, because there will be no fetcher.
    mutating func failWaiting(at now: MonotonicTime) {
        // Each of them has a time at which its wait ends.
        let waiting = timers.holders.compactMap { $0 as? Flight }.filter(\.isQueued)
        for flight in waiting.sorted(by: { $0.number < $1.number }) { fail(flight, .unavailable, at: now) }
    }

    // MARK: Beginning

    /// Lets an origin take turns, if one of its flights may begin.
    mutating func grantTurn(_ origin: OriginState, at now: MonotonicTime) {
        guard !origin.hasTurn, origin.queue.count > 0, mayBegin(origin, at: now) else { return }
        origin.hasTurn = true
        turns.append(origin)
    }

    /// Whether an origin may have one more transfer.
    private func mayBegin(_ origin: OriginState, at now: MonotonicTime) -> Bool {
        let isCrowded = !origin.isResponsive && shares.silentActive >= settings.crowdedActive
        return origin.active < (isCrowded ? 1 : settings.permits.maxActivePerOrigin) && !origin.isPaused(at: now)
    }

    /// Whether a further transfer may begin. If responses arrive faster than they are decoded, requests wait here, and
    /// not in the queue of the lane, which rejects what does not fit.
    private var hasPermit: Bool {
        transfers.count < settings.permits.maxActive && jobs.count < FlightSettings.maxSerializations
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
    mutating func nextFlight(of origin: OriginState, at now: MonotonicTime) -> Flight? {
        while let flight = origin.queue.next(isLIFO: settings.permits.isLIFO) {
            if let end = origin.holdEnd(of: flight, at: now) {
                hold(flight, until: end, origin)
            } else if let obstacle = obstacle(of: flight, at: now) {
                shares.move(flight, to: .setAside(obstacle), origin)
            } else {
                return flight
            }
        }
        return nil
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
