internal import Fetching
internal import Platform
internal import Primitives

// What follows a response that is not the result, and the ends of flights.

extension FlightTable {
    /// Goes on after a response that is not the result.
    mutating func proceed(_ flight: Flight, _ next: Flight.Next, at now: MonotonicTime) {
        guard case .active(let attempt) = flight.state else { return }
        if attempt.progress.isFinished {
            endAttempt(flight, .connected, at: now)
        } else {
            cancelAttempt(flight, at: now)
        }
        // The response is not the result. The next hop may be that of another origin.
        let received = flight.route.hop.head
        discardContent(of: flight, at: now)
        switch next {
        case .retry(let delay): retry(flight, after: delay, at: now)
        case .redirect(let next):
            guard var head = received else { return }
            var callerSeconds: Int?
            if let cache, let stored = flight.route.hop.store(nil, in: cache, began: flight.began) {
                // After 304, it is the stored one that redirects.
                let response = stored.selection.response.head
                head = Hop.Head(response)
                if stored.isStored { callerSeconds = response.callerSeconds(at: moment(now)) }
            }
            follow(next, after: head, callerSeconds: callerSeconds, flight, at: now)
        case .again(let forward):
            flight.route.hop.match?.decision = .forward(forward)
            flight.route.hop.head = nil
            enqueue(flight, at: now)
        case .stored(let selection): serveStaleIfError(selection, flight, at: now)
        }
    }

    mutating func retry(_ flight: Flight, after delay: Duration, at now: MonotonicTime) {
        flight.retries.retries += 1
        counts.retries += 1
        flight.route.hop.head = nil
        flight.state = .backingOff
        flight.waitStart = now
        timers.set(flight, to: now + delay)
    }

    // MARK: Failures

    /// Handles the failure of an attempt.
    /// - Parameter timings: `nil` if they are not known.
    mutating func failed(
        _ flight: Flight,
        _ failure: FetchFailure,
        in phase: FetchPhase,
        timings: FetchTimings?,
        detail: String,
        at now: MonotonicTime
    ) {
        flight.facts.phase = phase
        if let timings { flight.facts.timings = timings }
        let hasHead = flight.route.hop.head != nil
        // An origin with an active transfer is known. It may be forgotten with the end of the transfer.
        guard let origin = origins[flight.origin] else { return }
        endAttempt(flight, CircuitBreaker.Outcome(failure, in: phase), at: now)
        switch decide(flight, origin, .failed(failure, hasHead: hasHead), at: now) {
        case .retry(let delay): retry(flight, after: delay, at: now)
        case .restart:
            flight.retries.restarts += 1
            counts.restarts += 1
            discardContent(of: flight, at: now)
            flight.facts.status = nil
            flight.facts.cache?.forwardStatus = nil
            flight.route.hop.head = nil
            enqueue(flight, at: now)
        case .final:
            let failure = FlightFailure.attempt(failure, in: phase, hostIsNamed: flight.route.hop.admission.hostIsNamed)
            fail(flight, failure, cause: detail, at: now, isInQueue: false)
        }
    }

    /// Ends a flight, all of whose requests receive the failure. Its transfer has ended.
    mutating func fail(
        _ flight: Flight,
        _ failure: FlightFailure,
        cause: String = "",
        at now: MonotonicTime,
        isInQueue: Bool = true
    ) {
        if isInQueue, flight.isQueued { removeFromQueue(flight, at: now) }
        if let selection = staleIfError(after: failure, flight, at: now) {
            // It is that of the failed attempt, and the next hop may be that of another origin.
            discardContent(of: flight, at: now)
            return serveStaleIfError(selection, flight, at: now)
        }
        let members = Array(flight.waiters)
        for waiter in members {
            flight.remove(waiter)
            unregister(waiter)
            conclude(waiter, .failed(failure), at: now)
        }
        log(flight, members.count, failure, cause)
        close(flight, at: now)
    }

    // MARK: Ends

    /// Ends a flight whose requests have left.
    mutating func abandon(_ flight: Flight, _ failure: FlightFailure, at now: MonotonicTime) {
        switch flight.state {
        case .queued: removeFromQueue(flight, at: now)
        case .backingOff: break
        case .active: cancelAttempt(flight, at: now)
        case .serializing: for group in flight.groups { drop(group, of: flight) }
        case .ended: return
        }
        log(flight, 0, failure, "")
        close(flight, at: now)
    }

    /// Ends a flight all of whose requests have received their results.
    mutating func succeed(_ flight: Flight, _ count: Int, at now: MonotonicTime) {
        log(flight, count, nil, "")
        close(flight, at: now)
    }

    private mutating func close(_ flight: Flight, at now: MonotonicTime) {
        flight.state = .ended
        timers.remove(flight)
        endJoining(flight)
        for group in flight.groups { jobs[group.job] = nil }
        flight.groups = []
        discardContent(of: flight, at: now)
        flight.content = nil
        flight.passedMemory = nil
    }

    /// Discards what was received of the content of the current hop, and returns the memory of its response.
    private mutating func discardContent(of flight: Flight, at now: MonotonicTime) {
        if let origin = origins[flight.origin] {
            origin.contentBytes -= flight.chargedBytes
            retire(origin, at: now)
        }
        flight.chargedBytes = 0
        flight.memory = nil
        _ = flight.takeContent()
    }

    mutating func log(_ flight: Flight, _ requests: Int, _ failure: FlightFailure?, _ cause: String) {
        effects.append(
            .ended(
                FlightLog(
                    flight: flight.number,
                    entry: flight.callerRequest.admission.entry,
                    facts: flight.facts,
                    requests: requests,
                    failure: failure.map { FlightLog.Failure(reason: $0, cause: cause) },
                    contentBytes: flight.content?.count ?? flight.contentBytes
                )
            )
        )
    }
}
