import FuzzOracles
import Testing

@testable import Fetching

@Suite struct CircuitBreakerTests {
    private static let second: UInt64 = 1_000_000_000

    /// A breaker with a clock that the test sets.
    private struct Subject {
        var breaker = CircuitBreaker(settings: CircuitBreaker.Settings())
        var seconds: UInt64 = 1_000

        var now: UInt64 { seconds * CircuitBreakerTests.second }
        var state: CircuitBreaker.State { breaker.state(at: now) }

        mutating func admit() -> CircuitBreaker.Admission { breaker.admit(at: now) }

        mutating func record(_ outcome: CircuitBreaker.Outcome, count: Int = 1) {
            for _ in 0..<count {
                if case .admitted(let permission) = admit() { breaker.record(outcome, permission, at: now) }
            }
        }
    }

    @Test func `opens after five failures to connect in a row`() {
        var subject = Subject()
        subject.record(.connectFailed, count: 4)
        #expect(subject.state == .closed)
        subject.record(.connected)
        subject.record(.connectFailed, count: 4)
        #expect(subject.state == .closed)
        subject.record(.timedOut)
        subject.record(.connectFailed, count: 4)
        #expect(subject.state == .closed)
        subject.record(.connectFailed)
        #expect(subject.state == .open)
        #expect(subject.admit() == .rejected(retryAfterSeconds: 5))
    }

    /// An origin that is silent for 15 s fails no more than eight requests at a time, so that the share is not
    /// considered.
    @Test func `opens after five requests in a row without a head`() {
        var subject = Subject()
        subject.record(.silent, count: 4)
        subject.record(.timedOut)
        subject.record(.silent, count: 2)
        subject.record(.connectFailed, count: 2)
        #expect(subject.state == .closed)
        subject.seconds += 60
        subject.record(.silent)
        #expect(subject.state == .open)
    }

    @Test func `outcomes that report nothing do not interrupt the row`() {
        var subject = Subject()
        subject.record(.connectFailed, count: 4)
        subject.record(.none, count: 100)
        #expect(subject.state == .closed)
        subject.record(.connectFailed)
        #expect(subject.state == .open)
    }

    @Test func `opens when half of at least twenty requests have failed`() {
        var subject = Subject()
        subject.record(.connected, count: 10)
        subject.record(.timedOut, count: 9)
        #expect(subject.state == .closed)
        subject.record(.timedOut)
        #expect(subject.state == .open)

        subject = Subject()
        subject.record(.connected, count: 11)
        subject.record(.timedOut, count: 10)
        #expect(subject.state == .closed)
        subject.record(.timedOut)
        #expect(subject.state == .open)
    }

    @Test func `forgets what happened ten seconds ago`() {
        var subject = Subject()
        subject.record(.timedOut, count: 19)
        subject.seconds += 9
        #expect(subject.state == .closed)
        var later = subject
        subject.record(.timedOut)
        #expect(subject.state == .open)
        later.seconds += 1
        later.record(.timedOut, count: 19)
        #expect(later.state == .closed)
        later.record(.timedOut)
        #expect(later.state == .open)
    }

    @Test func `is open for five seconds, doubling to sixty, until a probe connects`() {
        var subject = Subject()
        subject.record(.connectFailed, count: 5)
        for expected in [5, 10, 20, 40, 60, 60] {
            #expect(subject.admit() == .rejected(retryAfterSeconds: expected))
            subject.seconds += UInt64(expected) - 1
            #expect(subject.admit() == .rejected(retryAfterSeconds: 1))
            subject.seconds += 1
            #expect(subject.state == .halfOpen)
            subject.record(.connectFailed)
            #expect(subject.state == .open)
        }
        subject.seconds += 60
        subject.record(.connected)
        #expect(subject.state == .closed)
        subject.record(.connectFailed, count: 5)
        #expect(subject.admit() == .rejected(retryAfterSeconds: 5))
    }

    @Test func `admits one probe at a time`() throws {
        var subject = Subject()
        subject.record(.connectFailed, count: 5)
        subject.seconds += 5
        guard case .admitted(let probe) = subject.admit() else {
            Issue.record("no probe")
            return
        }
        #expect(subject.admit() == .rejected(retryAfterSeconds: 1))
        subject.seconds += 1_000
        #expect(subject.admit() == .rejected(retryAfterSeconds: 1))
        // A probe that was cancelled reports nothing. The next request is the probe.
        subject.breaker.record(.none, probe, at: subject.now)
        #expect(subject.state == .halfOpen)
        guard case .admitted(let second) = subject.admit() else {
            Issue.record("no second probe")
            return
        }
        // The first probe cannot report again.
        subject.breaker.record(.connected, probe, at: subject.now)
        #expect(subject.state == .halfOpen)
        subject.breaker.record(.connected, second, at: subject.now)
        #expect(subject.state == .closed)
    }

