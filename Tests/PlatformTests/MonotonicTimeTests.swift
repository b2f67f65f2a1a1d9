import Platform
import Testing

@Suite struct MonotonicTimeTests {
    @Test func `does not run backwards`() {
        let first = MonotonicTime.now
        let second = MonotonicTime.now
        #expect(first <= second)
        #expect(second < .never)
    }

    @Test(arguments: [
        (Duration.nanoseconds(1), UInt64(11)), (.seconds(2), 2_000_000_010), (.zero, 10), (.seconds(-1), 10),
        (.nanoseconds(-1), 10), (.seconds(Int64.max), .max), (.seconds(18_446_744_073), 18_446_744_073_000_000_010),
        (.seconds(18_446_744_074), .max),
    ])
    func `adds a duration, and saturates`(span: Duration, nanoseconds: UInt64) {
        #expect(MonotonicTime(nanoseconds: 10) + span == MonotonicTime(nanoseconds: nanoseconds))
    }

    @Test(arguments: [(UInt64(0), UInt64(10)), (5, 15), (.max - 10, .max), (.max - 9, .max), (.max, .max)])
    func `adds nanoseconds, and saturates`(span: UInt64, nanoseconds: UInt64) {
        #expect(
            MonotonicTime(nanoseconds: 10).advanced(byNanoseconds: span) == MonotonicTime(nanoseconds: nanoseconds)
        )
    }

    @Test func `never stays never`() {
        #expect(MonotonicTime.never + .seconds(1) == .never)
        #expect(MonotonicTime.never.advanced(byNanoseconds: 1) == .never)
    }

    @Test(arguments: [
        (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), UInt64(0)), (.nanoseconds(1), 1),
        (.milliseconds(-1), 0), (.seconds(3), 3_000_000_000), (.seconds(Int64.max), .max),
    ])
    func `a duration is limited to the nanoseconds of 64 bits`(duration: Duration, nanoseconds: UInt64) {
        #expect(duration.saturatedNanoseconds == nanoseconds)
    }

    @Test func `the time since a later time is 0`() {
        let (early, late) = (MonotonicTime(nanoseconds: 3), MonotonicTime(nanoseconds: 10))
        #expect(late.nanoseconds(since: early) == 7)
        #expect(early.nanoseconds(since: late) == 0)
    }

    @Test func `a timeout of poll(2) does not end early`() {
        #expect(MonotonicTime.never.pollMilliseconds == -1)
        #expect(MonotonicTime(nanoseconds: 0).pollMilliseconds == 0)
        #expect(MonotonicTime(nanoseconds: .max - 1).pollMilliseconds == .max)
        // 60 s are rounded up to 60 s, unless less than one nanosecond passes between the two calls.
        let time = MonotonicTime.now + .seconds(60)
        #expect(50_000...60_000 ~= time.pollMilliseconds)
        #expect((MonotonicTime.now + .microseconds(1)).pollMilliseconds <= 1)
    }
}
