internal import Fetching
internal import Primitives

// A flight is a list of hops: the request of its caller, and one for each redirect that was followed.
//
//     GET https://a.example/x   X-Key: 1     301, max-age=60      stored under a.example/x and X-Key
//       └► GET https://b.example/y           200, max-age=600     stored under b.example/y
//
// A repeated request finds the same hops in the cache, one after the other. Callers may use the result for 60 seconds,
// because the redirect permits no more, and another caller may use that of b.example/y for 600.

/// One request on the way to a result.
///
/// **Invariant.** What a flight does next depends on the URL, the fields and the key of its current hop alone. The
/// request of the caller and the URL of the result are kept to begin again and to report. The response is stored under
/// the key with which the hop was looked up, and nowhere else. `FlightWitness` checks both.
struct Hop {
    /// The request. Its fields are those of the caller that the redirects have left.
    let request: FetchRequest
    let admission: FetchPolicy.Admission
    /// Whether this request and all before it are at the origin of the caller's URL, so that the service adds its
    /// credentials. Every other URL was chosen by an origin.
    let keepsOrigin: Bool
    /// What the cache has for the request; `nil` without a cache.
    var match: ResponseCache.Match?
    /// The response: that of the origin, or a stored one; `nil` before it.
    var head: Head?
    /// What follows from the response of the origin; `nil` before it, and without a cache.
    var outcome: CacheOutcome?

    struct Head {
        let status: Int
        let fields: [HeaderFields.Field]
    }

    init(_ request: FetchRequest, _ admission: FetchPolicy.Admission, keepsOrigin: Bool) {
        self.request = request
        self.admission = admission
        self.keepsOrigin = keepsOrigin
    }
}

extension Hop.Head {
    init(_ head: StoredHead) { self.init(status: head.status, fields: head.fields) }
}

// MARK: The cache

extension Hop {
    /// Decides what follows from the response of the origin, and applies what does not need its content.
    /// - Parameters:
    ///   - requests: what the requests of the flight permit: one of them is enough.
    ///   - began: the time of the cache when the flight began.
    mutating func receive(
        _ response: OriginResponse,
        for requests: SparseList<Waiter>,
        in cache: ResponseCache,
        began: UInt64
    ) {
        guard let match, let forward = match.forward else { return }
        var request = match.lookup.request
        for callerRequest in requests.lazy.map(\.callerRequest) {
            request.permitsStoring = request.permitsStoring || callerRequest.permitsStoring
            request.acceptsAnyStored = request.acceptsAnyStored || callerRequest.cache == .forceCache
        }
        cache.invalidate(after: response, match.lookup)
        var outcome = cache.policy.receive(response, for: request, forward)
        // Other callers receive it too.
        if match.lookup.isCallersKey { outcome = outcome.withoutURLs }
        self.outcome = outcome
        guard let selection = match.selection else { return }
        switch outcome {
        case .pass(_, removesStored: true): cache.remove(selection)
        case .update(let head): _ = cache.update(selection, head, match.lookup, began: began)
        case .pass, .store, .freshened, .fetchAgain, .staleIfError: break
        }
    }

    /// What the requests receive in place of the response of the origin.
    struct Stored {
        let selection: CacheSelection
        /// Whether it stays stored, so that callers may store it too.
        let isStored: Bool
    }

    /// Stores the response of the origin, or what a validation has made of the stored one.
    /// - Parameter content: `nil` if only the head is needed, because the response is a redirect that is followed.
    /// - Returns: `nil` if there is nothing but the response itself.
    func store(_ content: (any FlightContent)?, in cache: ResponseCache, began: UInt64) -> Stored? {
        guard let match else { return nil }
        switch outcome {
        case .store(let head):
            let stored = StoredResponse(head, content: content, generation: StoredResponse.newGeneration())
            guard let key = cache.insert(stored, match.lookup, began: began) else { return nil }
            // The request had directives, and what is stored without them is older.
            if let selection = match.selection, selection.key != key { cache.remove(selection) }
            return Stored(selection: CacheSelection(key: key, response: stored), isStored: true)
        case .freshened(let head, let isStorable):
            guard let selection = match.selection else { return nil }
            if isStorable, let updated = cache.update(selection, head, match.lookup, began: began) {
                return Stored(selection: updated, isStored: true)
            }
            if !isStorable { cache.remove(selection) }
            let response = selection.response.replacing(head)
            return Stored(selection: CacheSelection(key: selection.key, response: response), isStored: false)
        case .fetchAgain, .staleIfError, .pass, .update, nil: return nil
        }
    }
}

