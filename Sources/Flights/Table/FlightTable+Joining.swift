internal import Fetching
package import Platform

// How requests join flights, or begin their own.

extension FlightTable {
    /// Joins a flight, or creates one.
    package mutating func join(_ callerRequest: CallerRequest, as number: RequestNumber, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard !isStopping else { return reject(number, callerRequest, .draining) }
        shares.record(callerRequest.partition, at: now)
        let identity = callerRequest.identity
        guard mayWaitUnderNames(of: callerRequest, identity) else { return reject(number, callerRequest, .nameFull) }
        if let slot = callerRequest.scopedSlot { supersede(slot, by: identity, at: now) }
        if let kept = keptResult(for: callerRequest, identity) {
            kept.isDelivered = true
            var facts = kept.facts(at: now)
            facts.isCollapsed = true
            effects.append(.deliver(to: number, kept.result, facts))
            return
        }

        let route: Route
        do throws(FlightFailure) {
            route = try walk(Route(of: callerRequest), of: callerRequest, at: now)
        } catch { return reject(number, callerRequest, error) }
        let kind = route.kind(for: callerRequest.cache)
        var mayShare = true
        if let served = route.hop.match?.served {
            cache?.count(route.isStale ? .stale : .hit)
            if !served.isNotModified,
                deliverRendition(of: route, served.selection, callerRequest, for: number, at: now)
            {
                return
            }
        } else {
            mayShare = callerRequest.isMergeable && !hitForMiss.contains(identity, at: now)
            if let forward = route.hop.match?.forward { cache?.count(forward.use) }
        }
        if mayShare, let flight = flightToJoin(identity, kind, callerRequest.cache, with: callerRequest) {
            counts.merged += 1
            let waiter = add(callerRequest, number, to: flight, at: now, isCollapsed: true)
            joined(flight, waiter, at: now)
            return
        }
        let key = FlightKey(identity: identity, kind: kind)
        let flight = newFlight(callerRequest, key, route, isShared: mayShare, at: now)
        if mayShare { flights[flight.key] = flight }
        let waiter = add(callerRequest, number, to: flight, at: now, isCollapsed: false)
        arrive(flight, at: now)
        dispatch(at: now)
        postponeIfDue(waiter, at: now)
    }

    /// Whether one more request may wait under the receipt of a request, and in its slot.
    private func mayWaitUnderNames(of callerRequest: CallerRequest, _ identity: FlightIdentity) -> Bool {
        let max = FlightSettings.maxWaitersPerName
        guard (names[callerRequest.scopedReceipt]?.count ?? 0) < max else { return false }
        guard let slot = callerRequest.scopedSlot.flatMap({ slots[$0] }), slot.identity == identity else { return true }
        return slot.waiters.count < max
    }

    mutating func add(
        _ callerRequest: CallerRequest,
        _ number: RequestNumber,
        to flight: Flight,
        at now: MonotonicTime,
        isCollapsed: Bool
    ) -> Waiter {
        let waiter = Waiter(callerRequest, number: number, flight: flight, at: now, isCollapsed: isCollapsed)
        flight.add(waiter)
        if waiter.countsAsClient { updateClients(flight, by: 1, at: now) }
        waiters[number] = waiter
        names[waiter.name, default: [:]][number] = waiter
        if let slot = waiter.slot { slots[slot, default: Slot(identity: flight.identity)].waiters[number] = waiter }
        timers.set(waiter, to: waiter.nextTime)
        return waiter
    }

    /// Called when a request has joined a flight that has begun.
    mutating func joined(_ flight: Flight, _ waiter: Waiter, at now: MonotonicTime) {
        let count = flight.content?.count ?? flight.contentBytes
        guard count <= waiter.callerRequest.maxContentBytes else {
            return end(waiter, .contentTooLong(max: waiter.callerRequest.maxContentBytes), at: now)
        }
        if case .serializing = flight.state { serialize(flight, for: waiter) }
        postponeIfDue(waiter, at: now)
    }

    /// Rejects a request that is not a part of a flight.
    mutating func reject(_ number: RequestNumber, _ callerRequest: CallerRequest, _ failure: FlightFailure) {
        var facts = FlightFacts(url: callerRequest.request.url.text)
        // The origin was not asked, and the cache has not responded.
        facts.cache = CacheReport(.none)
        effects.append(.deliver(to: number, .failed(failure), facts))
    }

    /// Ends the requests of a slot, unless they are for the same resource.
    mutating func supersede(_ name: ScopedName, by identity: FlightIdentity, at now: MonotonicTime) {
        guard let slot = slots[name], slot.identity != identity else { return }
        for waiter in slot.waiters.inOrder { end(waiter, .superseded, at: now) }
    }

    /// Returns the flight that a request joins; `nil` if it begins its own.
    /// - Parameter callerRequest: the request; `nil` if the flight has none.
    func flightToJoin(
        _ identity: FlightIdentity,
        _ kind: FlightKind,
        _ mode: CacheMode,
        with callerRequest: CallerRequest?
    ) -> Flight? {
        func mayJoin(_ flight: Flight) -> Bool {
            guard self.mayJoin(flight, mode) else { return false }
            if let callerRequest, !flight.callerRequest.hasCredentials(of: callerRequest) { return false }
            let isFull = flight.renditions.count >= FlightSettings.maxRenditionsPerFlight
            guard let callerRequest, isFull else { return true }
            return flight.rendition(of: callerRequest) != nil
        }
        if let flight = flights[FlightKey(identity: identity, kind: kind)], mayJoin(flight) { return flight }
        switch kind {
        case .origin, .stored: return nil
        case .validation, .redirect:
            // The response of the origin is at least as new as a validated one.
            let flight = flights[FlightKey(identity: identity, kind: .origin)]
            return flight.flatMap { mayJoin($0) ? $0 : nil }
        }
    }

    /// Whether the result of a flight satisfies a request of this mode. After a redirect, a flight of any kind may use
    /// a stored response. After a purge, the origin is asked again.
    private func mayJoin(_ flight: Flight, _ mode: CacheMode) -> Bool {
        guard flight.waiters.count < FlightSettings.maxWaitersPerFlight, !isPurged(flight) else { return false }
        switch flight.kind {
        case .validation, .redirect, .stored: return true
        case .origin: return flight.route.satisfies(mode)
        }
    }

    /// Whether one of a flight's hops was purged after it began.
    func isPurged(_ flight: Flight) -> Bool { cache?.isPurged(flight.route.lookups, since: flight.began) ?? false }
}
