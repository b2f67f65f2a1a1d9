// Decides how stored responses are used and which responses are stored: RFC 9111 for a shared cache, RFC 5861, and the
// modes of WHATWG Fetch. It has no state; the cache executes the decisions.
//
//     let policy = CachePolicy(heuristicSeconds: 0, staleIfErrorSeconds: 60, keyFields: .vary)
//     let request = CacheRequest(fetchRequest, mode: .default)
//     let index = CacheKey(partition: "tenant-7", url: request.url, cacheKey: nil)
//     let names = …                                           // what is kept at the index key: VaryNames of the newest
//     let primary = index.primaryKey(request.fields, excluding: names, keyFields: policy.keyFields)
//     let variant = VaryKey(names, request: request.fields)   // selects one of at most eight
//
//     switch policy.lookup(request, .stored(head), now: now) {
//     case .forward(let forward):                             // Cache-Control: max-age=60, received 70 s ago
//         // sends forward.fields, which have If-None-Match
//         switch policy.receive(response, for: request, forward) {
//         case .freshened(let head, isStorable: true): …      // 304: the stored content is delivered
//         case .store(let head): …                            // below head.varyNames and head.variant
//
// | mode           | nothing stored | fresh    | stale                                        |
// | default        | fetch          | serve    | serve while revalidating, or validate        |
// | no-cache       | fetch          | validate | validate                                     |
// | reload         | fetch          | fetch    | fetch                                        |
// | force-cache    | fetch          | serve    | serve                                        |
// | only-if-cached | 504            | serve    | serve                                        |
// | no-store       | fetch          | fetch    | fetch, nothing is stored                     |
//
// Ambiguities, and how we resolve them:
// - Directives of the request restrict the mode `default` only. `no-store` and `only-if-cached` apply in every mode.
// - `no-store` in a request forbids storing its response, but not the use of one that is stored (RFC 9111 §5.2.1.5). A
//   stored response is not validated for it, because the validation would have to be stored.
// - `max-age` in a request is a second lifetime, to which `max-stale` applies too. Without `max-stale`, it excludes
//   stale responses.
// - `s-maxage` does not forbid a stale use that the same response permits by `stale-while-revalidate` or
//   `stale-if-error`, as in CDNs. It forbids every other (`max-stale`, the setting).
// - Every status of 5xx is a failure (RFC 9111 §4.3.3; RFC 5861 §4 names four).
// - Conditions that the cache does not evaluate (`If-Match`) are evaluated by the origin. A response that depends on a
//   caller's conditions is not stored.
// - A response with neither a lifetime nor a validator is not stored, unless it may be used while it is stale. A
//   request that accepts any stored response (`force-cache`) stores it for others like itself, and every redirect.
// - A successful response that is not stored proves that the selected one is outdated, which is removed.

