import Fetching

@testable import Flights

// Values for tests. The service takes them from its settings.

extension CacheSettings {
    /// No cache.
    init() {
        self.init(
            limits: CacheLimits(capacityBytes: 0, bytesAfterPurge: 0, maxEntryBytes: 0),
            policy: CachePolicy(),
            denied: HostRules(),
            allowsPurge: false
        )
    }
}

extension FlightSettings {
    init() {
        self.init(
            permits: (maxActive: 256, maxActivePerOrigin: 8, maxQueued: 2_048, isLIFO: false),
            times: Times(
                resolve: .seconds(3),
                connect: .seconds(5),
                idle: .seconds(15),
                total: .seconds(60),
                queue: .seconds(10),
                result: .seconds(10)
            ),
            requests: (slowestBytesPerSecond: 1_024, allowsGetContent: false, fields: []),
            attempts: (redirects: RedirectRules(), maxRetries: 2, breaker: CircuitBreaker.Settings()),
            cache: CacheSettings(),
            policy: FetchPolicy()
        )
    }
}