/// What remains of a hop whose redirect was followed: its response may be long.
struct PassedHop {
    let request: FetchRequest
    let admission: FetchPolicy.Admission
    let status: Int
    /// The value of `Location`.
    let location: String
    /// What the cache knows of the request; `nil` without a cache.
    let lookup: CacheLookup?
    /// The key of the URL of the stored response that was selected; `nil` if there was none.
    let selected: CacheKey?
    /// Whether that response was used although it is stale, and the origin validates it at the same time.
    let isStale: Bool
    /// The time for which callers may use what the redirect leads to, in seconds; `nil` if it is not stored.
    let callerSeconds: Int?

    fileprivate init(_ hop: Hop, _ head: Hop.Head, callerSeconds: Int?) {
        request = hop.request
        admission = hop.admission
        status = head.status
        location = HeaderFields(head.fields).first("location") ?? ""
        lookup = hop.match?.lookup
        selected = hop.match?.selection?.key.index
        isStale = hop.match?.revalidation != nil
        self.callerSeconds = callerSeconds
    }

    /// The memory of the hop and of what its URL becomes a part of, in bytes: keys, the report and the result. The
    /// fields are those of the caller.
    fileprivate var heapBytes: Int { 512 + 5 * request.url.text.utf8.count + location.utf8.count }
}

/// The hops of a flight.
struct Route {
    /// The hops that were redirected, in order.
    private(set) var passed: [PassedHop] = []
    /// The memory of ``passed``, in bytes.
    private(set) var passedBytes = 0
    /// The current hop, or that of the result.
    var hop: Hop

    /// Begins at the request of a caller.
    /// - Parameter keepsOrigin: ``Hop/keepsOrigin``; `false` if it is the request of a hop to another origin.
    init(of callerRequest: CallerRequest, keepsOrigin: Bool = true) {
        hop = Hop(callerRequest.request, callerRequest.admission, keepsOrigin: keepsOrigin)
    }

    /// Goes on to the hop to which the response of the current one redirects.
    /// - Parameter callerSeconds: the time for which callers may use what follows; `nil` if the redirect is not stored.
    mutating func follow(_ head: Hop.Head, callerSeconds: Int?, to next: Hop) {
        let passedHop = PassedHop(hop, head, callerSeconds: callerSeconds)
        passed.append(passedHop)
        passedBytes += passedHop.heapBytes
        hop = next
    }

    /// The URL of the result, and the redirects before it.
    var path: ResponsePath {
        ResponsePath(
            url: hop.request.url.text,
            history: passed.map { FollowedRedirect(status: $0.status, url: $0.request.url.text) }
        )
    }

    /// The time for which callers may use a stored result, in seconds, apart from its own lifetime; `nil` if they must
    /// not store it, because one of the redirects is not stored.
    var callerSeconds: Int? {
        var seconds = hop.match?.revalidation == nil ? Int.max : 0
        for hop in passed {
            guard let limit = hop.callerSeconds else { return nil }
            seconds = min(seconds, limit)
        }
        return seconds
    }

    /// Whether one of the responses of the cache is stale, and the origin validates it at the same time.
    var isStale: Bool { hop.match?.revalidation != nil || passed.contains(where: \.isStale) }

    /// The kind of a flight that begins here, for a request with this mode.
    func kind(for mode: CacheMode) -> FlightKind {
        if let served = hop.match?.served {
            return .stored(
                generation: served.selection.response.generation,
                revision: served.selection.response.revision,
                isNotModified: served.isNotModified
            )
        }
        let mayUseStored = hop.match?.selection != nil && mode != .reload && mode != .noStore
        return mayUseStored || !passed.isEmpty ? .validation(mode) : .origin
    }

    /// Whether what was or may be used of the cache satisfies a request with this mode.
    func satisfies(_ mode: CacheMode) -> Bool {
        func satisfies(_ lookup: CacheLookup?, _ selected: CacheKey?) -> Bool {
            guard selected != nil, let lookup else { return true }
            return lookup.request.mode.strictness >= mode.strictness
        }
        return satisfies(hop.match?.lookup, hop.match?.selection?.key.index)
            && passed.allSatisfy { satisfies($0.lookup, $0.selected) }
    }

    /// The keys of all hops, whose purge concerns the result.
    var lookups: [CacheLookup] { (passed.map(\.lookup) + [hop.match?.lookup]).compactMap { $0 } }
}
