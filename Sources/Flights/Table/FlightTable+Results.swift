internal import Fetching
package import Platform

// How requests receive their results, at once or later under the names of their receipts.

extension FlightTable {
    /// The memory of a request without a client, in bytes, besides its content.
    private static let receiptBytes = 4 << 10

    /// The memory of a result that is kept, in bytes, besides its content.
    private static let resultBytes = 1 << 10

    /// Delivers the result of a request that was removed from all lists, or keeps it.
    /// - Parameter entityTag: that of the rendition; `nil` if nothing is stored.
    mutating func conclude(
        _ receipt: Receipt,
        _ result: FlightResult,
        at now: MonotonicTime,
        entityTag: String? = nil
    ) {
        var facts = receipt.flight.facts
        facts.isCollapsed = receipt.isCollapsed
        // Decoding takes time.
        facts.cache = facts.cache?.aged(to: now)
        facts.cache?.stored?.entityTag = entityTag
        // The caller must not store what depends on a redirect that must not be stored.
        if receipt.flight.route.callerSeconds == nil { facts.cache?.stored = nil }
        if case .queued = receipt.flight.state {
            facts.queueNanoseconds += now.nanoseconds(since: receipt.flight.waitStart)
        }
        receipt.memory = nil
        if receipt.hasClient {
            effects.append(.deliver(to: receipt.number, result, facts))
        } else if !isStopping {
            keep(result, facts, of: receipt, at: now)
        }
    }

    // MARK: 202

    mutating func postponeIfDue(_ receipt: Receipt, at now: MonotonicTime) {
        if receipts[receipt.number] === receipt, receipt.hasClient, receipt.waitEnd <= now {
            postpone(receipt, at: now)
        }
    }

    /// Sends 202. The request stays a part of its flight.
    mutating func postpone(_ receipt: Receipt, at now: MonotonicTime) {
        guard !isDraining else {
            receipt.waitEnd = .never
            return timers.set(receipt, to: receipt.nextTime)
        }
        guard mayBeUnattended(receipt.flight) else { return end(receipt, .queueFull, at: now) }
        let bytes = Self.receiptBytes + (receipt.callerRequest.request.content?.count ?? 0)
        let memory = account.emptyMemory()
        guard memory.grow(by: bytes) else { return end(receipt, .memory, at: now) }
        receipt.memory = memory
        receipt.hasClient = false
        if receipt.countsAsClient {
            receipt.countsAsClient = false
            updateClients(receipt.flight, by: -1, at: now)
        }
        timers.set(receipt, to: receipt.nextTime)
        effects.append(
            .postpone(
                to: receipt.number,
                receipt: receipt.callerRequest.receipt,
                isPreference: receipt.callerRequest.prefersWait,
                stale: receipt.callerRequest.showsStaleRendition ? staleRendition(for: receipt) : nil
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
        of receipt: Receipt,
        at now: MonotonicTime
    ) {
        var result = result
        var bytes = Self.resultBytes
        if case .rendered(let response) = result { bytes += response.unchargedBytes }
        let memory = account.emptyMemory()
        if !memory.grow(by: bytes) {
            // The reason is kept in place of the result, and needs little memory.
            result = .failed(.memory)
            guard memory.grow(by: Self.resultBytes) else { return }
        }
        if let previous = results[receipt.name] { drop(previous) }
        let flight = receipt.flight
        let isShared: Bool =
            switch result {
            // The end of a shorter timeout says nothing to others.
            case .failed(.timedOut) where receipt.callerRequest.lowersTimeout: false
            case .failed(let failure): flight.isShared && failure.row(facts).isShared
            case .rendered: flight.isShared
            }
        let kept = KeptResult(
            receipt.callerRequest,
            flight,
            result,
            facts,
            memory,
            isShared: isShared && receipt.callerRequest.isMergeable
        )
        results[receipt.name] = kept
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
