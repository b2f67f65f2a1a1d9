internal import Fetching
internal import Platform
internal import Primitives

// How flights deliver stored responses and their renditions.

extension FlightTable {
    /// Delivers a stored response at once if there is a rendition for the request.
    /// - Returns: whether it was delivered.
    mutating func deliverRendition(
        of route: Route,
        _ selection: CacheSelection,
        _ callerRequest: CallerRequest,
        for number: RequestNumber,
        at now: MonotonicTime
    ) -> Bool {
        let hit = cache?.hit(
            selection,
            route.path,
            limitedTo: route.callerSeconds ?? 0,
            for: callerRequest,
            at: moment(now)
        )
        guard let hit else { return false }
        effects.append(.deliver(to: number, .rendered(hit.response), hit.facts))
        return true
    }

    /// Returns what was made of the stored response that a flight validates; `nil` if there is none.
    func staleRendition(for waiter: Waiter) -> (any FlightResponse)? {
        guard let selected = waiter.flight.route.hop.match?.selection else { return nil }
        return cache?.rendition(of: selected.response, selected.key, for: waiter.callerRequest)?.response
    }

    /// Lets a flight decode a stored response for its requests.
    /// - Parameters:
    ///   - report: how the response was obtained.
    ///   - isStored: whether it stays stored, so that callers may store it too.
    mutating func serve(
        _ selection: CacheSelection,
        isNotModified: Bool = false,
        _ flight: Flight,
        report: CacheReport = CacheReport(.hit),
        isStored: Bool = true,
        at now: MonotonicTime
    ) {
        let stored = selection.response
        let seconds = flight.route.callerSeconds ?? 0
        flight.facts.cache =
            isStored ? report.describing(stored.head, nil, limitedTo: seconds, at: moment(now)) : report
        flight.facts.status = isNotModified ? 304 : stored.head.status
        // The caller has this response. Nothing is made of it that another request could use.
        flight.source = isNotModified ? nil : selection
        flight.content = isNotModified ? emptyContent : stored.content ?? emptyContent
        flight.route.hop.head =
            isNotModified
            ? Hop.Head(status: 304, fields: Preconditions.notModifiedFields(stored.head)) : Hop.Head(stored.head)
        flight.memory = account.emptyMemory()
        flight.state = .serializing
        // The same limit as for the content of a transfer. HEAD has no content.
        let count = flight.route.hop.request.method == "HEAD" ? 0 : flight.content?.count ?? 0
        for waiter in flight.waiters where waiter.callerRequest.maxContentBytes < count {
            end(waiter, .contentTooLong(max: waiter.callerRequest.maxContentBytes), at: now)
        }
        if case .ended = flight.state { return }
        serialize(flight, at: now)
    }

    private var emptyContent: any FlightContent { account.content(OutputBuffer(capacity: 0)) }

    /// Delivers a stored response to one request of a flight, whose others go on waiting for the origin.
    mutating func serve(_ selection: CacheSelection, to waiter: Waiter, at now: MonotonicTime) {
        let flight = waiter.flight
        let own = newFlight(
            waiter.callerRequest,
            flight.key,
            flight.route,
            isShared: false,
            at: now,
            began: flight.began
        )
        own.facts = flight.facts
        detach(waiter, .timedOut, at: now)
        own.add(waiter)
        serveStaleIfError(selection, own, at: now)
    }

    // MARK: In place of a failure

    /// Returns the stored response that the requests of a flight receive in place of a failure; `nil` if there is none.
    func staleIfError(after failure: FlightFailure, _ flight: Flight, at now: MonotonicTime) -> CacheSelection? {
        guard failure.row(flight.facts).permitsStored, let cache, let match = flight.route.hop.match,
            let selection = match.selection, !flight.waiters.isEmpty,
            cache.policy.permitsStaleIfError(match.lookup.request, selection.response.head, now: moment(now))
        else { return nil }
        return selection
    }

    /// Lets a flight decode a stored response, because the origin has failed. A stored redirect is followed.
    mutating func serveStaleIfError(_ selection: CacheSelection, _ flight: Flight, at now: MonotonicTime) {
        let head = Hop.Head(selection.response.head)
        do throws(FlightFailure) {
            if let next = try target(of: flight.route, head, flight.callerRequest.redirects) {
                cache?.count(.stale)
                return follow(next, after: head, callerSeconds: 0, flight, at: now)
            }
        } catch { return fail(flight, error, at: now, isInQueue: false) }
        var report = flight.facts.cache ?? CacheReport(.forwarded(.stale))
        report.detail = "stale-if-error"
        cache?.count(.stale)
        serve(selection, flight, report: report, at: now)
    }
}
