internal import Serialization

/// Formats times as RFC 3339 defines (`2026-11-22T08:18:44.123Z`): in UTC, with milliseconds, which are rounded down.
///
/// The text has 24 bytes, which are stored in three words with the first byte lowest. Everything except the
/// milliseconds is formatted only once per second.
struct Timestamp: Sendable {
    /// The seconds since 1970 that the words represent.
    private var second = UInt64.max
    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

    /// Returns the text for a time since 1970-01-01T00:00:00Z in nanoseconds, which is before the year 2555.
    @inline(__always) mutating func text(of nanoseconds: UInt64) -> (UInt64, UInt64, UInt64) {
        let second = nanoseconds / 1_000_000_000
        if second != self.second { format(second) }
        let milliseconds = (nanoseconds &- second &* 1_000_000_000) / 1_000_000
        let (tens, ones) = (milliseconds / 10, milliseconds % 10)
        let digits = (tens / 10) | (tens % 10) << 8 | ones << 16
        return (words.0, words.1, words.2 &+ (digits << 32))
    }

    @inline(never) private mutating func format(_ second: UInt64) {
        let (days, rest) = second.quotientAndRemainder(dividingBy: 86_400)
        let date = GregorianDate(daysSince1970: Int(days))
        let (hyphen, colon) = (UInt64(UInt8(ascii: "-")), UInt64(UInt8(ascii: ":")))
        self.second = second
        words.0 = Self.pair(UInt64(date.year / 100)) | Self.pair(UInt64(date.year % 100)) << 16
        words.0 |= hyphen << 32 | Self.pair(UInt64(date.month)) << 40 | hyphen << 56
        words.1 = Self.pair(UInt64(date.day)) | UInt64(UInt8(ascii: "T")) << 16 | Self.pair(rest / 3600) << 24
        words.1 |= colon << 40 | Self.pair(rest / 60 % 60) << 48
        words.2 = colon | Self.pair(rest % 60) << 8 | UInt64(UInt8(ascii: ".")) << 24
        // The milliseconds are 000, to which their values are added.
        words.2 |= 0x30_3030 << 32 | UInt64(UInt8(ascii: "Z")) << 56
    }

    /// Returns the two decimal digits of `number`, which is less than 100. The first digit is the lowest byte.
    private static func pair(_ number: UInt64) -> UInt64 { 0x3030 + number / 10 + (number % 10) << 8 }
}
