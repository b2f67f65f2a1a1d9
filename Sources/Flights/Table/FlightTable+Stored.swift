internal import Fetching
internal import Platform
internal import Primitives

// How flights deliver stored responses and their renditions, and validate those that are used although they are stale.

extension FlightTable {
    /// Delivers a stored response at once if there is a rendition for the request.
    /// - Returns: whether it was delivered.
    mutating func deliverRendition(
        _ selection: CacheSelection,
        _ plan: HopPlan,
        _ callerRequest: CallerRequest,
        for number: RequestNumber,
        at now: MonotonicTime
    ) -> Bool {
        let hit = cache?.hit(
            selection,
            url: plan.request.url,
            history: plan.history,
            limitedTo: plan.callerSeconds,
            for: callerRequest,
            at: moment(now)
        )
        guard let hit else { return false }
        effects.append(.deliver(to: number, .rendered(hit.response), hit.facts))
        return true
    }

    /// Returns what was made of the stored response that a flight validates; `nil` if there is none.
    func staleRendition(for receipt: Receipt) -> (any FlightResponse)? {
        guard let selected = receipt.flight.cache?.selected else { return nil }
        return cache?.rendition(of: selected.response, selected.key, for: receipt.callerRequest)?.response
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
        if let mode = flight.cache?.request.mode { flight.useStored(by: mode) }
        let stored = selection.response
        let moment = moment(now)
        let seconds = min(flight.callerSeconds, stored.redirectSeconds(at: moment))
        flight.facts.cache = isStored ? report.describing(stored.head, nil, limitedTo: seconds, at: moment) : report
        flight.facts.status = isNotModified ? 304 : stored.head.status
        // The caller has this response. Nothing is made of it that another request could use.
        flight.source = isNotModified ? nil : selection
        flight.content = isNotModified ? emptyContent : stored.content ?? emptyContent
        guard
            let head = try? FetchHead(
                status: isNotModified ? 304 : stored.head.status,
                fields: isNotModified ? Preconditions.notModifiedFields(stored.head) : stored.head.fields
            )
        else {
            let phase = FetchPhase.head
            let failure = FlightFailure.attempt(
                .malformedResponse,
                in: phase,
                hostIsNamed: flight.admission.hostIsNamed
            )
            return fail(flight, failure, at: now, isInQueue: false)
        }
        flight.head = head
        flight.memory = account.emptyMemory()
        flight.state = .serializing
        // The same limit as for the content of a transfer. HEAD has no content.
        let count = flight.request.method == "HEAD" ? 0 : flight.content?.count ?? 0
        for receipt in flight.receipts where receipt.callerRequest.maxContentBytes < count {
            end(receipt, .contentTooLong(max: receipt.callerRequest.maxContentBytes), at: now)
        }
        if case .ended = flight.state { return }
        serialize(flight, at: now)
    }

    private var emptyContent: any FlightContent { account.content(OutputBuffer(capacity: 0)) }

    /// Delivers a stored response to one request of a flight, whose others go on waiting for the origin.
    mutating func serve(_ selection: CacheSelection, to receipt: Receipt, at now: MonotonicTime) {
        let flight = receipt.flight
        let own = newFlight(receipt.callerRequest, flight.key, isShared: false, at: now, began: flight.began)
        (own.request, own.admission, own.facts) = (flight.request, flight.admission, flight.facts)
        (own.history, own.hops, own.hasUnstoredHop) = (flight.history, flight.hops, flight.hasUnstoredHop)
        own.callerSeconds = flight.callerSeconds
        detach(receipt, .timedOut, at: now)
        own.receipts = [receipt]
        receipt.flight = own
        serveInsteadOfFailure(selection, own, at: now)
    }

    // MARK: In place of a failure

    /// Returns the stored response that the requests of a flight receive in place of a failure; `nil` if there is none.
    func substitute(for failure: FlightFailure, _ flight: Flight, at now: MonotonicTime) -> CacheSelection? {
        guard failure.permitsStored, let cache, let state = flight.cache, let selected = state.selected,
            !flight.receipts.isEmpty,
            cache.policy.permitsStaleOnError(state.request, selected.response.head, now: moment(now))
        else { return nil }
        return selected
    }

    /// Lets a flight decode a stored response, because the origin has failed. A stored redirect is followed.
    mutating func serveInsteadOfFailure(_ selection: CacheSelection, _ flight: Flight, at now: MonotonicTime) {
        let head = selection.response.head
        do throws(RedirectRejection) {
            let decision = try decideRedirect(
                flight.request,
                status: head.status,
                head.fields,
                count: flight.history.count,
                mode: flight.redirects
            )
            if case .follow(let next, let admission) = decision {
                cache?.count(.stale)
                // It is stale. What it leads to is not stored in its place.
                (flight.callerSeconds, flight.hasForbiddenHop) = (0, true)
                if let mode = flight.cache?.request.mode { flight.useStored(by: mode) }
                return follow(next, admission, after: head.status, flight, at: now)
            }
        } catch {
            return fail(flight, .redirect(error), at: now, isInQueue: false)
        }
        var report = flight.facts.cache ?? CacheReport(.forwarded(.stale))
        report.detail = "stale-if-error"
        cache?.count(.stale)
        serve(selection, flight, report: report, at: now)
    }

    // MARK: Validations

    /// Starts a flight without requests for each stale response that a plan uses, unless there is one.
    mutating func revalidate(_ plan: HopPlan, _ callerRequest: CallerRequest, at now: MonotonicTime) {
        let firstIndex = cache?.firstIndex(of: callerRequest)
        for revalidation in plan.revalidations {
            let request = revalidation.state.request
            var callerRequest = callerRequest
            callerRequest.request = FetchRequest(method: request.method, url: request.url, fields: request.fields)
            callerRequest.cache = request.mode
            // The caller's key is that of the first URL.
            if revalidation.state.index != firstIndex { callerRequest.cacheKey = nil }
            callerRequest.permitsStoring = true
            callerRequest.admission = revalidation.admission
            // The response after it is validated on its own.
            if revalidation.isFollowed { callerRequest.redirects = .manual }
            let key = FlightKey(identity: callerRequest.identity, kind: .validation(.default))
            guard flightToJoin(key.identity, key.kind, .default) == nil else { continue }
            let flight = newFlight(callerRequest, key, isShared: true, at: now)
            flight.isBackground = true
            flight.cache = revalidation.state
            flight.facts.cache = CacheReport(.forwarded(revalidation.state.forward.reason))
            flights[key] = flight
            enqueue(flight, at: now)
        }
    }
}
