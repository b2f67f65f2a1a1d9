package import Fetching
internal import Platform

/// What the fields of a response say about the cache.
package struct CacheReport: Equatable, Sendable {
    package var action: CacheStatus.Action
    package var forwardStatus: Int?
    package var isStored = false
    package var detail: String?
    /// What is known about the stored response; `nil` if there is none.
    package var stored: Stored?

    package struct Stored: Equatable, Sendable {
        /// The lifetime, in seconds.
        var lifetimeSeconds: Int
        /// The age at ``time``, in nanoseconds.
        var ageNanoseconds: Int
        /// The time of the report, in nanoseconds of the monotonic clock.
        var time: UInt64
        package var cacheControl: String
        /// Decant's own entity tag; `nil` if nothing was made of the response that is stored.
        package var entityTag: String?

        package var ageSeconds: Int { ageNanoseconds / 1_000_000_000 }
        /// The rest of the lifetime, in seconds, negative if the response is stale.
        var ttl: Int { lifetimeSeconds - ageSeconds }
    }

    package init(_ action: CacheStatus.Action) { self.action = action }

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
            lifetimeSeconds: head.freshness.lifetimeSeconds,
            ageNanoseconds: head.freshness.age(at: now),
            time: now.nanoseconds,
            cacheControl: head.callerCacheControl(limitedTo: seconds, at: now),
            entityTag: rendition?.entityTag
        )
        return report
    }

    /// Returns the report for a response that is delivered later: it has become older.
    func aged(to now: MonotonicTime) -> CacheReport {
        var report = self
        if let stored, now.nanoseconds > stored.time {
            let age = stored.ageNanoseconds.addingReportingOverflow(Int(clamping: now.nanoseconds - stored.time))
            report.stored?.ageNanoseconds = age.overflow ? .max : age.partialValue
            report.stored?.time = now.nanoseconds
        }
        return report
    }

    /// The value of `Cache-Status`.
    package func text(isCollapsed: Bool) -> String {
        var status = CacheStatus(action)
        status.forwardStatus = forwardStatus
        status.ttl = stored?.ttl
        status.isStored = isStored
        status.isCollapsed = isCollapsed
        status.detail = detail
        return status.value
    }
}
