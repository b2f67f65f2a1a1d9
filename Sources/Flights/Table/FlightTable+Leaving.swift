package import Platform

// How requests leave flights: their clients disconnect, or somebody cancels them.

extension FlightTable {
    /// Removes a request whose client has disconnected.
    package mutating func leave(_ number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard let waiter = waiters[number], waiter.hasClient else { return }
        counts.cancelled += 1
        unregister(waiter)
        detach(waiter, .cancelled, at: now)
    }

    /// Cancels one request, which receives 409.
    package mutating func cancel(_ number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard let waiter = waiters[number], waiter.hasClient else { return }
        end(waiter, .cancelled, at: now)
    }

    /// Cancels every request with this receipt.
    package mutating func cancel(receipt name: ScopedName, for number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        cancelAll(names[name]?.inOrder ?? [], number, at: now)
    }

    /// Cancels every request in this slot.
    package mutating func cancel(slot name: ScopedName, for number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        cancelAll(slots[name]?.waiters.inOrder ?? [], number, at: now)
    }

    private mutating func cancelAll(_ waiters: [Waiter], _ number: RequestNumber, at now: MonotonicTime) {
        for waiter in waiters { end(waiter, .cancelled, at: now) }
        effects.append(.reply(to: number, waiters.isEmpty ? .missing : .cancelled(waiters.count)))
    }

    /// Ends one request with a failure. Its flight ends with its last request.
    mutating func end(_ waiter: Waiter, _ failure: FlightFailure, at now: MonotonicTime) {
        guard waiters[waiter.number] === waiter else { return }
        if failure == .cancelled { counts.cancelled += 1 }
        if failure == .superseded { counts.superseded += 1 }
        unregister(waiter)
        conclude(waiter, .failed(failure), at: now)
        detach(waiter, failure, at: now)
    }

    /// Removes a request from all lists but that of its flight.
    mutating func unregister(_ waiter: Waiter) {
        timers.remove(waiter)
        waiters[waiter.number] = nil
        names[waiter.name]?[waiter.number] = nil
        if names[waiter.name]?.isEmpty == true { names[waiter.name] = nil }
        guard let slot = waiter.slot else { return }
        slots[slot]?.waiters[waiter.number] = nil
        if slots[slot]?.waiters.isEmpty == true { slots[slot] = nil }
    }

    /// Removes a request from its flight, and ends the flight if it was the last one.
    mutating func detach(_ waiter: Waiter, _ failure: FlightFailure, at now: MonotonicTime) {
        let flight = waiter.flight
        flight.remove(waiter)
        if waiter.countsAsClient { updateClients(flight, by: -1, at: now) }
        guard !flight.waiters.isEmpty else {
            // A validation continues without requests, up to the content.
            if flight.isBackground, flight.groups.isEmpty { return }
            return abandon(flight, failure, at: now)
        }
        guard case .serializing = flight.state,
            let group = flight.groups.first(where: { $0.rendition == waiter.rendition }),
            flight.renditionCounts[waiter.rendition] == 0
        else { return }
        drop(group, of: flight)
    }
}
