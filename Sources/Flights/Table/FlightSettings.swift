package import Fetching
package import Primitives

package struct FlightSettings: Sendable {
    package var permits: Permits
    package var times: Times
    package var requests: Requests
    package var attempts: Attempts
    package var cache: CacheSettings
    package var policy: FetchPolicy

    /// The bounds of the transfers in progress, and of the requests that wait for one.
    package struct Permits: Sendable {
        package var maxActive, maxActivePerOrigin, maxQueued: Int
        /// Whether the last request of an origin's queue is the next one.
        package var isLIFO: Bool

        package init(maxActive: Int, maxActivePerOrigin: Int, maxQueued: Int, isLIFO: Bool) {
            self.maxActive = maxActive
            self.maxActivePerOrigin = maxActivePerOrigin
            self.maxQueued = maxQueued
            self.isLIFO = isLIFO
        }
    }

    /// The properties of every request to an origin.
    package struct Requests: Sendable {
        package var slowestBytesPerSecond: Int
        /// Whether a GET or HEAD may have content.
        package var allowsGetContent: Bool
        /// Their fields, unless the caller sends the same.
        package var fields: [HeaderFields.Field]

        package init(slowestBytesPerSecond: Int, allowsGetContent: Bool, fields: [HeaderFields.Field]) {
            self.slowestBytesPerSecond = slowestBytesPerSecond
            self.allowsGetContent = allowsGetContent
            self.fields = fields
        }
    }

    /// The rules for further requests after a redirect or a failure.
    package struct Attempts: Sendable {
        package var redirects: RedirectRules
        package var maxRetries: Int
        package var breaker: CircuitBreaker.Settings

        package init(redirects: RedirectRules, maxRetries: Int, breaker: CircuitBreaker.Settings) {
            self.redirects = redirects
            self.maxRetries = maxRetries
            self.breaker = breaker
        }
    }

    /// The time limits of a request.
    package struct Times: Sendable {
        package var resolve, connect, idle, total, queue: Duration
        /// The time for which a result is kept that nobody has received.
        package var result: Duration

        package init(
            resolve: Duration,
            connect: Duration,
            idle: Duration,
            total: Duration,
            queue: Duration,
            result: Duration
        ) {
            self.resolve = resolve
            self.connect = connect
            self.idle = idle
            self.total = total
            self.queue = queue
            self.result = result
        }
    }

    /// All of these are settings of the service, and have no defaults here, so that none can be forgotten.
    package init(
        permits: Permits,
        times: Times,
        requests: Requests,
        attempts: Attempts,
        cache: CacheSettings,
        policy: FetchPolicy
    ) {
        self.permits = permits
        self.times = times
        self.requests = requests
        self.attempts = attempts
        self.cache = cache
        self.policy = policy
    }

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
    package static let maxWaitersPerName = 1_024

    /// The maximum number of requests that share one flight. Further ones begin another.
    package static let maxWaitersPerFlight = 16_384

    /// The maximum number of different options with which requests share one flight, each of which is a serialization
    /// of its own. Requests with others begin another flight.
    package static let maxRenditionsPerFlight = 64

    /// The maximum share of the memory for requests that the responses of one origin use together.
    package static let originMemoryPercent = 25
}

extension FlightSettings {
    /// The share of the permits: half of them, but enough for one origin and one transfer more.
    var sharedActive: Int { max((permits.maxActive + 1) / 2, permits.maxActivePerOrigin + 1) }

    /// The number of silent transfers from which on an origin that has not responded has one at a time.
    var crowdedActive: Int { max(permits.maxActive / 4, 2 * permits.maxActivePerOrigin) }

    /// The share of the queue.
    var sharedQueued: Int { (permits.maxQueued + 1) / 2 }
}
