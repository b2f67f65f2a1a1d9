package import Fetching

/// The settings of the cache.
package struct CacheSettings: Equatable, Sendable {
    package var limits = CacheLimits(capacityBytes: 0, bytesAfterPurge: 0, maxEntryBytes: 0)
    package var policy = CachePolicy()
    /// `cache-deny`.
    package var denied = HostRules()
    /// `allow-purge`.
    package var allowsPurge = false

    package init() {}

    package init(limits: CacheLimits, policy: CachePolicy, denied: HostRules, allowsPurge: Bool) {
        self.limits = limits
        self.policy = policy
        self.denied = denied
        self.allowsPurge = allowsPurge
    }
}
