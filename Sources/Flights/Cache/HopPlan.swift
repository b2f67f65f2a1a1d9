internal import Fetching

/// What a flight knows about the cache for its current hop.
struct FlightCacheState {
    let request: CacheRequest
    let index: CacheKey
    var forward: CacheForward
    /// The stored response that the request selected.
    let selected: CacheSelection?
    /// The time at which the current attempt began.
    var requested = CacheMoment(wallSeconds: 0, nanoseconds: 0)
    /// What follows from the response of the origin; `nil` before its head.
    var outcome: CacheOutcome?
    /// Whether the response must not be stored, rather than there being no reason to store it.
    var forbidsStoring = false
}

/// A response in the cache, and its key.
struct CacheSelection {
    let key: ResponseKey
    let response: StoredResponse
}

/// How the next request of a flight is responded to.
struct HopPlan {
    enum End {
        /// The origin is asked. Without a cache, there is no state.
        case origin(FlightCacheState?)
        case served(CacheSelection, isNotModified: Bool)
        case failed(FlightFailure)
    }

    /// A stale response that is used while the origin validates it.
    struct Revalidation {
        let admission: FetchPolicy.Admission
        let state: FlightCacheState
        /// Whether it is a redirect that was followed.
        var isFollowed = false
    }

    let mode: CacheMode
    var request: FetchRequest
    var admission: FetchPolicy.Admission
    /// The redirects that were followed, all of which were stored.
    var history: [FollowedRedirect]
    var revalidations: [Revalidation] = []
    /// The time for which callers may use what is stored, in seconds, because of the redirects that were followed, or
    /// because it is stale.
    var callerSeconds = Int.max
    /// Whether one of the redirects names fields in `Vary`.
    var hasVaryingHop = false
    var end: End

    /// The kind of a flight that begins with this plan.
    var kind: FlightKind {
        switch end {
        case .served(let selection, let isNotModified):
            return .stored(
                generation: selection.response.generation,
                revision: selection.response.revision,
                isNotModified: isNotModified
            )
        case .failed: return .origin
        case .origin(let state):
            let mayUseStored = state?.selected != nil && mode != .reload && mode != .noStore
            return mayUseStored || !history.isEmpty ? .validation(mode) : .origin
        }
    }
}
