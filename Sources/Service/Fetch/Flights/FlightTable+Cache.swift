internal import Fetching
internal import Platform
internal import Serialization

// How flights use the cache: what is found before a request is sent, and what follows from the response.
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
    var history: [PrecedingResponse]
    var revalidations: [Revalidation] = []
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
        _ history: [PrecedingResponse] = [],
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
                plan.history.append(
                    PrecedingResponse(
                        status: selected.response.head.status,
                        fields: HeaderFields(),
                        url: plan.request.url.text
                    )
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
        guard !isPurged(flight) else { return false }
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
            serve(selection, isNotModified: isNotModified, flight, at: now)
        case .failed(let failure):
            fail(flight, failure, at: now, isInQueue: false)
        }
    }

    // MARK: Stored responses

    /// Delivers a stored response at once if there is a rendition for the request.
    /// - Returns: whether it was delivered.
    mutating func deliverRendition(
        _ selection: CacheSelection,
        _ plan: HopPlan,
        _ order: FetchOrder,
        ticket: UInt64,
        at now: MonotonicTime
    ) -> Bool {
        guard let cache, let rendition = cache.rendition(of: selection.response, selection.key, for: order) else {
            return false
        }
        var facts = FlightFacts(url: plan.request.url.text)
        let report = CacheReport(.hit)
        facts.status = selection.response.head.status
        facts.cache = report.describing(selection.response.head, rendition, at: moment(now))
        let path = ResponsePath(selection.response, url: plan.request.url, history: plan.history)
        let response = cache.response(of: rendition, selection.response, selection.key, path, for: order)
        effects.append(.deliver(ticket: ticket, .rendered(response), facts))
        return true
    }

    /// Returns what was made of the stored response that a flight validates; `nil` if there is none.
    func staleRendition(for receipt: Receipt) -> RenderedResponse? {
        guard let selected = receipt.flight.cache?.selected else { return nil }
        return cache?.rendition(of: selected.response, selected.key, for: receipt.order)?.response
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
        flight.facts.cache = isStored ? report.describing(stored.head, nil, at: moment(now)) : report
        flight.facts.status = isNotModified ? 304 : stored.head.status
        // The caller has this response. Nothing is made of it that another request could use.
        flight.source = isNotModified ? nil : selection
        flight.content = isNotModified ? SharedBytes([]) : stored.content ?? SharedBytes([])
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
        flight.memory = try? account.reserve(0, besides: 0)
        flight.state = .serializing
        // The same limit as for the content of a transfer. HEAD has no content.
        let count = flight.request.method == "HEAD" ? 0 : flight.content?.count ?? 0
        for receipt in flight.receipts where receipt.order.maxContentBytes < count {
            end(receipt, .contentTooLong(max: receipt.order.maxContentBytes), at: now)
        }
        if case .ended = flight.state { return }
        serialize(flight, at: now)
    }

    /// Delivers a stored response to one request of a flight, whose others go on waiting for the origin.
    mutating func serve(_ selection: CacheSelection, to receipt: Receipt, at now: MonotonicTime) {
        let flight = receipt.flight
        let own = Flight(
            receipt.order,
            identity: flight.identity,
            kind: flight.kind,
            isShared: false,
            at: now,
            cacheTime: flight.began
        )
        (own.request, own.admission, own.facts) = (flight.request, flight.admission, flight.facts)
        (own.history, own.hops, own.hasUnstoredHop) = (flight.history, flight.hops, flight.hasUnstoredHop)
        detach(receipt, .timedOut, at: now)
        own.receipts = [receipt]
        receipt.flight = own
        serveInsteadOfFailure(selection, own, at: now)
    }

    /// Lets a flight decode a stored response, because the origin has failed.
    mutating func serveInsteadOfFailure(_ selection: CacheSelection, _ flight: Flight, at now: MonotonicTime) {
        var report = flight.facts.cache ?? CacheReport(.forwarded(.stale))
        report.detail = "stale-if-error"
        cache?.count(.stale)
        serve(selection, flight, report: report, at: now)
    }

    /// Delivers the renditions that exist, and starts the serializations of all others.
    mutating func serialize(_ flight: Flight, at now: MonotonicTime) {
        flight.state = .serializing
        var served = 0
        if let source = flight.source, let cache {
            for receipt in flight.receipts {
                guard let rendition = cache.rendition(of: source.response, source.key, for: receipt.order) else {
                    continue
                }
                let path = ResponsePath(source.response, url: flight.request.url, history: flight.history)
                let response = cache.response(of: rendition, source.response, source.key, path, for: receipt.order)
                flight.receipts.removeAll { $0 === receipt }
                unregister(receipt)
                conclude(receipt, .rendered(response), at: now, entityTag: rendition.entityTag)
                served += 1
            }
        }
        guard !flight.receipts.isEmpty else { return succeed(flight, served, at: now) }
        for receipt in flight.receipts { serialize(flight, for: receipt) }
    }

    /// Keeps what was made of a stored response.
    /// - Returns: the rendition; `nil` if nothing is stored.
    func keepRendition(_ response: RenderedResponse, _ order: FetchOrder, _ flight: Flight) -> Rendition? {
        guard let cache, let source = flight.source, response.isStorable else { return nil }
        let rendition = Rendition(
            response,
            revision: source.response.revision,
            path: ResponsePath(source.response, url: flight.request.url, history: flight.history),
            entityTag: Rendition.newEntityTag(source.response)
        )
        cache.insert(rendition, of: order, below: source.key, source.response)
        return rendition
    }

    /// Starts a flight without requests for each stale response that a plan uses, unless there is one.
    mutating func revalidate(_ plan: HopPlan, _ order: FetchOrder, at now: MonotonicTime) {
        for revalidation in plan.revalidations {
            let request = revalidation.state.request
            var order = order
            order.request = FetchRequest(method: request.method, url: request.url, fields: request.fields)
            order.cache = request.mode
            order.permitsStoring = true
            order.admission = revalidation.admission
            // The response after it is validated on its own.
            if revalidation.isFollowed { order.redirects = .manual }
            let key = FlightKey(identity: order.identity, kind: .validation(.default))
            guard flightToJoin(key.identity, key.kind, .default) == nil else { continue }
            let flight = Flight(
                order,
                identity: key.identity,
                kind: key.kind,
                isShared: true,
                at: now,
                cacheTime: cacheTime
            )
            flight.isBackground = true
            flight.cache = revalidation.state
            flight.facts.cache = CacheReport(.forwarded(revalidation.state.forward.reason))
            flights[key] = flight
            enqueue(flight, at: now)
        }
    }

    // MARK: The response of the origin

    /// Decides what follows from the head of a response, and applies what does not need its content.
    func receive(_ head: FetchHead, _ flight: Flight, at now: MonotonicTime) {
        guard let cache, var state = flight.cache else { return }
        let response = OriginResponse(
            status: head.status,
            fields: head.fields,
            requested: state.requested,
            received: moment(now)
        )
        cache.invalidate(after: state.request, status: head.status, fields: head.fields, of: flight.order)
        let decided = cache.policy.receive(response, for: permitting(state.request, flight), state.forward)
        state.forbidsStoring = decided.forbidsStoring
        let outcome = shared(decided, flight)
        state.outcome = outcome
        flight.cache = state
        flight.facts.cache?.forwardStatus = head.status
        guard let selected = state.selected else { return }
        switch outcome {
        case .pass(_, removesStored: true): cache.remove(selected.key)
        case .update(let head):
            cache.update(selected.response.replacing(head), selected, state, of: flight.order, began: flight.began)
        case .pass, .store, .freshened, .fetchAgain, .serveStale: break
        }
    }

    /// Returns the outcome with what may be stored under a caller's key, where other callers receive it; the same outcome without such a key.
    private func shared(_ outcome: CacheOutcome, _ flight: Flight) -> CacheOutcome {
        guard flight.order.cacheKey != nil else { return outcome }
        switch outcome {
        case .store(let head):
            return head.withoutURLs.map { .store($0) } ?? .pass(.request, removesStored: flight.history.isEmpty)
        // After a redirect, the stored response is that of a URL.
        case .freshened(let head, let isStorable) where flight.history.isEmpty:
            return .freshened(head.withoutURLs ?? head, isStorable: isStorable && head.withoutURLs != nil)
        case .update(let head) where flight.history.isEmpty:
            return head.withoutURLs.map { .update($0) } ?? .pass(.request, removesStored: true)
        case .freshened, .update, .fetchAgain, .serveStale, .pass: return outcome
        }
    }

    /// Returns the request, whose response may be stored if one of the requests of the flight permits it.
    private func permitting(_ request: CacheRequest, _ flight: Flight) -> CacheRequest {
        guard !request.allowsStoring, let cache,
            let other = flight.receipts.first(where: { $0.order.permitsStoring })
        else { return request }
        var order = flight.order
        order.permitsStoring = other.order.permitsStoring
        return cache.request(
            FetchRequest(
                method: request.method,
                url: request.url,
                fields: request.fields,
                content: flight.request.content
            ),
            of: order
        )
    }

    /// Stores a redirect that is followed, without its content.
    /// - Returns: whether it is stored.
    func storeRedirect(_ flight: Flight) -> Bool {
        // A redirect may contain what only this caller may know.
        guard let cache, let state = flight.cache, flight.order.cacheKey == nil else { return false }
        switch state.outcome {
        case .store(let head):
            let stored = StoredResponse(head, content: nil, generation: StoredResponse.newGeneration())
            let key = cache.insert(
                stored,
                state.index,
                state.request.fields,
                of: flight.order,
                began: flight.began
            )
            return key != nil
        case .freshened(let head, let isStorable):
            guard let selected = state.selected else { return false }
            if isStorable {
                cache.update(selected.response.replacing(head), selected, state, of: flight.order, began: flight.began)
            } else {
                cache.remove(selected.key)
            }
            return isStorable
        case .fetchAgain, .serveStale, .pass, .update, nil: return false
        }
    }

    /// Stores the response at the end of its transfer, or what a validation has made of a stored one.
    /// - Returns: what the requests receive in place of the response, and whether it stays stored; `nil` if it is the response itself.
    mutating func store(
        _ flight: Flight,
        _ content: SharedBytes,
        at now: MonotonicTime
    ) -> (selection: CacheSelection, isStored: Bool)? {
        guard let cache, let state = flight.cache else { return nil }
        switch state.outcome {
        case .store(let head):
            let stored = StoredResponse(head, content: content, generation: StoredResponse.newGeneration())
            // After redirects under a caller's key, the response is stored under that key: see `ResponseCache`.
            let firstKey = flight.history.isEmpty ? nil : flight.order.cacheKey
            if firstKey != nil, flight.hasForbiddenHop { return nil }
            let index =
                firstKey.map {
                    CacheKey(partition: flight.order.partition, url: flight.order.request.url, cacheKey: $0)
                } ?? state.index
            guard
                let key = cache.insert(
                    stored,
                    index,
                    firstKey == nil ? state.request.fields : flight.order.request.fields,
                    of: flight.order,
                    began: flight.began
                )
            else { return nil }
            storeAlias(of: stored, flight)
            flight.source = CacheSelection(key: key, response: stored)
            flight.facts.cache = (flight.facts.cache ?? CacheReport(.forwarded(.uriMiss)))
                .describing(head, nil, at: moment(now))
            flight.facts.cache?.isStored = true
            return nil
        case .freshened(let head, let isStorable):
            guard let selected = state.selected else { return nil }
            let stored = selected.response.replacing(head)
            var key: ResponseKey?
            if isStorable {
                key = cache.update(stored, selected, state, of: flight.order, began: flight.began)
            } else {
                cache.remove(selected.key)
            }
            return (CacheSelection(key: key ?? selected.key, response: stored), key != nil)
        case .fetchAgain, .serveStale, .pass, .update, nil: return nil
        }
    }

    private func storeAlias(of stored: StoredResponse, _ flight: Flight) {
        let order = flight.order
        guard order.aliasesRedirects, order.cacheKey == nil, !flight.history.isEmpty, !flight.hasForbiddenHop, let cache
        else { return }
        let alias = StoredResponse(
            stored.head,
            content: stored.content,
            generation: stored.generation,
            alias: StoredResponse.Alias(
                url: flight.request.url,
                history: flight.history,
                hops: flight.hops
            )
        )
        _ = cache.insert(
            alias,
            CacheKey(partition: order.partition, url: order.request.url, cacheKey: nil),
            order.request.fields,
            of: order,
            began: flight.began
        )
    }

    /// Returns the stored response that the requests of a flight receive in place of a failure; `nil` if there is none.
    func substitute(for failure: FlightFailure, _ flight: Flight, at now: MonotonicTime) -> CacheSelection? {
        switch failure {
        case .attempt(.addressNotAllowed, _, _): return nil
        // RFC 5861 §4: what would otherwise result in 502, 503 or 504.
        case .attempt, .circuitOpen, .unavailable, .timedOut, .queueFull, .queueTimeout: break
        case .redirect, .cancelled, .superseded, .memory, .originMemory, .contentTooLong, .onlyIfCached, .draining:
            return nil
        }
        guard let cache, let state = flight.cache, let selected = state.selected, !flight.receipts.isEmpty,
            cache.policy.permitsStaleOnError(state.request, selected.response.head, now: moment(now))
        else { return nil }
        return selected
    }
}

