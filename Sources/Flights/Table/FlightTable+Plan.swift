internal import Fetching
internal import Platform
internal import Primitives

// How flights use the cache before a request is sent. `FlightTable+Cache` has what follows from the response.
//
//     plan ─┬► served                     a stored response; stored redirects are followed
//           ├► origin, nothing selected   a miss
//           ├► origin, with a selection   a validation, or a request after which the stored response may be used nevertheless
//           └► failed                     only-if-cached, or a redirect that is not allowed
//
// Which flights a request joins depends on what may be their result:
//
//     FlightKind.origin          the response of the origin: every request joins
//     FlightKind.validation      perhaps a stored response, by the rules of one mode: requests of this mode join
//     FlightKind.stored          a stored response that is being decoded: requests that selected the same one join

/// The key of the flights that can be joined.
struct FlightKey: Hashable {
    let identity: FlightIdentity
    let kind: FlightKind
}

enum FlightKind: Hashable {
    case origin
    case validation(CacheMode)
    case stored(generation: UInt128, revision: Int, isNotModified: Bool)
}

/// What a flight knows about the cache for its current hop.
struct FlightCacheState {
    let request: CacheRequest
    let index: CacheKey
    var forward: CacheForward
    /// The stored response that the request selected.
    let selected: CacheSelection?
    /// The time at which the current attempt began.
    var requested = CacheMoment(wallSeconds: 0, nanoseconds: 0)
    /// What follows from the response of the origin; `nil` before its head.
    var outcome: CacheOutcome?
    /// Whether the response must not be stored, rather than there being no reason to store it.
    var forbidsStoring = false
}

/// A response in the cache, and its key.
struct CacheSelection {
    let key: ResponseKey
    let response: StoredResponse
}

/// How the next request of a flight is responded to.
struct HopPlan {
    enum End {
        /// The origin is asked. Without a cache, there is no state.
        case origin(FlightCacheState?)
        case served(CacheSelection, isNotModified: Bool)
        case failed(FlightFailure)
    }

    /// A stale response that is used while the origin validates it.
    struct Revalidation {
        let admission: FetchPolicy.Admission
        let state: FlightCacheState
        /// Whether it is a redirect that was followed.
        var isFollowed = false
    }

    let mode: CacheMode
    var request: FetchRequest
    var admission: FetchPolicy.Admission
    /// The redirects that were followed, all of which were stored.
    var history: [FollowedRedirect]
    var revalidations: [Revalidation] = []
    /// The time for which callers may use what is stored, in seconds, because of the redirects that were followed, or because it is stale.
    var callerSeconds = Int.max
    /// Whether one of the redirects names fields in `Vary`.
    var hasVaryingHop = false
    var end: End

    /// The kind of a flight that begins with this plan.
    var kind: FlightKind {
        switch end {
        case .served(let selection, let isNotModified):
            return .stored(
                generation: selection.response.generation,
                revision: selection.response.revision,
                isNotModified: isNotModified
            )
        case .failed: return .origin
        case .origin(let state):
            let mayUseStored = state?.selected != nil && mode != .reload && mode != .noStore
            return mayUseStored || !history.isEmpty ? .validation(mode) : .origin
        }
    }
}

extension FlightTable {
    func moment(_ now: MonotonicTime) -> CacheMoment {
        CacheMoment(wallSeconds: wallSeconds(), nanoseconds: now.nanoseconds)
    }

    // MARK: Before the request

