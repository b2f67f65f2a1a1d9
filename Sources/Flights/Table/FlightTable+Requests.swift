internal import Fetching
internal import Platform
internal import Primitives

// Requests: how they join and leave flights, and wait.

extension FlightTable {
    /// The memory of a request without a client, in bytes, besides its content.
    private static let receiptBytes = 4 << 10

    /// The memory of a result that is kept, in bytes, besides its content.
    private static let resultBytes = 1 << 10

    mutating func add(
        _ order: FetchOrder,
        _ ticket: UInt64,
        to flight: Flight,
        at now: MonotonicTime,
        isCollapsed: Bool
    ) -> Receipt {
        let receipt = Receipt(order, ticket: ticket, flight: flight, at: now, isCollapsed: isCollapsed)
        flight.receipts.append(receipt)
        if receipt.countsAsClient { updateClients(flight, by: 1, at: now) }
        receipts[ticket] = receipt
        names[receipt.name, default: []].append(receipt)
        if let slot = receipt.slot { slots[slot, default: Slot(identity: flight.identity)].receipts.append(receipt) }
        timers.set(receipt, to: receipt.nextTime)
        return receipt
    }

    /// Called when a request has joined a flight that has begun.
    mutating func joined(_ flight: Flight, _ receipt: Receipt, at now: MonotonicTime) {
        let count = flight.content?.count ?? flight.contentBytes
        guard count <= receipt.order.maxContentBytes else {
            return end(receipt, .contentTooLong(max: receipt.order.maxContentBytes), at: now)
        }
        if case .serializing = flight.state { serialize(flight, for: receipt) }
        postponeIfDue(receipt, at: now)
    }

    /// Rejects a request that is not a part of a flight.
    mutating func reject(_ ticket: UInt64, _ order: FetchOrder, _ failure: FlightFailure) {
        var facts = FlightFacts(url: order.request.url.text)
        // The origin was not asked, and the cache has not responded.
        facts.cache = CacheReport(.none)
        effects.append(.deliver(ticket: ticket, .failed(failure), facts))
    }

    // MARK: Slots

    /// Ends the requests of a slot, unless they are for the same resource.
    mutating func supersede(_ name: ScopedName, by identity: FlightIdentity, at now: MonotonicTime) {
        guard let slot = slots[name], slot.identity != identity else { return }
        for receipt in slot.receipts { end(receipt, .superseded, at: now) }
    }

    // MARK: Ends

    /// Ends one request with a failure. Its flight ends with its last request.
    mutating func end(_ receipt: Receipt, _ failure: FlightFailure, at now: MonotonicTime) {
        guard receipts[receipt.ticket] === receipt else { return }
        if failure == .cancelled { counts.cancelled += 1 }
        if failure == .superseded { counts.superseded += 1 }
        unregister(receipt)
        conclude(receipt, .failed(failure), at: now)
        detach(receipt, failure, at: now)
    }

    /// Removes a request from all lists but that of its flight.
    mutating func unregister(_ receipt: Receipt) {
        timers.remove(receipt)
        receipts[receipt.ticket] = nil
        names[receipt.name]?.removeAll { $0 === receipt }
        if names[receipt.name]?.isEmpty == true { names[receipt.name] = nil }
        guard let slot = receipt.slot else { return }
        slots[slot]?.receipts.removeAll { $0 === receipt }
        if slots[slot]?.receipts.isEmpty == true { slots[slot] = nil }
    }

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
        if receipt.flight.hasUnstoredHop { facts.cache?.stored = nil }
        if case .queued = receipt.flight.state {
            facts.queueNanoseconds += now.nanoseconds(since: receipt.flight.waitStart)
        }
        receipt.memory = nil
        if receipt.hasClient {
            effects.append(.deliver(ticket: receipt.ticket, result, facts))
        } else if !isStopping {
            keep(result, facts, of: receipt, at: now)
        }
    }

    /// Removes a request from its flight, and ends the flight if it was the last one.
    mutating func detach(_ receipt: Receipt, _ failure: FlightFailure, at now: MonotonicTime) {
        let flight = receipt.flight
        flight.receipts.remove(receipt)
        if receipt.countsAsClient { updateClients(flight, by: -1, at: now) }
        guard !flight.receipts.isEmpty else {
            // A validation continues without requests, up to the content.
            if flight.isBackground, flight.groups.isEmpty { return }
            return abandon(flight, failure, at: now)
        }
        guard case .serializing = flight.state else { return }
        for group in flight.groups
        where !flight.receipts.contains(where: { $0.order.isRendered(like: group.order) }) {
            drop(group, of: flight)
        }
    }

    // MARK: Waiting

    mutating func postponeIfDue(_ receipt: Receipt, at now: MonotonicTime) {
        if receipts[receipt.ticket] === receipt, receipt.hasClient, receipt.waitEnd <= now {
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
        let bytes = Self.receiptBytes + (receipt.order.request.content?.count ?? 0)
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
                ticket: receipt.ticket,
                receipt: receipt.order.receipt,
                isPreference: receipt.order.prefersWait,
                stale: receipt.order.showsStaleRendition ? staleRendition(for: receipt) : nil
            )
        )
    }

    // MARK: Results

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
            case .failed(.cancelled), .failed(.superseded), .failed(.contentTooLong): false
            case .failed, .rendered: flight.isShared
            }
        let kept = KeptResult(
            receipt.order,
            flight,
            result,
            facts,
            memory,
            isShared: isShared && receipt.order.isMergeable
        )
        results[receipt.name] = kept
        addToIdentity(kept)
        timers.set(kept, to: now + settings.resultTime)
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
    func keptResult(for order: FetchOrder, _ identity: FlightIdentity) -> KeptResult? {
        guard order.wait != nil, order.isMergeable, let kept = resultsByIdentity[identity] else { return nil }
        return kept.last { kept in
            kept.isShared && kept.order.isRendered(like: order) && kept.order.cache.strictness >= order.cache.strictness
                && cache?.isPurged(kept.order, redirectedTo: kept.url, since: kept.began) != true
        }
    }
}

/// The result of a request whose client has received 202.
package final class KeptResult: FlightTimer {
    package let order: FetchOrder
    let identity: FlightIdentity
    package let result: FlightResult
    private let facts: FlightFacts
    /// Whether other requests receive it.
    let isShared: Bool
    /// Whether a request has received it.
    var isDelivered = false
    /// The URL after redirects.
    let url: FetchURL
    /// The time of the cache when the flight began.
    let began: UInt64
    private let memory: any FlightMemory

    init(
        _ order: FetchOrder,
        _ flight: Flight,
        _ result: FlightResult,
        _ facts: FlightFacts,
        _ memory: any FlightMemory,
        isShared: Bool
    ) {
        self.order = order
        identity = flight.identity
        url = flight.request.url
        began = flight.began
        self.result = result
        self.facts = facts
        self.memory = memory
        self.isShared = isShared
    }

    var name: ScopedName { ScopedName(partition: order.partition, name: order.receipt) }

    /// Returns what is known about the flight, for a request that receives the result now.
    func facts(at now: MonotonicTime) -> FlightFacts {
        var facts = facts
        facts.cache = facts.cache?.aged(to: now)
        return facts
    }
}