    @Test func `a timeout of the probe opens the breaker again`() {
        var subject = Subject()
        subject.record(.connectFailed, count: 5)
        subject.seconds += 5
        subject.record(.timedOut)
        #expect(subject.admit() == .rejected(retryAfterSeconds: 10))
    }

    @Test func `outcomes of requests that were admitted before a change do not count`() {
        var subject = Subject()
        var permissions: [CircuitBreaker.Permission] = []
        for _ in 0..<30 {
            if case .admitted(let permission) = subject.admit() { permissions.append(permission) }
        }
        for permission in permissions.prefix(5) { subject.breaker.record(.connectFailed, permission, at: subject.now) }
        #expect(subject.state == .open)
        for permission in permissions.dropFirst(5).prefix(5) {
            subject.breaker.record(.connected, permission, at: subject.now)
        }
        #expect(subject.state == .open)
        subject.seconds += 5
        subject.record(.connected)
        #expect(subject.state == .closed)
        for permission in permissions.dropFirst(10) {
            subject.breaker.record(.connectFailed, permission, at: subject.now)
        }
        #expect(subject.state == .closed)
    }

    @Test func `the remaining time is rounded up`() {
        var breaker = CircuitBreaker(settings: CircuitBreaker.Settings())
        for _ in 0..<5 {
            if case .admitted(let permission) = breaker.admit(at: 0) {
                breaker.record(.connectFailed, permission, at: 0)
            }
        }
        #expect(breaker.admit(at: 1) == .rejected(retryAfterSeconds: 5))
        #expect(breaker.admit(at: Self.second) == .rejected(retryAfterSeconds: 4))
        #expect(breaker.admit(at: 5 * Self.second - 1) == .rejected(retryAfterSeconds: 1))
        #expect(breaker.state(at: 5 * Self.second) == .halfOpen)
    }

    @Test func `an end beyond the range of the clock is the last time`() {
        var breaker = CircuitBreaker(settings: CircuitBreaker.Settings())
        for _ in 0..<5 {
            if case .admitted(let permission) = breaker.admit(at: .max - 1) {
                breaker.record(.connectFailed, permission, at: .max - 1)
            }
        }
        #expect(breaker.state(at: .max - 1) == .open)
    }

    @Test func `follows its settings`() {
        var settings = CircuitBreaker.Settings()
        settings.failuresInARow = 2
        settings.openSeconds = 40
        var subject = Subject(breaker: CircuitBreaker(settings: settings))
        subject.record(.connectFailed, count: 2)
        #expect(subject.admit() == .rejected(retryAfterSeconds: 40))
        subject.seconds += 40
        subject.record(.connectFailed)
        #expect(subject.admit() == .rejected(retryAfterSeconds: 60))
    }

    @Test(arguments: [
        (FetchFailure.connectFailed, FetchPhase.connect, CircuitBreaker.Outcome.connectFailed),
        (.tlsFailed, .tls, .connectFailed), (.certificateUntrusted, .tls, .connectFailed),
        (.timedOut, .connect, .connectFailed),
        (.timedOut, .tls, .connectFailed), (.timedOut, .head, .silent),
        (.connectFailed, .resolve, .none), (.timedOut, .content, .timedOut),
        (.timedOut, .resolve, .none), (.resolveFailed, .resolve, .none), (.addressNotAllowed, .connect, .none),
        (.proxyFailed, .connect, .none), (.fetcherDied, .head, .none), (.connectionLost, .head, .connected),
        (.malformedResponse, .head, .connected),
    ])
    func `only failures of the origin count`(failure: FetchFailure, phase: FetchPhase, outcome: CircuitBreaker.Outcome)
    {
        #expect(CircuitBreaker.Outcome(failure, in: phase) == outcome)
    }

    @Test func `the sliding count agrees with a list of times`() {
        var random = RandomSource(seed: 9)
        for _ in 0..<50 {
            var count = SlidingCount()
            var times: [UInt64] = []
            var now: UInt64 = UInt64(random.below(100)) * Self.second
            for _ in 0..<300 {
                now += UInt64(random.below(random.oneIn(20) ? 15_000 : 500)) * 1_000_000
                if random.oneIn(2) {
                    count.add(at: now)
                    times.append(now / Self.second)
                }
                let expected = times.filter { $0 + 10 > now / Self.second }.count
                let total = count.total(at: now)
                if total != expected { Issue.record("\(total) instead of \(expected)") }
            }
            // A clock that runs backwards changes nothing.
            let total = count.total(at: now)
            #expect(count.total(at: 0) == total)
            count.reset()
            #expect(count.total(at: now) == 0)
        }
    }
}
