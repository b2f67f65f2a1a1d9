internal import Fetching
internal import Synchronization

// Requests of `GET /v1/fetch` to which the cache has responded, with everything that follows from their queries alone.
//
//     query, partition ─► RepeatedFetch: order, keys ─► cache ─► response, as for every other request
//
// A hit is a repetition by nature. Parsing the query and the URL, applying the rules and building the keys takes several times as long as
// finding the response. The same query has the same order, as long as these are the same: the partition, whether the caller is
// authenticated (`cache-key`), and the rules. Everything else is decided for each request: whether its token or signature is valid, whether the
// response is fresh, and whether the caller has it already. Queries with `profile` are not kept, because profiles can be replaced.
//
// The table has a fixed number of places, which the hash of a query selects. A query replaces the one that has the same place.

/// What is known about a query to which the cache has responded.
final class RepeatedFetch: Sendable {
    fileprivate let source: Source

    /// The rules that permitted the request.
    fileprivate let rules: FetchRules

    /// The order of an earlier request. Its `requestID` and `ifNoneMatch` are those of that request.
    let order: FetchOrder

    let lookup: CacheLookup

    /// The key under which the response was found.
    let key: ResponseKey

    /// What decides about the order of a request.
    struct Source: Equatable, Sendable {
        let query: String
        let partition: String
        let isAuthenticated: Bool

        init(_ query: String, _ access: AccessGrant) {
            self.query = query
            partition = access.ownPartition.text
            isAuthenticated = access.isAuthenticated
        }
    }

    fileprivate init(
        _ source: Source,
        _ rules: FetchRules,
        _ order: FetchOrder,
        _ lookup: CacheLookup,
        _ key: ResponseKey
    ) {
        self.source = source
        self.rules = rules
        self.order = order
        self.lookup = lookup
        self.key = key
    }
}

/// The table of ``RepeatedFetch``es.
final class RepeatedFetches: Sendable {
    /// The number of places. It limits the memory of the table to about 2 MB, with ``maxQueryBytes``.
    private static let count = 256

    /// The maximum length of a query that is kept, in bytes, inclusive.
    private static let maxQueryBytes = 1024

    private let places = Mutex([RepeatedFetch?](repeating: nil, count: count))

    /// Returns what is known about a query; `nil` if nothing is known.
    func find(_ source: RepeatedFetch.Source, _ rules: FetchRules) -> RepeatedFetch? {
        guard source.query.utf8.count <= Self.maxQueryBytes else { return nil }
        let place = Self.place(of: source)
        guard let found = places.withLock({ $0[place] }), found.rules === rules, found.source == source else {
            return nil
        }
        return found
    }

    /// Keeps what is known about a query to which the cache has responded.
    func insert(
        _ source: RepeatedFetch.Source,
        _ rules: FetchRules,
        _ order: FetchOrder,
        _ lookup: CacheLookup,
        _ key: ResponseKey
    ) {
        guard source.query.utf8.count <= Self.maxQueryBytes else { return }
        let new = RepeatedFetch(source, rules, order, lookup, key)
        let place = Self.place(of: source)
        // The one that is replaced is released without the lock.
        let replaced = places.withLock { places in
            let replaced = places[place]
            places[place] = new
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }

    private static func place(of source: RepeatedFetch.Source) -> Int {
        source.query.hashValue & (count - 1)
    }
}
