internal import Fetching
internal import Flights

extension Settings {
    /// The cache of upstream responses, which exists only if fetching is enabled.
    struct Caching: SettingGroup {
        let cacheCapacityBytes = Setting(
            "cache-capacity-bytes",
            0...1 << 40,
            default: \.cacheBytesThatFit,
            "Size of the cache of upstream responses, in bytes, above which it evicts; 0: nothing is stored."
        )
        let cacheBytesAfterPurge = Setting(
            "cache-bytes-after-purge",
            0...1 << 40,
            default: { $0.cacheCapacityBytes / 5 * 3 },
            "Size of the cache after an eviction, in bytes; by default 60 % of its capacity."
        )
        let cacheMaxEntryBytes = Setting(
            "cache-max-entry-bytes",
            0...1 << 40,
            default: { $0.cacheCapacityBytes / 4 },
            "Maximum size of a stored response with its renditions, in bytes; by default a quarter of the capacity."
        )
        let cacheHeuristicSeconds = Setting(
            "cache-heuristic-seconds",
            0...31_536_000,
            default: 0,
            "Lifetime of responses that state none and have no Last-Modified."
        )
        let cacheStaleIfErrorSeconds = Setting(
            "cache-stale-if-error-seconds",
            0...31_536_000,
            default: 60,
            "Time after its lifetime for which a stored response replaces an error of its origin, unless the "
                + "response states another."
        )
        let cacheKeyFields = Setting<CacheKeyFields>(
            "cache-key-fields",
            default: .vary,
            "Request fields that distinguish stored responses; vary: those that Vary names, and those that say who "
                + "sends the request or what it is about."
        )
        let cacheDeny = Self.urls("cache-deny", "URLs whose responses are never stored.")

        let allowPurge = Setting<Bool>("allow-purge", "Permit DELETE /v1/cache, which removes stored responses.")
    }
}

extension Configuration {
    var cacheSettings: CacheSettings {
        CacheSettings(
            limits: CacheLimits(
                capacityBytes: self.cacheCapacityBytes,
                bytesAfterPurge: self.cacheBytesAfterPurge,
                maxEntryBytes: self.cacheMaxEntryBytes
            ),
            policy: CachePolicy(
                heuristicSeconds: self.cacheHeuristicSeconds,
                staleIfErrorSeconds: self.cacheStaleIfErrorSeconds,
                keyFields: self.cacheKeyFields
            ),
            denied: self.cacheDeny.value,
            allowsPurge: self.allowPurge
        )
    }
}
