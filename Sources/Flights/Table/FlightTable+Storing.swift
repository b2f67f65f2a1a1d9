internal import Fetching
internal import Platform

// What follows from the response of an origin: what is stored, updated or removed, and what the requests receive.

extension FlightTable {
    /// Decides what follows from the head of a response, and applies what does not need its content.
    func receive(_ head: FetchHead, _ flight: Flight, at now: MonotonicTime) {
        guard let cache, var state = flight.cache else { return }
        let response = OriginResponse(
            status: head.status,
            fields: head.fields,
            requested: state.requested,
            received: moment(now)
        )
        cache.invalidate(after: state.request, status: head.status, fields: head.fields, of: flight.callerRequest)
        let decided = cache.policy.receive(response, for: permitting(state.request, flight), state.forward)
        state.forbidsStoring = decided.forbidsStoring
        let outcome = shared(decided, flight)
        state.outcome = outcome
        flight.cache = state
        flight.facts.cache?.forwardStatus = head.status
        guard let selected = state.selected else { return }
        switch outcome {
        case .pass(_, removesStored: true):
            // A redirect to the stored response does not prove that it is outdated.
            if selected.response.isRedirected, 300...399 ~= head.status { return }
            cache.remove(selected.key)
        case .update(let head):
            cache.update(
                selected.response.replacing(head),
                selected,
                state,
                of: flight.callerRequest,
                began: flight.began
            )
        case .pass, .store, .freshened, .fetchAgain, .serveStale: break
        }
    }

    /// Returns the outcome with what may be stored under a caller's key, where other callers receive it; the same
    /// outcome without such a key.
    func shared(_ outcome: CacheOutcome, _ flight: Flight) -> CacheOutcome {
        guard flight.callerRequest.cacheKey != nil else { return outcome }
        switch outcome {
        case .store(let head):
            return head.withoutURLs.map { .store($0) } ?? .pass(.request, removesStored: flight.history.isEmpty)
        // After a redirect, the stored response may be that of a URL.
        case .freshened(let head, let isStorable) where isUnderCallersKey(flight):
            return .freshened(head.withoutURLs ?? head, isStorable: isStorable && head.withoutURLs != nil)
        case .update(let head) where isUnderCallersKey(flight):
            return head.withoutURLs.map { .update($0) } ?? .pass(.request, removesStored: true)
        case .freshened, .update, .fetchAgain, .serveStale, .pass: return outcome
        }
    }

    private func isUnderCallersKey(_ flight: Flight) -> Bool {
        flight.callerRequest.cacheKey != nil && flight.cache?.index == cache?.firstIndex(of: flight.callerRequest)
    }

    /// Returns the request, whose response may be stored if one of the requests of the flight permits it, or uses it
    /// whatever its lifetime is.
    private func permitting(_ request: CacheRequest, _ flight: Flight) -> CacheRequest {
        var request = request
        if flight.receipts.contains(where: { $0.callerRequest.cache == .forceCache }) { request.ignoresLifetime = true }
        guard !request.allowsStoring, let cache,
            let other = flight.receipts.first(where: { $0.callerRequest.permitsStoring })
        else { return request }
        var callerRequest = flight.callerRequest
        callerRequest.permitsStoring = other.callerRequest.permitsStoring
        var permitted = cache.request(
            FetchRequest(
                method: request.method,
                url: request.url,
                fields: request.fields,
                content: flight.request.content
            ),
            of: callerRequest
        )
        permitted.ignoresLifetime = request.ignoresLifetime
        return permitted
    }

    // MARK: Storing

