internal import Fetching
package import Platform

// How requests receive their results, at once or later under the names of their receipts.

extension FlightTable {
    /// The memory of a request without a client, and of a result that is kept, in bytes, besides what the request has
    /// reserved (``CallerRequest/memory``), the redirects and the content of the result.
    private static let unattendedBytes = 4 << 10

    /// Delivers the result of a request that was removed from all lists, or keeps it.
    /// - Parameter entityTag: that of the rendition; `nil` if nothing is stored.
    mutating func conclude(
        _ waiter: Waiter,
        _ result: FlightResult,
        at now: MonotonicTime,
        entityTag: String? = nil
    ) {
        var facts = waiter.flight.facts
        facts.isCollapsed = waiter.isCollapsed
        // Decoding takes time.
        facts.cache = facts.cache?.aged(to: now)
        facts.cache?.stored?.entityTag = entityTag
        // The caller must not store what depends on a redirect that must not be stored.
        if waiter.flight.route.callerSeconds == nil { facts.cache?.stored = nil }
        if case .queued = waiter.flight.state {
            facts.queueNanoseconds += now.nanoseconds(since: waiter.flight.waitStart)
        }
        waiter.memory = nil
        if waiter.hasClient {
            effects.append(.deliver(to: waiter.number, result, facts))
        } else if !isStopping {
            keep(result, facts, of: waiter, at: now)
        }
    }

    // MARK: 202

    mutating func postponeIfDue(_ waiter: Waiter, at now: MonotonicTime) {
        if waiters[waiter.number] === waiter, waiter.hasClient, waiter.waitEnd <= now {
            postpone(waiter, at: now)
        }
    }

    /// Sends 202. The request stays a part of its flight.
    mutating func postpone(_ waiter: Waiter, at now: MonotonicTime) {
        guard !isDraining else {
            waiter.waitEnd = .never
            return timers.set(waiter, to: waiter.nextTime)
        }
        guard mayBeUnattended(waiter.flight) else { return end(waiter, .queueFull, at: now) }
        let memory = account.emptyMemory()
        guard memory.grow(by: Self.unattendedBytes) else { return end(waiter, .memory, at: now) }
        waiter.memory = memory
        waiter.hasClient = false
        if waiter.countsAsClient {
            waiter.countsAsClient = false
            updateClients(waiter.flight, by: -1, at: now)
        }
        timers.set(waiter, to: waiter.nextTime)
        effects.append(
            .postpone(
                to: waiter.number,
                receipt: waiter.callerRequest.receipt,
                isPreference: waiter.callerRequest.prefersWait,
                stale: waiter.callerRequest.showsStaleRendition ? staleRendition(for: waiter) : nil
            )
        )
    }

    // MARK: Results that are kept

    /// Delivers the result that is kept under a name, or 202 if there is none yet.
    /// - Parameter onlyGenerated: whether receipts that callers have chosen do not exist for the request.
    package mutating func lookUp(
        _ name: ScopedName,
        onlyGenerated: Bool = false,
        for number: RequestNumber,
        at now: MonotonicTime
    ) {
        func isVisible(_ callerRequest: CallerRequest) -> Bool { !onlyGenerated || callerRequest.hasGeneratedReceipt }
        if let kept = results[name], isVisible(kept.callerRequest) {
            kept.isDelivered = true
            effects.append(.deliverKept(to: number, kept, kept.facts(at: now)))
        } else if let waiting = names[name]?.inOrder.first(where: { isVisible($0.callerRequest) }) {
            effects.append(.postponeAgain(to: number, waiting.callerRequest))
        } else {
            effects.append(.reply(to: number, .missing))
        }
    }

    private mutating func keep(
        _ result: FlightResult,
        _ facts: FlightFacts,
        of waiter: Waiter,
        at now: MonotonicTime
    ) {
        var result = result
        var bytes = Self.unattendedBytes + waiter.flight.route.passedBytes
        if case .rendered(let response) = result { bytes += response.unchargedBytes }
        let memory = account.emptyMemory()
        if !memory.grow(by: bytes) {
            // The reason is kept in place of the result, and needs little memory.
            result = .failed(.memory)
            guard memory.grow(by: Self.unattendedBytes + waiter.flight.route.passedBytes) else { return }
        }
        if let previous = results[waiter.name] { drop(previous) }
        let flight = waiter.flight
        let isShared: Bool =
            switch result {
            // The end of a shorter timeout says nothing to others.
            case .failed(.timedOut) where waiter.callerRequest.lowersTimeout: false
            case .failed(let failure): flight.isShared && failure.row(facts).isShared
            case .rendered: flight.isShared
            }
        let kept = KeptResult(
            waiter.callerRequest,
            flight,
            result,
            facts,
            memory,
            isShared: isShared && waiter.callerRequest.isMergeable
        )
        results[waiter.name] = kept
        addToIdentity(kept)
        timers.set(kept, to: now + settings.times.result)
    }

    /// The maximum number of results of one identity that other requests can receive: each of them is examined.
    private static let maxResultsPerIdentity = 64

    private mutating func addToIdentity(_ kept: KeptResult) {
        guard kept.isShared else { return }
        var all = resultsByIdentity[kept.identity] ?? []
        if all.count >= Self.maxResultsPerIdentity { all.removeFirst() }
        all.append(kept)
        resultsByIdentity[kept.identity] = all
    }

    mutating func drop(_ kept: KeptResult) {
        timers.remove(kept)
        if results[kept.name] === kept { results[kept.name] = nil }
        resultsByIdentity[kept.identity]?.removeAll { $0 === kept }
        if resultsByIdentity[kept.identity]?.isEmpty == true { resultsByIdentity[kept.identity] = nil }
    }

    /// Returns the result with which repeating a request that has a wait ends.
    func keptResult(for callerRequest: CallerRequest, _ identity: FlightIdentity) -> KeptResult? {
        guard callerRequest.wait != nil, callerRequest.isMergeable, let kept = resultsByIdentity[identity] else {
            return nil
        }
        return kept.last { kept in
            kept.isShared && kept.callerRequest.hasCredentials(of: callerRequest)
                && kept.callerRequest.isRendered(like: callerRequest)
                && kept.callerRequest.cache.strictness >= callerRequest.cache.strictness
                && cache?.isPurged(kept.lookups, since: kept.began) != true
        }
    }
}
