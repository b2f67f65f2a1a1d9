internal import Fetching

/// What the fields of a response say about the cache.
struct CacheReport: Equatable, Sendable {
    var action: CacheStatus.Action
    var forwardStatus: Int?
    var isStored = false
    var detail: String?
    /// What is known about the stored response; `nil` if there is none.
    var stored: Stored?

    struct Stored: Equatable, Sendable {
        var ttl: Int
        var ageSeconds: Int
        var cacheControl: String
        /// Decant's own entity tag; `nil` if nothing was made of the response that is stored.
        var entityTag: String?
    }

    init(_ action: CacheStatus.Action) {
        self.action = action
    }

    /// Returns the report with the properties of a stored response.
    /// - Parameter seconds: the time after which callers must not use it, whatever its lifetime is.
    func describing(
        _ head: StoredHead,
        _ rendition: Rendition?,
        limitedTo seconds: Int = .max,
        at now: CacheMoment
    ) -> CacheReport {
        var report = self
        report.stored = Stored(
            ttl: head.ttl(at: now),
            ageSeconds: head.freshness.ageSeconds(at: now),
            cacheControl: head.callerCacheControl(limitedTo: seconds, at: now),
            entityTag: rendition?.entityTag
        )
        return report
    }

    /// The value of `Cache-Status`.
    func text(isCollapsed: Bool) -> String {
        var status = CacheStatus(action)
        status.forwardStatus = forwardStatus
        status.ttl = stored?.ttl
        status.isStored = isStored
        status.isCollapsed = isCollapsed
        status.detail = detail
        return status.value
    }
}
