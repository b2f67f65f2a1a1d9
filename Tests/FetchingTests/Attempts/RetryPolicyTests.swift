import FuzzOracles
import Testing

@testable import Fetching

@Suite struct RetryPolicyTests {
    /// Random numbers that make every delay the longest one.
    private struct Highest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    @Test(arguments: [
        (FetchFailure.connectFailed, true), (.connectionLost, true), (.timedOut, true), (.tlsFailed, true),
        (.proxyFailed, true),
        (.resolveFailed, false), (.certificateUntrusted, false), (.malformedResponse, false),
        (.addressNotAllowed, false),
    ])
    func `repeats a request whose failure may be gone`(failure: FetchFailure, isRepeated: Bool) throws {
        #expect(try isRetry(decide(.failed(failure, hasHead: false))) == isRepeated)
        #expect(try decide(.failed(failure, hasHead: true)) == .final)
    }

    @Test(arguments: [429, 502, 503, 504])
    func `repeats a request after a status that may be gone`(status: Int) throws {
        #expect(try isRetry(decide(.responded(status: status, nil))))
    }

    @Test(arguments: [200, 304, 400, 404, 408, 425, 500, 501, 505])
    func `other statuses are final`(status: Int) throws {
        #expect(try decide(.responded(status: status, nil)) == .final)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"])
    func `repeats only GET and HEAD`(method: String) throws {
        #expect(try decide(.responded(status: 503, nil), method: method) == .final)
        #expect(try decide(.failed(.connectFailed, hasHead: false), method: method) == .final)
        #expect(try decide(.failed(.fetcherDied, hasHead: false), method: method) == .final)
    }

    @Test func `does not repeat a GET with content`() throws {
        #expect(try decide(.responded(status: 503, nil), content: []) == .final)
        #expect(try isRetry(decide(.responded(status: 503, nil), method: "HEAD")))
    }

    @Test(arguments: [(0, true), (1, true), (2, false), (3, false)])
    func `repeats at most as often as configured`(retries: Int, isRepeated: Bool) throws {
        #expect(try isRetry(decide(.responded(status: 503, nil), retries: retries)) == isRepeated)
        #expect(
            try decide(.responded(status: 503, nil), retries: retries, policy: RetryPolicy(maxRetries: 0)) == .final
        )
    }

    @Test func `repeats a request to a silent origin once`() throws {
        #expect(try isRetry(decide(.failed(.timedOut, hasHead: false), retries: 0)))
        #expect(try decide(.failed(.timedOut, hasHead: false), retries: 1) == .final)
        let policy = RetryPolicy(maxRetries: 0)
        #expect(try decide(.failed(.timedOut, hasHead: false), retries: 0, policy: policy) == .final)
    }