/// The rules of the cache.
///
/// **Invariant.** A decision depends on its arguments and these settings alone; time is an argument. A response is
/// stored only if RFC 9111 §3 permits a shared cache to store it, and no rule above forbids it. A stored response is
/// served only below a key with its index and its `Vary` fields, while it is fresh, or if a mode, a directive or a
/// setting permits a stale one. A 304 response changes a stored head only if it has the same validator. `RFC9111Tests`,
/// `ValidationTests` and `CacheControlOracle` (FuzzCacheControl) check this.
package struct CachePolicy: Equatable, Sendable {
    /// The lifetime of a response that nothing else determines (`cache-heuristic-seconds`), in seconds.
    package var heuristicSeconds: Int

    /// The time for which a stale response is used if the origin fails (`cache-stale-if-error-seconds`), in seconds.
    package var staleIfErrorSeconds: Int

    package var keyFields: CacheKeyFields

    package init(heuristicSeconds: Int, staleIfErrorSeconds: Int, keyFields: CacheKeyFields) {
        self.heuristicSeconds = heuristicSeconds
        self.staleIfErrorSeconds = staleIfErrorSeconds
        self.keyFields = keyFields
    }

    /// Decides how a request is responded to.
    package func lookup(_ request: CacheRequest, _ match: CacheMatch, now: CacheMoment) -> CacheDecision {
        let decision = unrestrictedLookup(request, match, now: now)
        guard case .forward = decision, request.requiresStored else { return decision }
        return .gatewayTimeout
    }

    private func unrestrictedLookup(_ request: CacheRequest, _ match: CacheMatch, now: CacheMoment) -> CacheDecision {
        guard request.method == "GET" || request.method == "HEAD" else { return .forward(plain(request, .method, nil)) }
        guard request.allowsReading else { return .forward(plain(request, .bypass, nil)) }
        let head: StoredHead
        switch match {
        case .uriMiss: return .forward(plain(request, .uriMiss, nil))
        case .varyMiss: return .forward(plain(request, .varyMiss, nil))
        case .stored(let stored): head = stored
        }
        if request.hasOriginConditions { return .forward(plain(request, .request, head)) }
        switch request.mode {
        case .default: return defaultLookup(request, head, now: now)
        case .noCache: return .forward(validation(request, .request, head))
        case .reload: return .forward(unconditional(request, .request, head))
        case .forceCache, .onlyIfCached: return .serve(isNotModified: Preconditions.isNotModified(request, head))
        case .noStore: return .forward(plain(request, .bypass, nil))
        }
    }

    // RFC 9111 §4
    private func defaultLookup(_ request: CacheRequest, _ head: StoredHead, now: CacheMoment) -> CacheDecision {
        let control = request.control
        let isNotModified = Preconditions.isNotModified(request, head)
        let age = head.freshness.age(at: now)
        let staleness = head.freshness.staleness(at: now)
        let isFresh = staleness < 0
        let reason = isFresh ? CacheStatus.ForwardReason.request : .stale

        // RFC 9111 §5.2.1.4, §5.2.2.4
        if control.noCache || control.maxAge == 0 { return .forward(validation(request, reason, head)) }
        if head.control.noCache { return .forward(validation(request, .stale, head)) }
        // RFC 9111 §5.2.1.3
        if let minFresh = control.minFresh, -staleness < CacheDuration.seconds(minFresh) {
            return .forward(validation(request, reason, head))
        }
        // RFC 9111 §5.2.1.1: the age may equal max-age.
        let excess = control.maxAge.map { age - CacheDuration.seconds($0) } ?? Int.min
        if isFresh, excess <= 0 {
            guard head.isSoftPurged else { return .serve(isNotModified: isNotModified) }
            return .staleWhileRevalidate(
                isNotModified: isNotModified,
                revalidation: validation(request.revalidation, .stale, head)
            )
        }
        // RFC 5861 §3
        if let window = head.control.staleWhileRevalidate, control.maxAge == nil, !head.forbidsStale,
            staleness < CacheDuration.seconds(window)
        {
            return .staleWhileRevalidate(
                isNotModified: isNotModified,
                revalidation: validation(request.revalidation, .stale, head)
            )
        }
        // RFC 9111 §5.2.1.2
        if let maxStale = control.maxStale, !head.forbidsUnannouncedStale,
            maxStale == CacheControl.maxSeconds || max(staleness, excess) <= CacheDuration.seconds(maxStale)
        {
            return .serve(isNotModified: isNotModified)
        }
        return .forward(validation(request, reason, head))
    }

    /// Decides what follows from a response of the origin.
    /// - Parameter forward: The request to which it responds, from ``lookup(_:_:now:)``.
    package func receive(
        _ response: OriginResponse,
        for request: CacheRequest,
        _ forward: CacheForward
    ) -> CacheOutcome {
        if let stored = forward.stored {
            if forward.isValidation, response.status == 304 { return validated(response, for: request, stored) }
            if 500...599 ~= response.status, permitsStaleIfError(request, stored, now: response.received) {
                return .staleIfError
            }
            if request.method == "HEAD" { return headReceived(response, for: request, stored) }
        }
        let head = StoredHead(response, for: request, heuristicSeconds: heuristicSeconds)
        let rejection =
            Storability.rejection(response, for: request, control: head.control, freshness: head.freshness)
            ?? (isConditional(request, forward) ? .request : nil)
            ?? (isUsable(head, by: request) ? nil : .lifetime)
        guard let rejection else { return .store(head) }
        return .pass(rejection, removesStored: forward.stored != nil && supersedes(response, rejection, request))
    }

    /// Returns whether a later request can use a response if it is stored: as long as it is fresh, after a validation,
    /// or while it is stale. A response that none can use would evict one that is used.
    private func isUsable(_ head: StoredHead, by request: CacheRequest) -> Bool {
        head.freshness.lifetimeSeconds > 0 && !head.control.noCache || head.entityTag != nil || head.lastModified != nil
            || head.control.staleWhileRevalidate ?? 0 > 0 || head.control.staleIfError ?? 0 > 0
            || request.ignoresLifetime
    }

    /// Returns whether a response depends on a condition of the caller's, so that it is not stored for others.
    private func isConditional(_ request: CacheRequest, _ forward: CacheForward) -> Bool {
        request.hasOriginConditions || !forward.isValidation && Preconditions.hasConditions(forward.fields)
    }

    /// Returns whether a response that is not stored proves that the selected one is outdated.
    private func supersedes(_ response: OriginResponse, _ rejection: StoreRejection, _ request: CacheRequest) -> Bool {
        guard request.method == "GET" else { return false }
        switch rejection {
        case .request, .incomplete, .status: return false
        case .noStore, .isPrivate, .varies, .authorization, .cookie, .lifetime:
            return 200...399 ~= response.status || response.status == 404 || response.status == 410
        }
    }

    /// Returns whether a stale response is delivered because the origin has failed: by a status of 5xx, without a
    /// response, or because its circuit breaker is open (RFC 9111 §4.2.4, RFC 5861 §4).
    package func permitsStaleIfError(_ request: CacheRequest, _ head: StoredHead, now: CacheMoment) -> Bool {
        let control = request.control
        guard request.allowsReading, request.mode == .default, !request.hasOriginConditions, !head.forbidsStale,
            !control.noCache
        else { return false }
        if control.maxAge != nil || control.minFresh != nil, control.staleIfError == nil { return false }
        let staleness = head.freshness.staleness(at: now)
        // A soft purge does not make a response unusable.
        if staleness < 0 { return true }
        // The setting is for responses that state no time of their own.
        let announced = head.control.staleIfError ?? (head.forbidsUnannouncedStale ? 0 : staleIfErrorSeconds)
        let requested = head.forbidsUnannouncedStale ? 0 : control.staleIfError ?? 0
        return staleness < CacheDuration.seconds(max(announced, requested))
    }

    private func validated(
        _ response: OriginResponse,
        for request: CacheRequest,
        _ stored: StoredHead
    ) -> CacheOutcome {
        switch stored.freshened(by: response, for: request, heuristicSeconds: heuristicSeconds) {
        case .other: return .fetchAgain(unconditional(request, .stale, stored))
        case .updated(let head): return .freshened(head, isStorable: isStorable(head, for: request))
        }
    }

    /// Returns whether a response with an updated head stays stored.
    private func isStorable(_ head: StoredHead, for request: CacheRequest) -> Bool {
        let rejection = Storability.rejection(
            status: head.status,
            fields: head.fields,
            for: request,
            control: head.control,
            freshness: head.freshness
        )
        // A status that needs a lifetime was stored with one, which has only passed.
        return rejection == nil || rejection == .lifetime
    }

    private func headReceived(
        _ response: OriginResponse,
        for request: CacheRequest,
        _ stored: StoredHead
    ) -> CacheOutcome {
        guard !request.control.noStore else { return .pass(.request, removesStored: false) }
        switch stored.freshened(byHead: response, for: request, heuristicSeconds: heuristicSeconds) {
        case nil: return .pass(.request, removesStored: false)
        case .other: return .pass(.request, removesStored: true)
        case .updated(let head):
            return isStorable(head, for: request) ? .update(head) : .pass(.request, removesStored: true)
        }
    }

    /// The request as the caller described it.
    private func plain(
        _ request: CacheRequest,
        _ reason: CacheStatus.ForwardReason,
        _ stored: StoredHead?
    ) -> CacheForward {
        CacheForward(reason: reason, fields: request.fields, stored: stored, isValidation: false)
    }

    /// The request without the conditions that a cache evaluates.
    private func unconditional(
        _ request: CacheRequest,
        _ reason: CacheStatus.ForwardReason,
        _ stored: StoredHead
    ) -> CacheForward {
        let fields = Preconditions.withoutConditions(request.fields)
        return CacheForward(reason: reason, fields: fields, stored: stored, isValidation: false)
    }

    /// The request with the validators of a stored response, or as the caller described it if there are none.
    private func validation(
        _ request: CacheRequest,
        _ reason: CacheStatus.ForwardReason,
        _ stored: StoredHead
    ) -> CacheForward {
        // A response to HEAD is not a 304 response with which content could be delivered, and no-store forbids an
        // update.
        guard request.method == "GET", !request.control.noStore,
            let fields = Preconditions.validating(stored, request)
        else { return plain(request, reason, stored) }
        return CacheForward(reason: reason, fields: fields, stored: stored, isValidation: true)
    }
}

extension StoredHead {
    /// Returns the value of Decant's own `Cache-Control` for a response that is stored: the complete lifetime, because
    /// `Age` is sent too.
    ///
    /// It permits no more than the origin does, whether the cache of the caller is shared or private. It never contains
    /// a directive that permits storing responses to requests with `Authorization` (RFC 9111 §3.5).
    /// - Parameter seconds: The time from now on after which the caller must not use the response, whatever its
    ///   lifetime is.
    package func callerCacheControl(limitedTo seconds: Int = .max, at now: CacheMoment) -> String {
        if control.noCache { return "no-cache" }
        let lifetime = freshness.callerLifetimeSeconds
        guard seconds < lifetime else { return "max-age=" + String(lifetime) }
        return "max-age=" + String(min(lifetime, freshness.ageSeconds(at: now) + seconds))
    }

    /// Returns the time for which callers may use the response, in seconds.
    package func callerSeconds(at now: CacheMoment) -> Int {
        control.noCache || isSoftPurged ? 0 : max(0, freshness.callerLifetimeSeconds - freshness.ageSeconds(at: now))
    }
}