    /// Stores the response at the end of its transfer, or what a validation has made of a stored one.
    /// - Returns: what the requests receive in place of the response, and whether it stays stored; `nil` if it is the
    ///   response itself.
    mutating func store(
        _ flight: Flight,
        _ content: any FlightContent,
        at now: MonotonicTime
    ) -> (selection: CacheSelection, isStored: Bool)? {
        guard let cache, let state = flight.cache else { return nil }
        switch state.outcome {
        case .store(let head):
            // After redirects under a caller's key, the response is stored under that key: see `ResponseCache`.
            let isUnderFirstKey = !flight.history.isEmpty && flight.callerRequest.cacheKey != nil
            if isUnderFirstKey, flight.hasForbiddenHop { return nil }
            let stored = StoredResponse(
                head,
                content: content,
                generation: StoredResponse.newGeneration(),
                redirectExpiry: isUnderFirstKey ? redirectExpiry(flight, at: now) : nil
            )
            guard
                let key = cache.insert(
                    stored,
                    isUnderFirstKey ? cache.firstIndex(of: flight.callerRequest) : state.index,
                    isUnderFirstKey ? flight.callerRequest.request.fields : state.request.fields,
                    of: flight.callerRequest,
                    began: flight.began
                )
            else { return nil }
            // The request had directives, and what is stored without them is older.
            if let selected = state.selected, selected.key != key { cache.remove(selected.key) }
            storeAlias(of: stored, flight, at: now)
            flight.source = CacheSelection(key: key, response: stored)
            flight.facts.cache = (flight.facts.cache ?? CacheReport(.forwarded(.uriMiss)))
                .describing(head, nil, limitedTo: flight.callerSeconds, at: moment(now))
            flight.facts.cache?.isStored = true
            return nil
        case .freshened(let head, let isStorable):
            guard let selected = state.selected else { return nil }
            let stored = selected.response.replacing(head)
            var key: ResponseKey?
            if isStorable {
                key = cache.update(stored, selected, state, of: flight.callerRequest, began: flight.began)
            } else {
                cache.remove(selected.key)
            }
            return (CacheSelection(key: key ?? selected.key, response: stored), key != nil)
        case .fetchAgain, .serveStale, .pass, .update, nil: return nil
        }
    }

    /// Returns the time until which the redirects of a flight permit callers to use its result.
    func redirectExpiry(_ flight: Flight, at now: MonotonicTime) -> UInt64 {
        guard !flight.hasUnstoredHop else { return 0 }
        // A day suffices for callers, and does not overflow.
        return now.nanoseconds + UInt64(min(flight.callerSeconds, 86_400)) * 1_000_000_000
    }

    private func storeAlias(of stored: StoredResponse, _ flight: Flight, at now: MonotonicTime) {
        let callerRequest = flight.callerRequest
        guard callerRequest.aliasesRedirects, callerRequest.cacheKey == nil, !flight.history.isEmpty,
            !flight.hasForbiddenHop, let cache
        else { return }
        let alias = StoredResponse(
            stored.head,
            content: stored.content,
            generation: stored.generation,
            alias: StoredResponse.Alias(
                url: flight.request.url,
                history: flight.history,
                hops: flight.hops,
                began: flight.began
            ),
            redirectExpiry: redirectExpiry(flight, at: now),
            verdict: stored.verdict
        )
        _ = cache.insert(
            alias,
            CacheKey(partition: callerRequest.partition, url: callerRequest.request.url, cacheKey: nil),
            callerRequest.request.fields,
            of: callerRequest,
            began: flight.began
        )
    }

    // MARK: Redirects

    /// Stores a redirect that is followed, without its content.
    /// - Returns: whether it is stored.
    func storeRedirect(_ flight: Flight) -> Bool {
        // A redirect may contain what only this caller may know.
        guard let cache, let state = flight.cache, flight.callerRequest.cacheKey == nil else { return false }
        switch state.outcome {
        case .store(let head):
            let stored = StoredResponse(head, content: nil, generation: StoredResponse.newGeneration())
            let key = cache.insert(
                stored,
                state.index,
                state.request.fields,
                of: flight.callerRequest,
                began: flight.began
            )
            return key != nil
        case .freshened(let head, let isStorable):
            guard let selected = state.selected else { return false }
            if isStorable {
                cache.update(
                    selected.response.replacing(head),
                    selected,
                    state,
                    of: flight.callerRequest,
                    began: flight.began
                )
            } else {
                cache.remove(selected.key)
            }
            return isStorable
        case .fetchAgain, .serveStale, .pass, .update, nil: return false
        }
    }

    /// Forbids storing what follows a redirect with `Vary` under the first URL or a caller's key, whose variants are
    /// those of the last response. With `cache-key-fields=all`, the key has all fields.
    func forbidStoringAfterVaryingHop(_ flight: Flight) {
        if cache?.policy.keyFields == .vary { flight.hasForbiddenHop = true }
    }
}

extension CacheOutcome {
    /// Whether the response must not be stored, rather than there being no reason to store it.
    fileprivate var forbidsStoring: Bool {
        switch self {
        case .pass(let rejection, _):
            switch rejection {
            case .request, .noStore, .isPrivate, .varies, .authorization, .cookie: true
            case .incomplete, .status, .lifetime: false
            }
        case .freshened(_, let isStorable): !isStorable
        case .store, .fetchAgain, .serveStale, .update: false
        }
    }
}
