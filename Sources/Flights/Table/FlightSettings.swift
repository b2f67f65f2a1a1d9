package import Fetching
package import Primitives

/// The settings of flights.
package struct FlightSettings: Sendable {
    package var maxActive = 256
    package var maxActivePerOrigin = 8
    package var maxQueued = 2048
    /// Whether the last request of an origin's queue is the next one.
    package var isLIFO = false
    package var resolveTimeout: Duration = .seconds(3)
    package var connectTimeout: Duration = .seconds(5)
    package var idleTimeout: Duration = .seconds(15)
    package var timeout: Duration = .seconds(60)
    package var queueTimeout: Duration = .seconds(10)
    /// The time for which a result is kept that nobody has received.
    package var resultTime: Duration = .seconds(10)
    package var slowestBytesPerSecond = 1024
    /// Whether a GET or HEAD may have content.
    package var allowsGetContent = false
    package var redirects = RedirectRules()
    package var maxRetries = 2
    package var cache = CacheSettings()
    package var breaker = CircuitBreaker.Settings()
    package var policy = FetchPolicy()
    /// The fields of every request to an origin, unless the caller sends the same.
    package var fields: [HeaderFields.Field] = []

    package init() {}

    /// The time for which requests of a URL are not merged after a response that cannot be shared.
    package static let hitForMissTime: Duration = .seconds(120)

    /// The maximum number of such URLs.
    package static let maxHitForMissKeys = 16_384

    /// The number of serializations in progress or in the queue of their lane from which on no further transfer begins.
    package static let maxSerializations = 256

    /// The maximum length of the contents of all requests that are active at a time, in bytes. The memory of the
    /// fetcher is limited.
    package static let maxActiveContentBytes = 2 * FetchStart.maxContentBytes

    /// The maximum number of requests that wait under one receipt, and in one slot.
    package static let maxReceiptsPerName = 1_024

    /// The maximum number of requests that share one flight. Further ones begin another.
    package static let maxReceiptsPerFlight = 16_384

    /// The maximum share of the memory for requests that the responses of one origin use together.
    package static let originMemoryPercent = 25
}

extension FlightSettings {
    /// The share of the permits: half of them, but enough for one origin and one transfer more.
    var sharedActive: Int { max((maxActive + 1) / 2, maxActivePerOrigin + 1) }

    /// The number of silent transfers from which on an origin that has not responded has one at a time.
    var crowdedActive: Int { max(maxActive / 4, 2 * maxActivePerOrigin) }

    /// The share of the queue.
    var sharedQueued: Int { (maxQueued + 1) / 2 }
}
