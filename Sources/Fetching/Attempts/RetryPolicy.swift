// Decides whether a failed attempt is repeated, and when.
//
// A request is repeated if it is a GET or HEAD without content, and
// - the attempt failed before any byte of a head, for a reason that may be gone, or
// - the status is 429, 502, 503 or 504.
//
// The delay is random, between 0 and 100 ms · 2ⁿ, but at most 2 s ("full jitter"); n is the number of retries before.
// `Retry-After` is a lower bound of the delay. A retry whose delay does not end before the deadline is not made.
//
// Example: a HEAD whose connection was reset twice has waited up to 100 ms, then up to 200 ms. Its third attempt is the
// last one with fetch-retries=2.
//
// Ambiguities, and how we resolve them:
// - Failures to resolve a name are not repeated: the resolver has repeated its queries, and a silent DNS server would
//   delay a request by a multiple of fetch-resolve-seconds. Addresses and certificates that are not accepted do not
//   change.
// - A request to an origin that was silent for a configured time is repeated once: it occupies a permit for that time
//   again.
// - A death of the fetcher is not the origin's fault. The request is started again once, also after a head, without a
//   delay, and neither counts as a retry nor against the budget.
// - The budget of 20 % would permit no retry of an origin's first request. Ten retries in ten seconds are always
//   permitted.

/// The retries of one origin, which must not multiply its load when it fails.
package struct RetryBudget: Equatable, Sendable {
    /// The maximum share of retries in the requests of the last ten seconds, in percent.
    static let maxPercent = 20

    /// The number of retries in ten seconds that are always permitted.
    static let minRetries = 10

    private var requests = SlidingCount()
    private var retries = SlidingCount()

    package init() {}

    /// Counts a request. Its retries are not requests.
    /// - Parameter now: Nanoseconds of a monotonic clock.
    package mutating func recordRequest(at now: UInt64) { requests.add(at: now) }

    /// Counts a retry, if the budget permits one.
    mutating func take(at now: UInt64) -> Bool {
        let permitted = max(Self.minRetries, requests.total(at: now) * Self.maxPercent / 100)
        guard retries.total(at: now) < permitted else { return false }
        retries.add(at: now)
        return true
    }
}

package struct RetryPolicy: Equatable, Sendable {
    /// The result of an attempt that may be repeated.
    package enum Outcome: Equatable, Sendable {
        /// - Parameter hasHead: Whether a byte of a head was received.
        case failed(FetchFailure, hasHead: Bool)
        case responded(status: Int, RetryAfter?)
    }

    package enum Decision: Equatable, Sendable {
        /// The outcome is the result.
        case final
        case retry(after: Duration)
        /// The request is started again at once, because the process that fetched it ended.
        case restart
    }

    /// What has happened to a request before.
    package struct History: Equatable, Sendable {
        package var retries: Int
        package var restarts: Int

        package init(retries: Int = 0, restarts: Int = 0) {
            self.retries = retries
            self.restarts = restarts
        }
    }

    /// An attempt that has ended.
    package struct Attempt: Equatable, Sendable {
        package let request: FetchRequest
        package let outcome: Outcome
        /// What has happened to the request before.
        package let history: History

        package init(_ request: FetchRequest, _ outcome: Outcome, history: History) {
            self.request = request
            self.outcome = outcome
            self.history = history
        }
    }

    /// The maximum number of retries of a request (`fetch-retries`), inclusive.
    package var maxRetries: Int

    package init(maxRetries: Int) { self.maxRetries = maxRetries }

    /// The upper bound of the first delay.
    static let baseDelay = Duration.milliseconds(100)

    /// The upper bound of all delays.
    static let maxDelay = Duration.seconds(2)

    /// Decides what follows an attempt.
    /// - Parameters:
    ///   - remaining: The time until the deadline of the request.
    ///   - budget: The budget of the origin. It is charged if the decision is a retry.
    ///   - now: Nanoseconds of a monotonic clock.
    package func decide(
        after attempt: Attempt,
        remaining: Duration,
        budget: inout RetryBudget,
        now: UInt64,
        using random: inout some RandomNumberGenerator
    ) -> Decision {
        guard attempt.request.isRepeatable else { return .final }
        let (outcome, history) = (attempt.outcome, attempt.history)
        var (delay, permitted) = (Duration.zero, maxRetries)
        switch outcome {
        case .failed(let failure, let hasHead):
            switch failure.row.repetition {
            case .restart: return history.restarts == 0 && remaining > .zero ? .restart : .final
            case .never: return .final
            case .asConfigured, .once: if hasHead { return .final }
            }
            if failure.row.repetition == .once { permitted = min(maxRetries, 1) }
        case .responded(let status, let retryAfter):
            guard [429, 502, 503, 504].contains(status) else { return .final }
            delay = .seconds(retryAfter?.seconds ?? 0)
        }
        guard history.retries < permitted else { return .final }
        delay = max(delay, Self.jitter(retries: history.retries, using: &random))
        guard delay < remaining, budget.take(at: now) else { return .final }
        return .retry(after: delay)
    }

    private static func jitter(retries: Int, using random: inout some RandomNumberGenerator) -> Duration {
        // The bound is reached after five doublings.
        let bound = min(baseDelay * (1 << min(max(retries, 0), 5)), maxDelay)
        let nanoseconds = bound.components.seconds * 1_000_000_000 + bound.components.attoseconds / 1_000_000_000
        return .nanoseconds(Int64.random(in: 0...nanoseconds, using: &random))
    }
}
