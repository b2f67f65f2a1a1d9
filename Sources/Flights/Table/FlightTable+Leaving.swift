package import Platform

// How requests leave flights: their clients disconnect, or somebody cancels them.

extension FlightTable {
    /// Removes a request whose client has disconnected.
    package mutating func leave(_ number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard let receipt = receipts[number], receipt.hasClient else { return }
        counts.cancelled += 1
        unregister(receipt)
        detach(receipt, .cancelled, at: now)
    }

    /// Cancels one request, which receives 409.
    package mutating func cancel(_ number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard let receipt = receipts[number], receipt.hasClient else { return }
        end(receipt, .cancelled, at: now)
    }

    /// Cancels every request with this receipt.
    package mutating func cancel(receipt name: ScopedName, for number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        cancelAll(names[name]?.inOrder ?? [], number, at: now)
    }

    /// Cancels every request in this slot.
    package mutating func cancel(slot name: ScopedName, for number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        cancelAll(slots[name]?.receipts.inOrder ?? [], number, at: now)
    }

    private mutating func cancelAll(_ receipts: [Receipt], _ number: RequestNumber, at now: MonotonicTime) {
        for receipt in receipts { end(receipt, .cancelled, at: now) }
        effects.append(.reply(to: number, receipts.isEmpty ? .missing : .cancelled(receipts.count)))
    }

    /// Ends one request with a failure. Its flight ends with its last request.
    mutating func end(_ receipt: Receipt, _ failure: FlightFailure, at now: MonotonicTime) {
        guard receipts[receipt.number] === receipt else { return }
        if failure == .cancelled { counts.cancelled += 1 }
        if failure == .superseded { counts.superseded += 1 }
        unregister(receipt)
        conclude(receipt, .failed(failure), at: now)
        detach(receipt, failure, at: now)
    }

    /// Removes a request from all lists but that of its flight.
    mutating func unregister(_ receipt: Receipt) {
        timers.remove(receipt)
        receipts[receipt.number] = nil
        names[receipt.name]?[receipt.number] = nil
        if names[receipt.name]?.isEmpty == true { names[receipt.name] = nil }
        guard let slot = receipt.slot else { return }
        slots[slot]?.receipts[receipt.number] = nil
        if slots[slot]?.receipts.isEmpty == true { slots[slot] = nil }
    }

    /// Removes a request from its flight, and ends the flight if it was the last one.
    mutating func detach(_ receipt: Receipt, _ failure: FlightFailure, at now: MonotonicTime) {
        let flight = receipt.flight
        flight.remove(receipt)
        if receipt.countsAsClient { updateClients(flight, by: -1, at: now) }
        guard !flight.receipts.isEmpty else {
            // A validation continues without requests, up to the content.
            if flight.isBackground, flight.groups.isEmpty { return }
            return abandon(flight, failure, at: now)
        }
        guard case .serializing = flight.state,
            let group = flight.groups.first(where: { $0.rendition == receipt.rendition }),
            flight.renditionCounts[receipt.rendition] == 0
        else { return }
        drop(group, of: flight)
    }
}
