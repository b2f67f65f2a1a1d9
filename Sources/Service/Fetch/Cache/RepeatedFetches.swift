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
// The table has a fixed number of buckets, one of which the hash of a request selects. A request replaces the one
// in its bucket.

/// What is known about a request to which the cache has responded.
final class RepeatedFetch: Sendable {
    fileprivate let source: Source

    /// The rules that permitted the request.
    fileprivate let rules: FetchRules

    /// The earlier request. Its `requestID` and `ifNoneMatch` are those of that request.
    let callerRequest: CallerRequest

    let lookup: CacheLookup

    /// The key under which the response was found.
    let key: ResponseKey

    /// What determines a request of a caller.
    struct Source: Hashable, Sendable {
        /// The endpoint, each of which reads its requests in its own way.
        enum Endpoint: Hashable, Sendable {
            case get
            case post
            /// - Parameter accept: the field `Accept`, which may decide about the format.
            case image(accept: String?)
        }

        private let endpoint: Endpoint
        private let query: String
        private let content: [UInt8]
        private let partition: String
        /// Decides about `cache-key`.
        private let isAuthenticated: Bool
        /// Decides about the sizes of images.
        private let isSigned: Bool

        /// The maximum length of a query and content together, in bytes, inclusive.
        static let maxBytes = 1024

        /// - Parameter content: the content of a request with `POST`.
        /// - Returns: `nil` if the request is too long to be kept.
        init?(_ endpoint: Endpoint, _ query: String, content: Span<UInt8> = Span(), _ access: AccessGrant) {
            guard query.utf8.count + content.count <= Self.maxBytes else { return nil }
            self.endpoint = endpoint
            self.query = query
            // The bytes are copied during the call.
            self.content = unsafe content.withUnsafeBufferPointer { unsafe Array($0) }
            partition = access.ownPartition.text
            isAuthenticated = access.isAuthenticated
            isSigned = access.isSigned
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(query)
            // They are hashed during the call.
            unsafe content.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }

    fileprivate init(
        _ source: Source,
        _ rules: FetchRules,
        _ callerRequest: CallerRequest,
        _ lookup: CacheLookup,
        _ key: ResponseKey
    ) {
        self.source = source
        self.rules = rules
        self.callerRequest = callerRequest
        self.lookup = lookup
        self.key = key
    }
}

/// The table of ``RepeatedFetch``es.
final class RepeatedFetches: Sendable {
    /// The number of buckets. It limits the memory of the table to a few MB, with ``RepeatedFetch/Source/maxBytes``.
    private static let count = 256

    private let buckets = Mutex([RepeatedFetch?](repeating: nil, count: count))

    /// Returns what is known about a request; `nil` if nothing is known.
    func find(_ source: RepeatedFetch.Source, _ rules: FetchRules) -> RepeatedFetch? {
        let bucket = Self.bucket(of: source)
        guard let found = buckets.withLock({ $0[bucket] }), found.rules === rules, found.source == source else {
            return nil
        }
        return found
    }

    /// Keeps what is known about a request to which the cache has responded.
    func insert(
        _ source: RepeatedFetch.Source,
        _ rules: FetchRules,
        _ callerRequest: CallerRequest,
        _ lookup: CacheLookup,
        _ key: ResponseKey
    ) {
        let new = RepeatedFetch(source, rules, callerRequest, lookup, key)
        let bucket = Self.bucket(of: source)
        // The one that is replaced is released without the lock.
        let replaced = buckets.withLock { buckets in
            let replaced = buckets[bucket]
            buckets[bucket] = new
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }

    private static func bucket(of source: RepeatedFetch.Source) -> Int {
        source.hashValue & (count - 1)
    }
}
