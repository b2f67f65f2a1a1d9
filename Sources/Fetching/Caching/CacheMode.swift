/// The use of the cache that a request asks for (`cache`), as in WHATWG Fetch.
package enum CacheMode: String, Equatable, Sendable, CaseIterable {
    /// By the rules of RFC 9111.
    case `default`
    /// A stored response is used only after the origin has validated it.
    case noCache = "no-cache"
    /// The origin is asked without a condition, and its response is stored.
    case reload
    /// Any stored response is used, even a stale one; otherwise the origin is asked.
    case forceCache = "force-cache"
    /// Any stored response is used, even a stale one; the origin is never asked.
    case onlyIfCached = "only-if-cached"
    /// The cache is neither read nor written.
    case noStore = "no-store"

    /// How much a mode requires of the origin: the result of a request also satisfies requests with modes that require
    /// less.
    package var strictness: Int {
        switch self {
        case .forceCache, .onlyIfCached: 0
        case .default: 1
        case .noCache: 2
        case .reload: 3
        case .noStore: 4
        }
    }
}
