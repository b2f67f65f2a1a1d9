internal import Fetching

extension Setting {
    /// The cache of upstream responses, which exists only if fetching is enabled.
    static let caching = [
        Setting(
            "cache-capacity-bytes",
            .integer(\.cacheCapacityBytes, 0...1 << 40),
            "Size of the cache of upstream responses, in bytes, above which it evicts; 0: nothing is stored."
        ),
        Setting(
            "cache-bytes-after-purge",
            .integer(\.cacheBytesAfterPurge, 0...1 << 40),
            "Size of the cache after an eviction, in bytes; by default 60 % of its capacity."
        ),
        Setting(
            "cache-max-entry-bytes",
            .integer(\.cacheMaxEntryBytes, 0...1 << 40),
            "Maximum size of a stored response with its renditions, in bytes; by default a quarter of the capacity."
        ),
        Setting(
            "cache-heuristic-seconds",
            .integer(\.cacheHeuristicSeconds, 0...31_536_000),
            "Lifetime of responses that state none and have no Last-Modified."
        ),
        Setting(
            "cache-stale-if-error-seconds",
            .integer(\.cacheStaleIfErrorSeconds, 0...31_536_000),
            "Time after its lifetime for which a stored response replaces an error of its origin, unless the response states another."
        ),
        Setting(
            "cache-key-fields",
            .recognized(\.cacheKeyFields, form: CacheKeyFields.allCases.map(\.rawValue).joined(separator: ", ")) {
                CacheKeyFields(rawValue: $0)
            },
            "Request fields that distinguish stored responses; vary: only Authorization, Cookie and those that Vary names."
        ),
        Setting(
            "cache-deny",
            .parsed(\.cacheDeny, form: urlForm, HostRules.init(parsing:)),
            "URLs whose responses are never stored."
        ),
        Setting("allow-purge", .boolean(\.allowPurge), "Permit DELETE /v1/cache, which removes stored responses."),
    ]
}
