import Fetching

@testable import Flights

// Values for tests. The service takes them from its settings.

extension CacheSettings {
    /// No cache.
    init() {
        self.init(
            limits: CacheLimits(capacityBytes: 0, bytesAfterPurge: 0, maxEntryBytes: 0),
            policy: CachePolicy(heuristicSeconds: 0, staleIfErrorSeconds: 0, keyFields: .vary),
            denied: HostRules(),
            allowsPurge: false
        )
    }
}

extension FlightSettings {
    init() {
        self.init(
            permits: Permits(maxActive: 256, maxActivePerOrigin: 8, maxQueued: 2_048, isLIFO: false),
            times: Times(
                resolve: .seconds(3),
                connect: .seconds(5),
                idle: .seconds(15),
                total: .seconds(60),
                queue: .seconds(10),
                result: .seconds(10)
            ),
            requests: Requests(slowestBytesPerSecond: 1_024, allowsGetContent: false, fields: []),
            attempts: Attempts(
                redirects: RedirectRules(maxRedirects: 5),
                maxRetries: 2,
                breaker: CircuitBreaker.Settings(failurePercent: 50, openSeconds: 5)
            ),
            cache: CacheSettings(),
            policy: .testing()
        )
    }
}

extension FetchPolicy {
    /// Only safe methods, and no rules but those that are given.
    static func testing(allow: HostRules = HostRules()) -> FetchPolicy {
        FetchPolicy(
            allow: allow,
            deny: HostRules(),
            allowRedirects: HostRules(),
            methods: .safe,
            addresses: AddressRules(allowed: [], denied: [], listeners: .none)
        )
    }
}
