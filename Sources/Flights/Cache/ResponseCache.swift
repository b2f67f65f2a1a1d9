package import Fetching
internal import Primitives
internal import Synchronization

// The cache of upstream responses and of their renditions.
//
//     HTTP loop ─► find ─► fresh, and rendered with these options ─► response
//                   └► otherwise ─► FlightTable ─► find again ─► hit, validation or miss
//
// `CachePolicy` decides, `LRUCache` stores. This class connects them: it makes keys and charges, and counts.
//
// Under a caller's key (`cacheKey`), no URL is stored: another caller's URL may contain secrets. For the same reason,
// redirects are not stored there. What they lead to is stored under its own URL.

/// The cache of upstream responses.
///
/// **Invariant.** What a request finds was stored for its partition, and for its URL or its caller's key, with equal
/// fields where `Vary` names them. A rendition is used only with equal options, and only below the response of which it
/// was made (``StoredResponse/generation``). The memory of content and renditions is charged to the account of the
/// store while somebody uses them. A response whose flight began before a purge is not stored. `FlightCacheTests` and
/// `FlightWitness`, which follows random requests, check this.
package final class ResponseCache: Sendable {
    package typealias Store = LRUCache<ResponseKey, StoredResponse, Rendition>

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
        package let lookup: CacheLookup
        /// The response that was found; `nil` if there is none.
        package let selection: CacheSelection?
        var decision: CacheDecision

        /// The stored response, if it is used at once.
        var served: (selection: CacheSelection, isNotModified: Bool)? {
            guard let selection else { return nil }
            switch decision {
            case .serve(let isNotModified), .staleWhileRevalidate(let isNotModified, _):
                return (selection, isNotModified)
            case .forward, .gatewayTimeout: return nil
            }
        }

        /// The request to the origin; `nil` if it is not asked for this request.
        var forward: CacheForward? { if case .forward(let forward) = decision { forward } else { nil } }

        /// The validation of the stale response that is used.
        var revalidation: CacheForward? {
            if case .staleWhileRevalidate(_, let forward) = decision { forward } else { nil }
        }
    }

    /// What a request receives without a flight.
    package struct Hit {
        package let response: any FlightResponse
        package let facts: FlightFacts
    }

    // MARK: Lookups

    /// Returns what the cache needs to know about a request, and its key.
    /// - Parameters:
    ///   - request: the request of a hop.
    ///   - isFirst: whether it is that of the caller, to which a caller's key applies.
    ///   - keepsOrigin: ``Hop/keepsOrigin``. Without the credentials of its origin, a request neither uses nor stores
    ///     responses: those to requests with them have the same key.
    package func lookup(
        _ request: FetchRequest,
        of callerRequest: CallerRequest,
        isFirst: Bool,
        keepsOrigin: Bool = true
    ) -> CacheLookup {
        let cacheKey = isFirst ? callerRequest.cacheKey : nil
        let lacksCredentials = !keepsOrigin && callerRequest.credentials.exist(for: request.url.origin)
        return CacheLookup(
            request: CacheRequest(
                request,
                mode: callerRequest.cache,
                store: callerRequest.permitsStoring,
                isDenied: store.limits.capacityBytes == 0 || lacksCredentials || denied.denial(of: request.url) != nil
            ),
            partition: callerRequest.partition,
            index: CacheKey(partition: callerRequest.partition, url: request.url, cacheKey: cacheKey),
            isCallersKey: cacheKey != nil
        )
    }

    /// Decides how a request is responded to. This does not count as an access.
    /// - Parameters:
    ///   - key: the key of an earlier request with the same fields, which is used if the same fields are named by
    ///     `Vary`.
    package func find(
        _ lookup: CacheLookup,
        for callerRequest: CallerRequest,
        key earlier: ResponseKey? = nil,
        now: CacheMoment
    ) -> Match {
        let request = lookup.request
        guard let known = store.varyNames(of: lookup.index) else {
            return Match(lookup: lookup, selection: nil, decision: policy.lookup(request, .uriMiss, now: now))
        }
        // Without its content, a stored redirect is not a result.
        guard let (key, hit) = peek(lookup, VaryNames(known: known), earlier),
            hit.value.content != nil || callerRequest.redirects != .manual
        else { return Match(lookup: lookup, selection: nil, decision: policy.lookup(request, .varyMiss, now: now)) }
        var head = hit.value.head
        head.isSoftPurged = hit.isMarkedStale
        var decision = policy.lookup(request, .stored(head), now: now)
        if callerRequest.cache == .forceCache, hit.value.verdict.isRejected,
            rendition(of: hit.value, key, for: callerRequest) == nil
        {
            // Without this, the origin would never be asked again.
            decision = policy.lookup(request.respectingLifetime, .stored(head), now: now)
        }
        return Match(lookup: lookup, selection: CacheSelection(key: key, response: hit.value), decision: decision)
    }

    /// Returns what is stored for the fields of a request, or for the same without directives.
    private func peek(
        _ lookup: CacheLookup,
        _ names: VaryNames,
        _ earlier: ResponseKey?
    ) -> (ResponseKey, Store.Hit)? {
        if let earlier, earlier.names == names, let hit = store.peek(earlier) { return (earlier, hit) }
        let key = key(lookup, names)
        if let hit = store.peek(key) { return (key, hit) }
        guard policy.keyFields == .all, let others = CacheKey.withoutDirectives(lookup.request.fields) else {
            return nil
        }
        let other = self.key(lookup, names, fields: others)
        return store.peek(other).map { (other, $0) }
    }

    /// - Parameter fields: the fields that are a part of the key, if they are not those of the request.
    private func key(
        _ lookup: CacheLookup,
        _ names: VaryNames,
        fields: [HeaderFields.Field]? = nil
    ) -> ResponseKey {
        let sent = lookup.request.fields
        return ResponseKey(
            partition: lookup.partition,
            index: lookup.index,
            primary: lookup.index.primaryKey(fields ?? sent, excluding: names, keyFields: policy.keyFields),
            variant: VaryKey(names, request: sent),
            names: names
        )
    }

    /// Returns the response to a request that needs neither the origin nor a decoder, and the facts about it; `nil` for
    /// every other request.
    package func hit(_ match: Match, for callerRequest: CallerRequest, at now: CacheMoment) -> Hit? {
        guard case .serve(isNotModified: false) = match.decision, let selection = match.selection,
            !selection.response.isFollowed(callerRequest.redirects),
            let hit = hit(selection, ResponsePath(url: callerRequest.request.url.text), for: callerRequest, at: now)
        else { return nil }
        count(.hit)
        return hit
    }

    /// Returns the rendition of a stored response for a request, and the facts about it; `nil` if there is none.
    /// - Parameters:
    ///   - path: the URL of the response, and the redirects before it.
    ///   - seconds: the time after which callers must not use the response.
    @inline(__always) func hit(
        _ selection: CacheSelection,
        _ path: ResponsePath,
        limitedTo seconds: Int = .max,
        for callerRequest: CallerRequest,
        at now: CacheMoment
    ) -> Hit? {
        let stored = selection.response
        guard let rendition = currentRendition(of: stored, selection.key, path, for: callerRequest) else { return nil }
        var facts = FlightFacts(url: path.url)
        facts.status = stored.head.status
        facts.cache = CacheReport(.hit).describing(stored.head, rendition, limitedTo: seconds, at: now)
        return Hit(response: rendition.response, facts: facts)
    }

    /// Returns the rendition of a stored response for a request, which may describe the response before its last
    /// validation and on another path; `nil` if there is none. This counts as an access.
    func rendition(of stored: StoredResponse, _ key: ResponseKey, for callerRequest: CallerRequest) -> Rendition? {
        guard let found = store.hit(key, rendition: RenditionOptions(of: callerRequest)),
            found.hit.value.generation == stored.generation
        else { return nil }
        return found.rendition
    }

    /// Returns the rendition of a stored response as it describes the response now, reached by `path`; `nil` if there
    /// is none, or if it must be made again. After a validation, what has changed is written once.
    func currentRendition(
        of stored: StoredResponse,
        _ key: ResponseKey,
        _ path: ResponsePath,
        for callerRequest: CallerRequest
    ) -> Rendition? {
        guard let found = rendition(of: stored, key, for: callerRequest) else { return nil }
        guard found.revision != stored.revision || found.path != path else { return found }
        guard found.path.url == path.url || !found.response.dependsOnURL else { return nil }
        let response = found.response.describing(stored, path, for: callerRequest.rendition)
        guard response !== found.response else { return found }
        let current = Rendition(response, revision: stored.revision, path: path)
        insert(current, of: callerRequest, below: key, stored)
        return current
    }

    // MARK: Changes

    /// Stores a response, unless the stored one was requested later: a slow response does not hide what a later request
    /// has received.
    /// - Parameters:
    ///   - began: the time of the store (`store.now`) when the flight began.
    /// - Returns: the key; `nil` if the response was not stored.
    func insert(_ stored: StoredResponse, _ lookup: CacheLookup, began: UInt64) -> ResponseKey? {
        let key = key(lookup, stored.head.varyNames)
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
        stored.retain(charge)
        return key
    }

    /// Replaces the head of a response that was validated, and keeps its content and its renditions. If the head names
    /// other fields in `Vary`, the response has another key from now on, and its renditions are lost.
    /// - Returns: the response with its key; `nil` if it is no longer stored.
    func update(
        _ selection: CacheSelection,
        _ head: StoredHead,
        _ lookup: CacheLookup,
        began: UInt64
    ) -> CacheSelection? {
        let key = selection.key
        let stored = selection.response.replacing(head)
        guard head.varyNames == selection.response.head.varyNames else {
            remove(selection)
            return insert(stored, lookup, began: began).map { CacheSelection(key: $0, response: stored) }
        }
        let charge = charge(stored, key)
        stored.retain(charge)
        let isUpdated = store.update(
            stored,
            for: key,
            charge: charge,
            varyNames: head.varyNames.names,
            began: began
        ) { $0.generation == stored.generation }
        return isUpdated ? CacheSelection(key: key, response: stored) : nil
    }

    /// The maximum memory of the options of a rendition, in bytes, inclusive. They are compared with a lock of the
    /// cache.
    private static let maxOptionBytes = 256 << 10

    /// Stores a rendition below the response from which it was made, unless its options are long, or there is a
    /// current one for another path. Most requests have no redirects: only a rendition without them replaces another.
    func insert(
        _ rendition: Rendition,
        of callerRequest: CallerRequest,
        below key: ResponseKey,
        _ stored: StoredResponse
    ) {
        let options = RenditionOptions(of: callerRequest)
        let optionBytes = options.heapBytes
        guard optionBytes <= Self.maxOptionBytes else { return }
        if let found = self.rendition(of: stored, key, for: callerRequest), found.path != rendition.path,
            found.revision == rendition.revision, found.path.history.isEmpty || !rendition.path.history.isEmpty
        {
            return
        }
        let charge = CacheCharge(
            CacheCost.renditionBytes(contentBytes: [rendition.response.heapBytes, optionBytes]),
            to: store.account
        )
        let isStored = store.insert(rendition, options: options, below: key, charge: charge) {
            $0.generation == stored.generation
        }
        if isStored { rendition.response.retain(charge) }
    }

    /// Returns whether the response at the end of these hops must not be used for later requests, because one of them
    /// was purged after the flight began.
    /// - Parameter began: the time of the store (`store.now`) when the flight began.
    func isPurged(_ lookups: [CacheLookup], since began: UInt64) -> Bool {
        lookups.contains { store.isPurged(since: began, partition: $0.partition, $0.index) }
    }

    /// Removes a response, unless another one was stored in its place since it was selected.
    func remove(_ selection: CacheSelection) {
        store.remove(selection.key) { $0.generation == selection.response.generation }
    }

    /// Removes what a response to an unsafe method invalidates (RFC 9111 §4.4).
    func invalidate(after response: OriginResponse, _ lookup: CacheLookup) {
        let urls = Invalidation.urls(after: lookup.request, status: response.status, fields: response.fields)
        guard !urls.isEmpty else { return }
        for url in urls { store.purge(.index(CacheKey(partition: lookup.partition, url: url, cacheKey: nil))) }
        if lookup.isCallersKey { store.purge(.index(lookup.index)) }
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

    func count(_ use: CacheUse) { counts.withLock { $0.uses[use.rawValue] += 1 } }
}

/// What the cache needs to know about the request of a hop, and its key.
package struct CacheLookup: Sendable {
    package internal(set) var request: CacheRequest
    let partition: String
    package let index: CacheKey
    /// Whether the key is the caller's, in place of the URL.
    let isCallersKey: Bool
}

/// A response in the cache, and its key.
package struct CacheSelection {
    package let key: ResponseKey
    package let response: StoredResponse
}
