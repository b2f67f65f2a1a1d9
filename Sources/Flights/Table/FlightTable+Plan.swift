internal import Fetching
internal import Platform
internal import Primitives

// How flights use the cache before a request is sent. `FlightTable+Storing` has what follows from the response.
//
//     plan ─┬► served                     a stored response; stored redirects are followed
//           ├► origin, nothing selected   a miss
//           ├► origin, with a selection   a validation, or a request after which the stored response may be used
//           │                             nevertheless
//           └► failed                     only-if-cached, or a redirect that is not allowed

extension FlightTable {
    func moment(_ now: MonotonicTime) -> CacheMoment {
        CacheMoment(wallSeconds: wallSeconds(), nanoseconds: now.nanoseconds)
    }

    /// Decides how a request, or the next request after a redirect, is responded to.
    func plan(
        _ callerRequest: CallerRequest,
        _ request: FetchRequest,
        _ admission: FetchPolicy.Admission,
        _ history: [FollowedRedirect] = [],
        at now: MonotonicTime
    ) -> HopPlan {
        var plan = HopPlan(
            mode: callerRequest.cache,
            request: request,
            admission: admission,
            history: history,
            end: .origin(nil)
        )
        guard let cache else {
            if callerRequest.cache == .onlyIfCached { plan.end = .failed(.onlyIfCached) }
            return plan
        }
        let moment = moment(now)
        while true {
            let match = cache.find(
                plan.request,
                of: callerRequest,
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
                    mode: callerRequest.redirects
                )
                guard case .follow(let next, let admission) = decision else { return plan }
                if let last = plan.revalidations.indices.last, plan.revalidations[last].state.index == match.index {
                    plan.revalidations[last].isFollowed = true
                }
                plan.callerSeconds = min(plan.callerSeconds, selected.response.head.callerSeconds(at: moment))
                if selected.response.head.varyNames != .none { plan.hasVaryingHop = true }
                plan.history.append(FollowedRedirect(status: selected.response.head.status, url: plan.request.url.text))
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

    /// Begins what a plan says.
    mutating func follow(_ plan: HopPlan, _ flight: Flight, at now: MonotonicTime) {
        (flight.request, flight.admission, flight.history) = (plan.request, plan.admission, plan.history)
        flight.callerSeconds = min(flight.callerSeconds, plan.callerSeconds)
        if plan.hasVaryingHop { forbidStoringAfterVaryingHop(flight) }
        revalidate(plan, flight.callerRequest, at: now)
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
