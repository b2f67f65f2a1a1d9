package import Fetching
internal import Primitives
internal import Synchronization

// The cache of upstream responses and of their renditions.
//
//     HTTP loop ─► find ─► fresh, and rendered with these options ─► response
//                   └► otherwise ─► FlightTable ─► find again ─► hit, validation or miss
//
// `CachePolicy` decides, `AutoPurgingCache` stores. This class connects them: it makes keys and charges, and counts.
//
// Under a caller's key (`cacheKey`), no URL is stored: another caller's URL may contain secrets. For the same reason,
// redirects are not stored there, only the response at their end.

/// The cache of upstream responses.
///
/// **Invariant.** What a request finds was stored for its partition, and for its URL or its caller's key, with equal
/// fields where `Vary` names them. A rendition is used only with equal options, and only below the response of which it
/// was made (``StoredResponse/generation``). The memory of content and renditions is charged to the account of the
/// store while somebody uses them. A response whose flight began before a purge is not stored. `FlightCacheTests` and
/// `FlightWitness`, which follows random requests, check this.
package final class ResponseCache: Sendable {
    package typealias Store = AutoPurgingCache<ResponseKey, StoredResponse, Rendition>

    let policy: CachePolicy
    package let store: Store
    private let denied: HostRules
    private let counts = Mutex(CacheFigures())

    package init(_ settings: CacheSettings) {
        policy = settings.policy
        denied = settings.denied
        store = Store(limits: settings.limits, evictsInInsertions: false)
    }

    /// What a request finds.
    package struct Match {
        package let request: CacheRequest
        package let index: CacheKey
        /// The key of the response that was found; `nil` if there is none.
        package var key: ResponseKey?
        package var stored: StoredResponse?
        package let decision: CacheDecision
    }

    /// What a request receives without a flight.
    package struct Hit {
        package let response: any FlightResponse
        package let facts: FlightFacts
    }

    // MARK: Lookups

    /// Returns what the cache needs to know about a request.
    func request(_ request: FetchRequest, of callerRequest: CallerRequest) -> CacheRequest {
        CacheRequest(
            request,
            mode: callerRequest.cache,
            store: callerRequest.permitsStoring,
            isDenied: store.limits.capacityBytes == 0 || denied.denial(of: request.url) != nil
        )
    }

    /// Decides how a request is responded to. This does not count as an access.
    /// - Parameters:
    ///   - fetch: the request of the current hop.
    ///   - callerRequest: the request of the caller.
    ///   - isFirst: whether it is the first hop, to which a caller's key applies.
    package func find(
        _ fetch: FetchRequest,
        of callerRequest: CallerRequest,
        isFirst: Bool = true,
        policy admissions: @autoclosure () -> FetchPolicy,
        now: CacheMoment
    ) -> Match {
        let request = request(fetch, of: callerRequest)
        func find(_ index: CacheKey) -> Match {
            self.find(
                CacheLookup(request: request, index: index),
                of: callerRequest,
                isFirst: isFirst,
                policy: admissions(),
                now: now
            )
        }
        if !isFirst, callerRequest.cacheKey != nil {
            // What is stored under the caller's key is the response at the end of the redirects.
            let match = find(firstIndex(of: callerRequest))
            if match.stored?.isRedirected == true { return match }
        }
        return find(
            isFirst ? firstIndex(of: callerRequest) : CacheKey(partition: callerRequest.partition, url: fetch.url)
        )
    }

    /// Returns the key of the first URL of a request, or of its caller's key.
    func firstIndex(of callerRequest: CallerRequest) -> CacheKey {
        CacheKey(partition: callerRequest.partition, url: callerRequest.request.url, cacheKey: callerRequest.cacheKey)
    }

    /// Decides how a request is responded to. This does not count as an access.
    /// - Parameters:
    ///   - key: the key of an earlier request with the same fields, which is used if the same fields are named by
    ///     `Vary`.
    ///   - isFirst: whether it is the first hop.
    package func find(
        _ lookup: CacheLookup,
        of callerRequest: CallerRequest,
        key earlier: ResponseKey? = nil,
        isFirst: Bool = true,
        policy admissions: @autoclosure () -> FetchPolicy,
        now: CacheMoment
    ) -> Match {
        let (request, index) = (lookup.request, lookup.index)
        guard let known = store.varyNames(of: index) else {
            let decision = policy.lookup(request, .uriMiss, now: now)
            return Match(request: request, index: index, decision: decision)
        }
        let names = VaryNames(known: known)
        // The key of a response at the end of redirects has the fields of the first request.
        let fields =
            isFirst || callerRequest.cacheKey == nil || index != firstIndex(of: callerRequest)
            ? request.fields : callerRequest.request.fields
        guard let (key, hit) = peek(index, fields, names, earlier, callerRequest),
            isUsable(hit.value, for: callerRequest, admissions())
        else {
            return Match(request: request, index: index, decision: policy.lookup(request, .varyMiss, now: now))
        }
        var head = hit.value.head
        head.isSoftPurged = hit.isMarkedStale
        var decision = policy.lookup(request, .stored(head), now: now)
        if callerRequest.cache == .forceCache, hit.value.verdict.isRejected,
            rendition(of: hit.value, key, for: callerRequest) == nil
        {
            // Without this, the origin would never be asked again.
            decision = policy.lookup(request.respectingLifetime, .stored(head), now: now)
        }
        if isFirst, hit.value.isRedirected { decision = decision.withoutValidators }
        return Match(request: request, index: index, key: key, stored: hit.value, decision: decision)
    }

    /// Returns what is stored for the fields of a request, or for the same without directives.
    private func peek(
        _ index: CacheKey,
        _ fields: [HeaderFields.Field],
        _ names: VaryNames,
        _ earlier: ResponseKey?,
        _ callerRequest: CallerRequest
    ) -> (ResponseKey, Store.Hit)? {
        if let earlier, earlier.names == names, let hit = store.peek(earlier) { return (earlier, hit) }
        let key = key(index, fields, names, callerRequest)
        if let hit = store.peek(key) { return (key, hit) }
        guard policy.keyFields == .all, let others = CacheKey.withoutDirectives(fields) else { return nil }
        let other = self.key(index, others, variant: fields, names, callerRequest)
        return store.peek(other).map { (other, $0) }
    }

    /// - Parameter variant: the fields from which `Vary` selects, if they are others.
    private func key(
        _ index: CacheKey,
        _ fields: [HeaderFields.Field],
        variant: [HeaderFields.Field]? = nil,
        _ names: VaryNames,
        _ callerRequest: CallerRequest
    ) -> ResponseKey {
        ResponseKey(
            partition: callerRequest.partition,
            index: index,
            primary: index.primaryKey(fields, excluding: names, keyFields: policy.keyFields),
            variant: VaryKey(names, request: variant ?? fields),
            names: names
        )
    }

    /// Whether a response has what the request needs, and whether its redirects are still allowed.
    private func isUsable(
        _ stored: StoredResponse,
        for callerRequest: CallerRequest,
        _ admissions: @autoclosure () -> FetchPolicy
    ) -> Bool {
        if stored.content == nil, callerRequest.redirects == .manual { return false }
        guard let alias = stored.alias else { return true }
        // By the rules of HTTP, a redirect that is not stored is asked for.
        guard callerRequest.aliasesRedirects || callerRequest.cache == .forceCache, callerRequest.redirects == .follow
        else { return false }
        let admissions = admissions()
        return alias.hops.allSatisfy { hop in
            (try? admissions.admit(hop, method: "GET", isRedirect: true)) != nil
                && !isPurged(hop, nil, since: alias.began, callerRequest)
        }
    }

    /// Returns the response to a request that needs neither the origin nor a decoder, and the facts about it; `nil` for
    /// every other request.
    package func hit(_ match: Match, for callerRequest: CallerRequest, at now: CacheMoment) -> Hit? {
        guard case .serve(isNotModified: false) = match.decision, let key = match.key, let stored = match.stored,
            !stored.isFollowed(callerRequest.redirects)
        else { return nil }
        let selection = CacheSelection(key: key, response: stored)
        guard let hit = hit(selection, url: callerRequest.request.url, for: callerRequest, at: now) else { return nil }
        count(.hit)
        return hit
    }

    /// Returns the rendition of a stored response for a request, and the facts about it; `nil` if there is none.
    /// - Parameters:
    ///   - url: the URL of the last request, after the redirects in `history`.
    ///   - seconds: the time after which callers must not use the response.
    @inline(__always) func hit(
        _ selection: CacheSelection,
        url: FetchURL,
        history: [FollowedRedirect] = [],
        limitedTo seconds: Int = .max,
        for callerRequest: CallerRequest,
        at now: CacheMoment
    ) -> Hit? {
        let stored = selection.response
        guard let rendition = rendition(of: stored, selection.key, for: callerRequest) else { return nil }
        let path = ResponsePath(stored, url: url, history: history)
        var facts = FlightFacts(url: url.text)
        facts.status = stored.head.status
        let seconds = min(seconds, stored.redirectSeconds(at: now))
        facts.cache = CacheReport(.hit).describing(stored.head, rendition, limitedTo: seconds, at: now)
        return Hit(response: response(of: rendition, stored, selection.key, path, for: callerRequest), facts: facts)
    }

    /// Returns the rendition of a stored response for a request; `nil` if there is none. This counts as an access.
    func rendition(of stored: StoredResponse, _ key: ResponseKey, for callerRequest: CallerRequest) -> Rendition? {
        guard let found = store.hit(key, rendition: RenditionOptions(of: callerRequest)),
            found.hit.value.generation == stored.generation
        else { return nil }
        return found.rendition
    }

    /// Returns a rendition as it describes a stored response, reached by `path`. After a validation, what has changed
    /// is written once.
    func response(
        of rendition: Rendition,
        _ stored: StoredResponse,
        _ key: ResponseKey,
        _ path: ResponsePath,
        for callerRequest: CallerRequest
    ) -> any FlightResponse {
        let response = rendition.response(stored, path, for: callerRequest.rendition)
        // Another path is that of this request alone.
        guard response !== rendition.response, path == rendition.path else { return response }
        let current = Rendition(response, revision: stored.revision, path: path, entityTag: rendition.entityTag)
        insert(current, of: callerRequest, below: key, stored)
        return response
    }

    // MARK: Changes

    /// Stores a response, unless the stored one was requested later: a slow response does not hide what a later request
    /// has received.
    /// - Parameters:
    ///   - began: the time of the store (`store.now`) when the flight began.
    /// - Returns: the key; `nil` if the response was not stored.
    func insert(
        _ stored: StoredResponse,
        _ index: CacheKey,
        _ fields: [HeaderFields.Field],
        of callerRequest: CallerRequest,
        began: UInt64
    ) -> ResponseKey? {
        let key = key(index, fields, stored.head.varyNames, callerRequest)
        let charge = charge(stored, key)
        let result = store.insert(
            stored,
            for: key,
            charge: charge,
            varyNames: stored.head.varyNames.names,
            began: began,
            unless: { $0.head.freshness.requestedNanoseconds > stored.head.freshness.requestedNanoseconds }
        )
        guard result == .stored else { return nil }
        stored.content?.retain(charge)
        return key
    }

    /// Replaces the head of a response that was validated, and keeps its content and its renditions. If the head names
    /// other fields in `Vary`, the response has another key from now on, and its renditions are lost.
    /// - Returns: the key; `nil` if the response is no longer stored.
    @discardableResult
    func update(
        _ stored: StoredResponse,
        _ selected: CacheSelection,
        _ state: FlightCacheState,
        of callerRequest: CallerRequest,
        began: UInt64
    ) -> ResponseKey? {
        let key = selected.key
        guard stored.head.varyNames == selected.response.head.varyNames else {
            store.remove(key)
            let fields = stored.isRedirected ? callerRequest.request.fields : state.request.fields
            return insert(stored, state.index, fields, of: callerRequest, began: began)
        }
        let charge = charge(stored, key)
        stored.content?.retain(charge)
        let isUpdated = store.update(
            stored,
            for: key,
            charge: charge,
            varyNames: stored.head.varyNames.names,
            began: began
        ) { $0.generation == stored.generation }
        return isUpdated ? key : nil
    }

    /// The maximum memory of the options of a rendition, in bytes, inclusive. They are compared with a lock of the
    /// cache.
    private static let maxOptionBytes = 256 << 10

    /// Stores a rendition below the response from which it was made, unless its options are long.
    func insert(
        _ rendition: Rendition,
        of callerRequest: CallerRequest,
        below key: ResponseKey,
        _ stored: StoredResponse
    ) {
        let options = RenditionOptions(of: callerRequest)
        let optionBytes = options.heapBytes
        guard optionBytes <= Self.maxOptionBytes else { return }
        let charge = CacheCharge(
            CacheCost.renditionBytes(contentBytes: [rendition.response.heapBytes, optionBytes]),
            to: store.account
        )
        let isStored = store.insert(rendition, options: options, below: key, charge: charge) {
            $0.generation == stored.generation
        }
        if isStored { rendition.response.retain(charge) }
    }

    /// Returns whether the response to a request must not be used for later ones, because one of its URLs was purged
    /// after it began.
    /// - Parameters:
    ///   - url: the URL after redirects.
    ///   - began: the time of the store (`store.now`) when the flight began.
    func isPurged(_ callerRequest: CallerRequest, redirectedTo url: FetchURL, since began: UInt64) -> Bool {
        isPurged(callerRequest.request.url, callerRequest.cacheKey, since: began, callerRequest)
            || url != callerRequest.request.url && isPurged(url, nil, since: began, callerRequest)
    }

    private func isPurged(_ url: FetchURL, _ cacheKey: String?, since began: UInt64, _ callerRequest: CallerRequest)
        -> Bool
    {
        store.isPurged(
            since: began,
            partition: callerRequest.partition,
            CacheKey(partition: callerRequest.partition, url: url, cacheKey: cacheKey)
        )
    }

    func remove(_ key: ResponseKey) {
        store.remove(key)
    }

    /// Removes what a response to an unsafe method invalidates (RFC 9111 §4.4).
    func invalidate(
        after request: CacheRequest,
        status: Int,
        fields: [HeaderFields.Field],
        of callerRequest: CallerRequest
    ) {
        for url in Invalidation.urls(after: request, status: status, fields: fields) {
            store.purge(.index(CacheKey(partition: callerRequest.partition, url: url, cacheKey: nil)))
            guard let cacheKey = callerRequest.cacheKey, url == request.url else { continue }
            store.purge(.index(CacheKey(partition: callerRequest.partition, url: url, cacheKey: cacheKey)))
        }
    }

    private func charge(_ stored: StoredResponse, _ key: ResponseKey) -> CacheCharge {
        CacheCharge(
            CacheCost.responseBytes(
                contentBytes: [stored.content?.heapBytes ?? 0, stored.head.fields.heapBytes],
                // The values that Vary names are a part of the key and of the head.
                fieldBytes: key.bytes + stored.head.variant.bytes.count
            ),
            to: store.account
        )
    }

    // MARK: Figures

    package var figures: CacheFigures { counts.withLock { $0 } }

    func count(_ use: CacheUse) {
        counts.withLock { $0.uses[use.rawValue] += 1 }
    }
}

/// What the cache needs to know about a request, and the key of its URL.
package struct CacheLookup: Sendable {
    package let request: CacheRequest
    package let index: CacheKey
}

extension CacheLookup {
    package init(_ match: ResponseCache.Match) {
        self.init(request: match.request, index: match.index)
    }
}