    @Test(arguments: [(0, 100), (1, 200), (2, 400), (3, 800), (4, 1_600), (5, 2_000), (6, 2_000), (1_000, 2_000)])
    func `the bound of the delay doubles up to two seconds`(retries: Int, milliseconds: Int) throws {
        var random = Highest()
        let policy = RetryPolicy(maxRetries: .max)
        #expect(
            try decide(.responded(status: 503, nil), retries: retries, policy: policy, using: &random)
                == .retry(after: .milliseconds(milliseconds))
        )
        var source = RandomSource(seed: 3)
        var delays: [Duration] = []
        for _ in 0..<200 {
            let decision = try decide(.responded(status: 503, nil), retries: retries, policy: policy, using: &source)
            guard case .retry(let delay) = decision else { continue }
            delays.append(delay)
        }
        // Full jitter: the delays are spread over the whole range.
        let bound = Duration.milliseconds(milliseconds)
        #expect(delays.count == 200)
        #expect(delays.allSatisfy { .zero...bound ~= $0 })
        #expect(delays.contains { $0 < bound / 5 } && delays.contains { $0 > bound * 4 / 5 })
    }

    @Test func `waits for Retry-After if it ends before the deadline`() throws {
        let outcome = RetryPolicy.Outcome.responded(status: 503, RetryAfter("3", now: 0))
        #expect(try decide(outcome, remaining: .seconds(10)) == .retry(after: .seconds(3)))
        #expect(try decide(outcome, remaining: .milliseconds(3_001)) == .retry(after: .seconds(3)))
        #expect(try decide(outcome, remaining: .seconds(3)) == .final)
        #expect(try decide(.failed(.connectFailed, hasHead: false), remaining: .zero) == .final)
    }

    @Test func `restarts once after a death of the fetcher, without the budget`() throws {
        var budget = RetryBudget()
        for restarts in 0..<3 {
            #expect(
                try decide(.failed(.fetcherDied, hasHead: false), retries: 2, restarts: restarts, budget: &budget)
                    == (restarts == 0 ? .restart : .final)
            )
        }
        #expect(try decide(.failed(.fetcherDied, hasHead: true)) == .restart)
        #expect(try decide(.failed(.fetcherDied, hasHead: false), remaining: .zero) == .final)
        #expect(budget == RetryBudget())
    }

    @Test func `permits ten retries in ten seconds, or a fifth of the requests`() throws {
        var budget = RetryBudget()
        let second: UInt64 = 1_000_000_000
        func retries(_ now: UInt64, of attempts: Int) throws -> Int {
            var count = 0
            for _ in 0..<attempts where try isRetry(decide(.responded(status: 503, nil), budget: &budget, now: now)) {
                count += 1
            }
            return count
        }
        #expect(try retries(0, of: 30) == 10)
        #expect(try retries(9 * second, of: 30) == 0)
        #expect(try retries(10 * second, of: 5) == 5)
        for _ in 0..<100 { budget.recordRequest(at: 11 * second) }
        #expect(try retries(11 * second, of: 100) == 15)
        for _ in 0..<4 { budget.recordRequest(at: 12 * second) }
        #expect(try retries(12 * second, of: 100) == 0)
        budget.recordRequest(at: 12 * second)
        #expect(try retries(12 * second, of: 100) == 1)
    }

    @Test func `final decisions do not charge the budget`() throws {
        var budget = RetryBudget()
        _ = try decide(.responded(status: 200, nil), budget: &budget)
        _ = try decide(.responded(status: 503, nil), retries: 2, budget: &budget)
        _ = try decide(.responded(status: 503, RetryAfter("99", now: 0)), remaining: .seconds(9), budget: &budget)
        #expect(budget == RetryBudget())
    }

    // MARK: Retry-After

    /// 1994-11-06 08:49:37 is 784111777.
    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7\t", 7), ("0005", 5), ("86400", 86_400), ("86401", 86_400),
        ("99999999999999999999999999999", 86_400),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 7), ("Sunday, 06-Nov-94 08:49:37 GMT", 7), ("Sun Nov  6 08:49:37 1994", 7),
        ("Sun, 06 Nov 1994 08:49:30 GMT", 0), ("Sun, 06 Nov 1904 08:49:37 GMT", 0),
        ("Sun, 06 Nov 9994 08:49:37 GMT", 86_400),
        ("Mon, 07 Nov 1994 08:49:29 GMT", 86_399), ("Thu, 01 Jan 0000 00:00:00 GMT", 0),
    ])
    func `reads seconds and dates`(value: String, seconds: Int) {
        #expect(RetryAfter(value, now: 784_111_770)?.seconds == seconds)
        #expect(RetryAfter(value, now: 784_111_770)?.pauseSeconds == min(seconds, 60))
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1s", "soon", "1, 2", "Sun, 31 Feb 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
    func `ignores other values`(value: String) {
        #expect(RetryAfter(value, now: 784_111_770) == nil)
    }

    @Test func `a date far from the current time does not overflow`() {
        #expect(RetryAfter("Sun, 06 Nov 1904 08:49:37 GMT", now: .max)?.seconds == 0)
        #expect(RetryAfter("Sun, 06 Nov 9994 08:49:37 GMT", now: .min)?.seconds == 0)
    }

    private func isRetry(_ decision: RetryPolicy.Decision) -> Bool {
        if case .retry = decision { true } else { false }
    }

    private func decide(
        _ outcome: RetryPolicy.Outcome,
        method: String = "GET",
        content: [UInt8]? = nil,
        retries: Int = 0,
        restarts: Int = 0,
        remaining: Duration = .seconds(60),
        policy: RetryPolicy = RetryPolicy(maxRetries: 2)
    ) throws -> RetryPolicy.Decision {
        var random = RandomSource(seed: 1)
        var budget = RetryBudget()
        let request = FetchRequest(method: method, url: try FetchURL(parsing: "http://a.example/"), content: content)
        return policy.decide(
            after: RetryPolicy.Attempt(
                request,
                outcome,
                history: RetryPolicy.History(retries: retries, restarts: restarts)
            ),
            remaining: remaining,
            budget: &budget,
            now: 0,
            using: &random
        )
    }

    private func decide(
        _ outcome: RetryPolicy.Outcome,
        retries: Int = 0,
        restarts: Int = 0,
        remaining: Duration = .seconds(60),
        budget: inout RetryBudget,
        now: UInt64 = 0
    ) throws -> RetryPolicy.Decision {
        var random = RandomSource(seed: 1)
        let request = FetchRequest(method: "GET", url: try FetchURL(parsing: "http://a.example/"))
        return RetryPolicy(maxRetries: 2).decide(
            after: RetryPolicy.Attempt(
                request,
                outcome,
                history: RetryPolicy.History(retries: retries, restarts: restarts)
            ),
            remaining: remaining,
            budget: &budget,
            now: now,
            using: &random
        )
    }

    private func decide(
        _ outcome: RetryPolicy.Outcome,
        retries: Int,
        policy: RetryPolicy,
        using random: inout some RandomNumberGenerator
    ) throws -> RetryPolicy.Decision {
        var budget = RetryBudget()
        let request = FetchRequest(method: "GET", url: try FetchURL(parsing: "http://a.example/"))
        return policy.decide(
            after: RetryPolicy.Attempt(request, outcome, history: RetryPolicy.History(retries: retries)),
            remaining: .seconds(60),
            budget: &budget,
            now: 0,
            using: &random
        )
    }
}
