internal import Fetching
internal import Flights
internal import Synchronization

// Requests to which the cache has responded, with everything that follows from their text alone.
//
//     query, content, partition ─► RepeatedFetch: request, keys ─► cache ─► response, as for every other request
//
// A hit is a repetition by nature. Parsing the request and the URL, applying the rules and building the keys takes
// several times as long as finding the response. The same text is the same request, as long as everything else in
// `RepeatedFetch.Source` and the rules are the same. The rest is decided for each request: whether its token or
// signature is valid, whether the response is fresh, and whether the caller has it already. Requests with a profile are
// not kept, because profiles can be replaced.
//
// The requests are a part of the memory of the cache.

/// What is known about a request to which the cache has responded.
final class RepeatedFetch: Sendable {
    fileprivate let source: Source

    /// The rules that permitted the request.
    fileprivate let rules: FetchRules

    /// The earlier request, without its `CDN-Loop`. Its `requestID` and `ifNoneMatch` are those of that request.
    let callerRequest: CallerRequest

    let lookup: CacheLookup

    /// The key under which the response was found.
    let key: ResponseKey

    /// Its memory.
    fileprivate let charge: CacheCharge

    /// What determines a request of a caller.
    struct Source: Hashable, Sendable {
        /// The endpoint, each of which reads its requests in its own way.
        enum Endpoint: Hashable, Sendable {
            case get
            case post
            /// - Parameter accept: the field `Accept`, which may decide about the format.
            case image(accept: String?)

            fileprivate var bytes: Int {
                if case .image(let accept?) = self { accept.utf8.count } else { 0 }
            }
        }

        private let endpoint: Endpoint
        private let query: String
        private let content: [UInt8]
        private let partition: String
        /// Decides about `cache-key`.
        private let isAuthenticated: Bool
        /// Decides about the sizes of images.
        private let isSigned: Bool

        /// The maximum length of a query, content and `Accept` together, in bytes, inclusive.
        static let maxBytes = 1024

        /// - Parameter content: the content of a request with `POST`.
        /// - Returns: `nil` if the request is too long to be kept.
        init?(_ endpoint: Endpoint, _ query: String, content: Span<UInt8> = Span(), _ access: AccessGrant) {
            guard query.utf8.count + content.count + endpoint.bytes <= Self.maxBytes else { return nil }
            self.endpoint = endpoint
            self.query = query
            // The bytes are copied during the call.
            self.content = unsafe content.withUnsafeBufferPointer { unsafe Array($0) }
            partition = access.ownPartition.text
            isAuthenticated = access.isAuthenticated
            isSigned = access.isSigned
        }

        /// The length of the texts, in bytes.
        fileprivate var bytes: Int { query.utf8.count + content.count + endpoint.bytes + partition.utf8.count }

        func hash(into hasher: inout Hasher) {
            hasher.combine(query)
            // They are hashed during the call.
            unsafe content.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }

    /// The memory of a request without texts, and the number of copies of these: they are parts of the URL, the fields
    /// and the keys.
    private static let (ownBytes, copies) = (2_048, 6)

    /// - Parameter account: the account of the cache.
    fileprivate init(
        _ source: Source,
        _ rules: FetchRules,
        _ callerRequest: CallerRequest,
        _ lookup: CacheLookup,
        _ key: ResponseKey,
        _ account: CacheAccount
    ) {
        self.source = source
        self.rules = rules
        var callerRequest = callerRequest
        callerRequest.loop = []
        self.callerRequest = callerRequest
        self.lookup = lookup
        self.key = key
        charge = CacheCharge(Self.ownBytes + Self.copies * source.bytes, to: account)
        charge.count()
    }
}

/// The table of ``RepeatedFetch``es. It has two generations: if the young one is full, it takes the place of the old
/// one, and those requests are forgotten that were not repeated in the meantime.
final class RepeatedFetches: Sendable {
    private struct Generations {
        var young: [RepeatedFetch.Source: RepeatedFetch] = [:]
        var old: [RepeatedFetch.Source: RepeatedFetch] = [:]
        /// The memory of the young requests, in bytes.
        var youngBytes = 0

        /// Adds a request to the young ones.
        /// - Returns: the requests that are forgotten. The caller releases them without the lock.
        mutating func add(_ new: RepeatedFetch, maxBytes: Int) -> [RepeatedFetch.Source: RepeatedFetch] {
            var forgotten: [RepeatedFetch.Source: RepeatedFetch] = [:]
            if youngBytes + new.charge.bytes > maxBytes {
                forgotten = old
                (old, young, youngBytes) = (young, [:], 0)
            }
            if let replaced = young.updateValue(new, forKey: new.source) { youngBytes -= replaced.charge.bytes }
            youngBytes += new.charge.bytes
            return forgotten
        }
    }

    private let generations = Mutex(Generations())
    private let account: CacheAccount
    /// The maximum memory of a generation, in bytes, inclusive: both have a sixteenth of the cache.
    private let maxBytes: Int

    init(_ cache: ResponseCache) {
        account = cache.store.account
        maxBytes = cache.store.limits.capacityBytes / 32
    }

    /// Returns what is known about a request; `nil` if nothing is known.
    func find(_ source: RepeatedFetch.Source, _ rules: FetchRules) -> RepeatedFetch? {
        var forgotten: [RepeatedFetch.Source: RepeatedFetch] = [:]
        let found = generations.withLock { generations -> RepeatedFetch? in
            if let young = generations.young[source] { return young }
            guard let old = generations.old.removeValue(forKey: source) else { return nil }
            forgotten = generations.add(old, maxBytes: maxBytes)
            return old
        }
        withExtendedLifetime(forgotten) {}
        return found?.rules === rules ? found : nil
    }

    /// Keeps what is known about a request to which the cache has responded.
    func insert(
        _ source: RepeatedFetch.Source,
        _ rules: FetchRules,
        _ callerRequest: CallerRequest,
        _ lookup: CacheLookup,
        _ key: ResponseKey
    ) {
        let new = RepeatedFetch(source, rules, callerRequest, lookup, key, account)
        guard new.charge.bytes <= maxBytes else { return }
        let forgotten = generations.withLock { $0.add(new, maxBytes: maxBytes) }
        withExtendedLifetime(forgotten) {}
    }

    /// Forgets all requests, because responses were purged, and with them the texts by which they were requested.
    func removeAll() {
        var forgotten = Generations()
        generations.withLock { swap(&$0, &forgotten) }
    }
}
