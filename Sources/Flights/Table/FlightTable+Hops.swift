internal import Fetching
internal import Platform
internal import Primitives

// How flights go from hop to hop.
//
//     walk ─┬► served                     a stored response; stored redirects are followed
//           ├► origin, nothing selected   a miss
//           ├► origin, with a selection   a validation, or a request after which the stored response may be used
//           │                             nevertheless
//           └► failure                    only-if-cached, or a redirect that is not allowed
//
// A request that begins, a redirect of an origin, a stale redirect in place of an error, and a request that was
// released from a flight walk in the same way.

extension FlightTable {
    func moment(_ now: MonotonicTime) -> CacheMoment {
        CacheMoment(wallSeconds: wallSeconds(), nanoseconds: now.nanoseconds)
    }

    /// Returns the route that is continued as far as the cache responds. Stale responses that it uses are validated.
    mutating func walk(
        _ route: Route,
        of callerRequest: CallerRequest,
        at now: MonotonicTime
    ) throws(FlightFailure) -> Route {
        guard let cache else {
            guard callerRequest.cache != .onlyIfCached else { throw .onlyIfCached }
            return route
        }
        var route = route
        let moment = moment(now)
        while true {
            let lookup = cache.lookup(
                route.hop.request,
                of: callerRequest,
                isFirst: route.passed.isEmpty,
                keepsOrigin: route.hop.keepsOrigin
            )
            let match = cache.find(lookup, for: callerRequest, now: moment)
            route.hop.match = match
            if case .gatewayTimeout = match.decision { throw .onlyIfCached }
            guard let stored = match.served?.selection.response.head else { return route }
            let next = try target(of: route, Hop.Head(stored), callerRequest.redirects)
            if let forward = match.revalidation {
                revalidate(route.hop, match, forward, isFollowed: next != nil, callerRequest, at: now)
            }
            guard let next else { return route }
            let seconds = match.revalidation == nil ? stored.callerSeconds(at: moment) : 0
            route.follow(Hop.Head(stored), callerSeconds: seconds, to: next)
        }
    }

    /// Returns the hop to which a response redirects; `nil` if the response is the result.
    func target(of route: Route, _ head: Hop.Head, _ mode: RedirectMode) throws(FlightFailure) -> Hop? {
        do throws(RedirectRejection) {
            let decision = try settings.attempts.redirects.decide(
                after: route.hop.request,
                status: head.status,
                locations: HeaderFields(head.fields).values(of: "location"),
                count: route.passed.count,
                mode: mode,
                policy: policy
            )
            guard case .follow(let request, let admission) = decision else { return nil }
            let isSameOrigin = request.url.origin == route.hop.request.url.origin
            return Hop(request, admission, keepsOrigin: route.hop.keepsOrigin && isSameOrigin)
        } catch { throw .redirect(error) }
    }

    /// Continues the route of a flight.
    mutating func walk(_ flight: Flight, of callerRequest: CallerRequest, at now: MonotonicTime) {
        do throws(FlightFailure) {
            flight.route = try walk(flight.route, of: callerRequest, at: now)
        } catch { return fail(flight, error, at: now, isInQueue: false) }
        arrive(flight, at: now)
    }

    /// Follows a redirect.
    /// - Parameter callerSeconds: the time for which callers may use what follows; `nil` if it is not stored.
    mutating func follow(
        _ next: Hop,
        after head: Hop.Head,
        callerSeconds: Int?,
        _ flight: Flight,
        at now: MonotonicTime
    ) {
        flight.route.follow(head, callerSeconds: callerSeconds, to: next)
        // Every request of the flight receives what is found.
        var callerRequest = flight.callerRequest
        callerRequest.cache =
            flight.waiters.map(\.callerRequest.cache).max { $0.strictness < $1.strictness } ?? callerRequest.cache
        walk(flight, of: callerRequest, at: now)
    }

    /// Charges the redirects that a flight has followed.
    /// - Returns: `false` if there is no memory for them.
    private func chargePassedHops(of flight: Flight) -> Bool {
        let bytes = flight.route.passedBytes
        let charged = flight.passedMemory ?? (account.emptyMemory(), 0)
        guard bytes > charged.bytes else { return true }
        flight.passedMemory = (charged.memory, bytes)
        return charged.memory.grow(by: bytes - charged.bytes)
    }

    /// Does what follows from the current hop: its origin is asked, unless the cache responds.
    mutating func arrive(_ flight: Flight, at now: MonotonicTime) {
        guard flight.route.passed.isEmpty || chargePassedHops(of: flight) else {
            return fail(flight, .memory, at: now, isInQueue: false)
        }
        let match = flight.route.hop.match
        guard let served = match?.served else {
            flight.facts.cache = match?.forward.map { CacheReport(.forwarded($0.reason)) }
            return enqueue(flight, at: now)
        }
        // RFC 9211 §2.1: a hit is a request for which no origin was asked.
        var report = CacheReport(.hit)
        if flight.facts.attempts > 0, let earlier = flight.facts.cache {
            report = CacheReport(earlier.action)
            report.forwardStatus = earlier.forwardStatus
        }
        serve(served.selection, isNotModified: served.isNotModified, flight, report: report, at: now)
    }

    /// Starts a flight without requests that validates the stale response of a hop, unless there is one.
    /// - Parameter isFollowed: whether the response is a redirect that is followed. What it leads to is validated on
    ///   its own.
    private mutating func revalidate(
        _ hop: Hop,
        _ match: ResponseCache.Match,
        _ forward: CacheForward,
        isFollowed: Bool,
        _ callerRequest: CallerRequest,
        at now: MonotonicTime
    ) {
        let request = match.lookup.request.revalidation
        var callerRequest = callerRequest
        callerRequest.request = FetchRequest(method: request.method, url: request.url, fields: request.fields)
        callerRequest.admission = hop.admission
        callerRequest.cache = request.mode
        callerRequest.permitsStoring = true
        if !match.lookup.isCallersKey { callerRequest.cacheKey = nil }
        if isFollowed { callerRequest.redirects = .manual }
        let kind: FlightKind = isFollowed ? .redirect : .validation(.default)
        let key = FlightKey(identity: callerRequest.identity, kind: kind)
        guard flightToJoin(key.identity, key.kind, .default, with: nil) == nil else { return }
        var route = Route(of: callerRequest, keepsOrigin: hop.keepsOrigin)
        var lookup = match.lookup
        lookup.request = request
        route.hop.match = ResponseCache.Match(lookup: lookup, selection: match.selection, decision: .forward(forward))
        let flight = newFlight(callerRequest, key, route, isShared: true, at: now)
        flight.isBackground = true
        flights[key] = flight
        arrive(flight, at: now)
    }
}
