internal import Fetching
internal import Flights
internal import HTTP
internal import Platform
internal import Serialization
internal import Synchronization

/// Everything that requests for resources share: the settings, the rules and the thread. It exists only if
/// `fetch-allow` is set.
final class FetchService: Sendable {
    let settings: FlightSettings
    let thread: FetchThread
    let cache: ResponseCache
    /// Detects requests that lead back to this deployment.
    let loop: CDNLoop
    let account: MemoryAccount
    private let repeated: RepeatedFetches
    private let currentRules: Mutex<FetchRules>

    /// - Parameters:
    ///   - loop: the identifier of the deployment in `CDN-Loop`.
    ///   - credentials: the fields that the service adds itself.
    init(
        _ settings: FlightSettings,
        fetcher: FetcherConfiguration,
        loop: CDNLoop,
        credentials: OriginCredentials,
        account: MemoryAccount,
        log: FetchLog
    ) throws(SystemError) {
        var settings = settings
        self.loop = loop
        settings.requests.fields.append(HeaderFields.Field(name: CDNLoop.name, value: loop.identifier))
        self.settings = settings
        self.account = account
        currentRules = Mutex(FetchRules(settings, settings.policy, credentials))
        cache = ResponseCache(settings.cache)
        repeated = RepeatedFetches(cache)
        thread = try FetchThread(settings, fetcher, account: account, cache: cache, log: log)
    }

    /// The rules that requests must obey.
    var rules: FetchRules { currentRules.withLock { $0 } }

    /// Starts the fetcher.
    /// - Parameters:
    ///   - lanes: decode responses.
    ///   - listeners: the service's own addresses and ports, which must not be requested.
    func start(_ lanes: Lanes, listeners: LocalListeners) throws(SystemError) {
        var policy = settings.policy
        policy.addresses.listeners = listeners
        currentRules.withLock { $0 = FetchRules(settings, policy, $0.credentials) }
        try thread.start(lanes, policy: policy)
    }

    /// Replaces the fields that the service adds itself, for requests from now on.
    func use(_ credentials: OriginCredentials) {
        currentRules.withLock { $0 = FetchRules(settings, $0.policy, credentials) }
    }

    /// Returns the values of `CDN-Loop` of a request, which are passed on.
    func receivedLoop(_ fields: borrowing RequestFields) throws(FetchCallError) -> [String] {
        let values = fields.values(of: CDNLoop.name)
        guard !values.isEmpty else { return values }
        guard !loop.isIn(values) else { throw .loop }
        guard CDNLoop.canBePassedOn(values) else { throw .malformedLoop }
        return values
    }

    /// Returns what is known about a request to which the cache has responded; `nil` if nothing is known.
    func repeated(_ source: RepeatedFetch.Source) -> RepeatedFetch? { repeated.find(source, rules) }

    /// Forgets the requests of which something is known.
    func forgetRepeated() { repeated.removeAll() }

    /// Returns the response to a request that needs neither the origin nor a decoder; `nil` for every other request.
    /// - Parameter source: what determines the request; `nil` if it is not kept for further requests.
    func cachedResponse(to callerRequest: CallerRequest, from source: RepeatedFetch.Source? = nil) -> Response? {
        // A request in a slot ends the earlier one there, which the fetch thread knows.
        guard callerRequest.slot == nil, callerRequest.request.content == nil else { return nil }
        let now = Self.now
        let rules = rules
        let lookup = cache.lookup(callerRequest.request, of: callerRequest, isFirst: true)
        let match = cache.find(lookup, for: callerRequest, now: now)
        guard
            let response = response(
                to: callerRequest,
                requestID: callerRequest.requestID,
                ifNoneMatch: callerRequest.ifNoneMatch,
                match,
                now
            )
        else { return nil }
        if let source, let key = match.selection?.key {
            repeated.insert(source, rules, callerRequest, lookup, key)
        }
        return response
    }

    /// Returns the response to a request of which an earlier one is known, as ``cachedResponse(to:from:)`` does.
    func cachedResponse(to known: RepeatedFetch, ifNoneMatch: [String], requestID: RequestID) -> Response? {
        let now = Self.now
        let match = cache.find(known.lookup, for: known.callerRequest, key: known.key, now: now)
        return response(to: known.callerRequest, requestID: requestID, ifNoneMatch: ifNoneMatch, match, now)
    }

    private static var now: CacheMoment {
        CacheMoment(wallSeconds: WallClock.seconds, nanoseconds: MonotonicTime.now.nanoseconds)
    }

    private func response(
        to callerRequest: CallerRequest,
        requestID: RequestID,
        ifNoneMatch: [String],
        _ match: ResponseCache.Match,
        _ now: CacheMoment
    ) -> Response? {
        guard let hit = cache.hit(match, for: callerRequest, at: now) else { return nil }
        return FetchResponse.rendered(
            hit.response.inService,
            hit.facts,
            ifNoneMatch: ifNoneMatch,
            requestID: requestID
        )
    }
}
