internal import Fetching
package import Platform

// What happens when the time of a request, a flight, an origin or a result has come.

extension FlightTable {
    /// Handles everything that is due.
    package mutating func advance(to now: MonotonicTime) {
        while let holder = timers.next(at: now) {
            switch holder {
            case let waiter as Waiter:
                if waiter.hasClient, waiter.waitEnd <= now, now < waiter.deadline {
                    postpone(waiter, at: now)
                } else {
                    timedOut(waiter, at: now)
                }
            case let flight as Flight: waitEnded(flight, at: now)
            case let origin as OriginState:
                grantTurn(origin, at: now)
                retire(origin, at: now, isDue: true)
            case let kept as KeptResult: drop(kept)
            default: preconditionFailure("The table has no other timers.")
            }
        }
        dispatch(at: now)
    }

    /// Ends the wait of a flight in a queue, or for its next attempt.
    private mutating func waitEnded(_ flight: Flight, at now: MonotonicTime) {
        switch flight.state {
        case .queued where flight.holdEnd.map({ $0 <= now }) ?? false:
            removeFromQueue(flight, at: now)
            flight.endWait(at: now)
            enqueue(flight, at: now)
        case .queued:
            let pause = (flight.holdEnd ?? origins[flight.origin]?.pauseEnd)?.nanoseconds(since: now) ?? 0
            let seconds = Int(clamping: (pause + 999_999_999) / 1_000_000_000)
            fail(flight, isReady ? .queueTimeout(pauseSeconds: seconds) : .unavailable, at: now)
        case .backingOff:
            flight.endWait(at: now)
            enqueue(flight, at: now)
        case .active, .serializing, .ended: break
        }
    }

    mutating func timedOut(_ waiter: Waiter, at now: MonotonicTime) {
        let flight = waiter.flight
        if !waiter.callerRequest.lowersTimeout, flight.waiters.count == 1, case .active(var attempt) = flight.state,
            let permission = attempt.permission.take()
        {
            // The configured time has passed. If the transfer has had all of it, that is a fact about the origin.
            let start = MonotonicTime(nanoseconds: attempt.start.nanoseconds)
            let hadAll = now.nanoseconds(since: start) >= settings.times.idle.saturatedNanoseconds
            let outcome: CircuitBreaker.Outcome = hadAll ? (flight.route.hop.head == nil ? .silent : .connected) : .none
            origins[flight.origin]?.breaker.record(outcome, permission, at: now.nanoseconds)
            flight.state = .active(attempt)
        }
        switch flight.state {
        case .queued, .backingOff, .active:
            // There is no time for the target of a redirect.
            if let selection = staleIfError(after: .timedOut, flight, at: now),
                !selection.response.isFollowed(flight.callerRequest.redirects)
            {
                return serve(selection, to: waiter, at: now)
            }
        case .serializing, .ended: break
        }
        end(waiter, .timedOut, at: now)
    }
}
