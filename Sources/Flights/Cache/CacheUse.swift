internal import Fetching

/// How a request was responded to, for the metrics.
package enum CacheUse: Int, CaseIterable, Sendable {
    case hit
    /// A stored response was used although it was stale.
    case stale
    /// The origin has confirmed a stored response.
    case revalidated
    case miss
    /// The cache was not used.
    case bypass

    package var name: StaticString {
        switch self {
        case .hit: "hit"
        case .stale: "stale"
        case .revalidated: "revalidated"
        case .miss: "miss"
        case .bypass: "bypass"
        }
    }
}

/// What is counted about the cache.
package struct CacheFigures: Equatable, Sendable {
    /// The number of requests by ``CacheUse``.
    package var uses = [UInt64](repeating: 0, count: CacheUse.allCases.count)
}

extension CacheForward {
    /// How the request is counted before the origin responds.
    var use: CacheUse {
        switch reason {
        case .bypass, .method: .bypass
        case .uriMiss, .varyMiss, .stale, .request: .miss
        }
    }
}
