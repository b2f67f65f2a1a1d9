package import Fetching

package struct CacheSettings: Equatable, Sendable {
    package var limits: CacheLimits
    package var policy: CachePolicy
    /// `cache-deny`.
    package var denied: HostRules
    /// `allow-purge`.
    package var allowsPurge: Bool

    package init(limits: CacheLimits, policy: CachePolicy, denied: HostRules, allowsPurge: Bool) {
        self.limits = limits
        self.policy = policy
        self.denied = denied
        self.allowsPurge = allowsPurge
    }
}
