import Platform
import Testing

@testable import Service

@Suite struct TimestampTests {
    private static func text(_ words: (UInt64, UInt64, UInt64)) -> String {
        let bytes = [words.0, words.1, words.2].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
            (1_735_689_600_000, "2025-01-01T00:00:00.000Z"),
            (1_795_335_524_007, "2026-11-22T08:18:44.007Z"),
            (1_795_335_524_070, "2026-11-22T08:18:44.070Z"),
            (1_795_335_524_700, "2026-11-22T08:18:44.700Z"),
            (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (18_446_744_073_709, "2554-07-21T23:34:33.709Z"),
        ] as [(UInt64, String)]
    )
    func `formats a time, regardless of the previous one`(milliseconds: UInt64, text: String) {
        var timestamp = Timestamp()
        #expect(Self.text(timestamp.text(of: milliseconds * 1_000_000)) == text)
        _ = timestamp.text(of: 1_000_000_000_000_000_000)
        #expect(Self.text(timestamp.text(of: milliseconds * 1_000_000)) == text)
        // Less than a millisecond later.
        #expect(Self.text(timestamp.text(of: milliseconds * 1_000_000 + 500_000)) == text)
    }

    /// Counts all days of 400 years.
    @Test func `formats every date of the Gregorian calendar`() throws {
        var timestamp = Timestamp()
        var (year, month, day) = (1970, 1, 1)
        for number in 0..<UInt64(146_097) {
            let time = timestamp.text(of: number * 86_400_000_000_000)
            let expected = UInt64(year * 10_000 + month * 100 + day)
            let date = UInt64(Self.text(time).prefix(10).filter { $0 != "-" })
            try #require(date == expected)
            let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            day += 1
            if day > days[month - 1] { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect((year, month, day) == (2370, 1, 1))
    }
}

@Suite struct WallClockTests {
    @Test func `the offset is read at most once per second`() {
        let reads = Monitor(UInt64(0))
        var clock = WallClock {
            reads.withLock { reads in
                reads += 1
                return reads * 1_000
            }
        }
        let times: [(UInt64, UInt64)] = [
            (7, 1_007), (500, 1_500), (1_000_000_006, 1_000_001_006), (1_000_000_007, 1_000_002_007),
            // A time before the last refresh.
            (9, 2_009), (2_000_000_006, 2_000_002_006), (9_000_000_000, 9_000_003_000),
        ]
        for (time, expected) in times {
            #expect(clock.nanoseconds(at: MonotonicTime(nanoseconds: time)) == expected)
        }
    }

    @Test func `the current time agrees with that of the system`() {
        var clock = WallClock()
        let before = WallClock.now
        let time = clock.nanoseconds(at: .now)
        // The offset consists of two readings, which are not simultaneous. The time is later than the first public
        // version.
        #expect(before > 1_700_000_000_000_000_000)
        #expect(time > before - 60_000_000_000 && time < before + 60_000_000_000)
    }
}