    /// Decides how a request, or the next request after a redirect, is responded to.
    func plan(
        _ order: FetchOrder,
        _ request: FetchRequest,
        _ admission: FetchPolicy.Admission,
        _ history: [FollowedRedirect] = [],
        at now: MonotonicTime
    ) -> HopPlan {
        var plan = HopPlan(
            mode: order.cache,
            request: request,
            admission: admission,
            history: history,
            end: .origin(nil)
        )
        guard let cache else {
            if order.cache == .onlyIfCached { plan.end = .failed(.onlyIfCached) }
            return plan
        }
        let moment = moment(now)
        while true {
            let match = cache.find(
                plan.request,
                of: order,
                isFirst: plan.history.isEmpty,
                policy: settings.policy,
                now: moment
            )
            let selected: CacheSelection? =
                if let key = match.key, let stored = match.stored { CacheSelection(key: key, response: stored) } else {
                    nil
                }
            func state(_ forward: CacheForward) -> FlightCacheState {
                FlightCacheState(request: match.request, index: match.index, forward: forward, selected: selected)
            }
            switch (match.decision, selected) {
            case (.gatewayTimeout, _):
                plan.end = .failed(.onlyIfCached)
                return plan
            case (.forward(let forward), _):
                plan.end = .origin(state(forward))
                return plan
            case (.serve(let isNotModified), let selected?):
                plan.end = .served(selected, isNotModified: isNotModified)
            case (.serveStale(let isNotModified, let forward), let selected?):
                plan.end = .served(selected, isNotModified: isNotModified)
                plan.callerSeconds = 0
                plan.revalidations.append(
                    HopPlan.Revalidation(
                        admission: plan.admission,
                        state: FlightCacheState(
                            request: match.request.revalidation,
                            index: match.index,
                            forward: forward,
                            selected: selected
                        )
                    )
                )
            case (.serve, nil), (.serveStale, nil):
                // Only a stored response is served.
                return plan
            }
            guard let selected else { return plan }
            do throws(RedirectRejection) {
                let decision = try decideRedirect(
                    plan.request,
                    status: selected.response.head.status,
                    selected.response.head.fields,
                    count: plan.history.count,
                    mode: order.redirects
                )
                guard case .follow(let next, let admission) = decision else { return plan }
                if let last = plan.revalidations.indices.last, plan.revalidations[last].state.index == match.index {
                    plan.revalidations[last].isFollowed = true
                }
                plan.callerSeconds = min(plan.callerSeconds, selected.response.head.callerSeconds(at: moment))
                if selected.response.head.varyNames != .none { plan.hasVaryingHop = true }
                plan.history.append(
                    FollowedRedirect(status: selected.response.head.status, url: plan.request.url.text)
                )
                (plan.request, plan.admission) = (next, admission)
            } catch {
                plan.end = .failed(.redirect(error))
                return plan
            }
        }
    }

    func decideRedirect(
        _ request: FetchRequest,
        status: Int,
        _ fields: [HeaderFields.Field],
        count: Int,
        mode: RedirectMode
    ) throws(RedirectRejection) -> RedirectDecision {
        try settings.redirects.decide(
            after: request,
            status: status,
            locations: HeaderFields(fields).values(of: "location"),
            count: count,
            mode: mode,
            policy: settings.policy
        )
    }

    /// Returns the flight that a request joins; `nil` if it begins its own.
    func flightToJoin(_ identity: FlightIdentity, _ kind: FlightKind, _ mode: CacheMode) -> Flight? {
        if let flight = flights[FlightKey(identity: identity, kind: kind)], mayJoin(flight, mode) { return flight }
        switch kind {
        case .origin, .stored: return nil
        case .validation:
            // The response of the origin is at least as new as a validated one.
            guard let flight = flights[FlightKey(identity: identity, kind: .origin)], mayJoin(flight, mode) else {
                return nil
            }
            return flight
        }
    }

    /// Whether the result of a flight satisfies a request of this mode. After a redirect, a flight of any kind may use a stored response:
    /// see `storedMode`. After a purge, the origin is asked again.
    private func mayJoin(_ flight: Flight, _ mode: CacheMode) -> Bool {
        guard flight.receipts.count < FlightSettings.maxReceiptsPerFlight, !isPurged(flight) else { return false }
        switch flight.kind {
        case .validation, .stored: return true
        case .origin:
            let selecting = flight.cache.flatMap { $0.selected == nil ? nil : $0.request.mode }
            return [flight.storedMode, selecting].allSatisfy { $0.map { $0.strictness >= mode.strictness } ?? true }
        }
    }

    /// Whether one of a flight's URLs was purged after it began.
    private func isPurged(_ flight: Flight) -> Bool {
        cache?.isPurged(flight.order, redirectedTo: flight.request.url, since: flight.began) ?? false
    }

    /// Begins what a plan says.
    mutating func follow(_ plan: HopPlan, _ flight: Flight, at now: MonotonicTime) {
        (flight.request, flight.admission, flight.history) = (plan.request, plan.admission, plan.history)
        flight.callerSeconds = min(flight.callerSeconds, plan.callerSeconds)
        if plan.hasVaryingHop { forbidStoringAfterVaryingHop(flight) }
        revalidate(plan, flight.order, at: now)
        flight.cache = nil
        flight.head = nil
        switch plan.end {
        case .origin(let state):
            flight.cache = state
            flight.facts.cache = state.map { CacheReport(.forwarded($0.forward.reason)) }
            enqueue(flight, at: now)
        case .served(let selection, let isNotModified):
            flight.useStored(by: plan.mode)
            // RFC 9211 §2.1: a hit is a request for which no origin was asked.
            var report = CacheReport(.hit)
            if flight.facts.attempts > 0, let earlier = flight.facts.cache {
                report = CacheReport(earlier.action)
                report.forwardStatus = earlier.forwardStatus
            }
            serve(selection, isNotModified: isNotModified, flight, report: report, at: now)
        case .failed(let failure):
            fail(flight, failure, at: now, isInQueue: false)
        }
    }
}