extension ResponsePath {
    /// - Parameters:
    ///   - url: the URL of the last request.
    ///   - history: the redirects before it.
    init(_ stored: StoredResponse?, url: FetchURL, history: [PrecedingResponse]) {
        guard let alias = stored?.alias else {
            self.init(url: url.text, history: history)
            return
        }
        self.init(url: alias.url.text, history: history + alias.history)
    }
}

extension CacheOutcome {
    /// Whether the response must not be stored, rather than there being no reason to store it.
    fileprivate var forbidsStoring: Bool {
        switch self {
        case .pass(let refusal, _):
            switch refusal {
            case .request, .noStore, .isPrivate, .varies, .authorization, .cookie: true
            case .incomplete, .status, .lifetime: false
            }
        case .freshened(_, let isStorable): !isStorable
        case .store, .fetchAgain, .serveStale, .update: false
        }
    }
}

/// What the fields of a response say about the cache.
struct CacheReport: Equatable, Sendable {
    var action: CacheStatus.Action
    var forwardStatus: Int?
    var isStored = false
    var detail: String?
    /// What is known about the stored response; `nil` if there is none.
    var stored: Stored?

    struct Stored: Equatable, Sendable {
        var ttl: Int
        var ageSeconds: Int
        var cacheControl: String
        /// Decant's own entity tag; `nil` if nothing was made of the response that is stored.
        var entityTag: String?
    }

    init(_ action: CacheStatus.Action) {
        self.action = action
    }

    /// Returns the report with the properties of a stored response.
    func describing(_ head: StoredHead, _ rendition: Rendition?, at now: CacheMoment) -> CacheReport {
        var report = self
        report.stored = Stored(
            ttl: head.ttl(at: now),
            ageSeconds: head.freshness.ageSeconds(at: now),
            cacheControl: head.callerCacheControl,
            entityTag: rendition?.entityTag
        )
        return report
    }

    /// The value of `Cache-Status`.
    func text(isCollapsed: Bool) -> String {
        var status = CacheStatus(action)
        status.forwardStatus = forwardStatus
        status.ttl = stored?.ttl
        status.isStored = isStored
        status.isCollapsed = isCollapsed
        status.detail = detail
        return status.value
    }
}
