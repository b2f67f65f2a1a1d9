import Platform
import Testing

@testable import Fetcher

@Suite struct PaceTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func time(_ seconds: Int) -> MonotonicTime { Self.start + .seconds(seconds) }

    private func pace(rate: UInt32 = 0) -> Pace {
        Pace(idle: .seconds(15), slowestBytesPerSecond: rate, now: Self.start)
    }

    @Test func `each byte postpones the idle timeout`() {
        var pace = pace()
        #expect(pace.deadline == time(15))
        pace.recordActivity(at: time(14))
        #expect(pace.check(at: time(15)) == nil)
        #expect(pace.deadline == time(29))
        pace.recordContent(bytes: 1, at: time(28))
        #expect(pace.check(at: time(42)) == nil)
        #expect(pace.check(at: time(43)) == .idle)
    }

    @Test func `a rate below the limit for ten seconds is a violation, and the limit is inclusive`() {
        for (bytes, expected) in [(10_239, Pace.Violation.slow), (10_240, nil)] {
            var pace = pace(rate: 1_024)
            pace.beginContent(at: time(1))
            #expect(pace.deadline == time(11))
            pace.recordContent(bytes: bytes, at: time(2))
            #expect(pace.check(at: time(10)) == nil)
            #expect(pace.check(at: time(11)) == expected)
        }
    }

    @Test func `the rate is not measured before the content`() {
        var pace = pace(rate: 1_024)
        #expect(pace.check(at: time(14)) == nil)
        #expect(pace.deadline == time(15))
    }

    @Test func `each ten seconds count alone`() {
        var pace = pace(rate: 1)
        pace.beginContent(at: time(0))
        pace.recordContent(bytes: 1_000, at: time(9))
        #expect(pace.check(at: time(10)) == nil)
        pace.recordContent(bytes: 9, at: time(19))
        #expect(pace.check(at: time(20)) == .slow)
    }

    @Test func `a pause is neither silence nor a low rate`() {
        var pace = pace(rate: 1_024)
        pace.beginContent(at: time(0))
        pace.pause()
        #expect(pace.deadline == .never)
        #expect(pace.check(at: time(1_000)) == nil)
        pace.resume(at: time(1_000))
        #expect(pace.deadline == time(1_010))
        #expect(pace.check(at: time(1_009)) == nil)
        #expect(pace.check(at: time(1_010)) == .slow)
    }
}
