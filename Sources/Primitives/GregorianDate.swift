/// A date of the proleptic Gregorian calendar.
///
/// In the conversions, years begin on 1 March, so that the leap day is the last day of a year. Then 400 years, an era,
/// have 146 097 days, and the lengths of the months repeat every five months, which have 153 days (Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms").
package struct GregorianDate: Equatable, Sendable {
    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// - Returns: `nil` if there is no such month or day.
    package init?(year: Int, month: Int, day: Int) {
        guard 1...12 ~= month, 1...Self.days(in: month, of: year) ~= day else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date that is `days` after 1970-01-01.
    package init(daysSince1970 days: Int) {
        // 0000-03-01 was 719 468 days before 1970-01-01.
        let days = days + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01, negative for earlier dates.
    package var daysSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfEra = yearFromMarch - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// - Parameter month: The month, from 1 to 12.
    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension GregorianDate: CustomStringConvertible {
    /// The date as RFC 3339, for the years 0 to 9999: `2026-11-22`.
    package var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    fileprivate func append(to text: inout [UInt8]) {
        text.append(decimal: year, digits: 4)
        text.append(UInt8(ascii: "-"))
        text.append(decimal: month, digits: 2)
        text.append(UInt8(ascii: "-"))
        text.append(decimal: day, digits: 2)
    }
}

/// Points in time as RFC 3339 in UTC.
package enum RFC3339 {
    /// The number of seconds from 0000-01-01T00:00:00Z and up to 10000-01-01T00:00:00Z, since 1970. RFC 3339 has no
    /// other years.
    package static let seconds = -62_167_219_200..<253_402_300_800

    /// Returns the text for a time, such as `2026-11-22T08:18:44Z`.
    /// - Parameters:
    ///   - seconds: the seconds since 1970, in ``seconds``.
    ///   - fraction: the digits after the point, as text; empty if there is no point.
    package static func text(secondsSince1970 seconds: Int, fraction: [UInt8] = []) -> String {
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let second = seconds - days * 86_400
        let time = (second / 3_600, second / 60 % 60, second % 60)
        return text(GregorianDate(daysSince1970: days), time: time, fraction: fraction.span, offset: 0)
    }

    /// Returns the text for a date and a time of day.
    /// - Parameters:
    ///   - date: a date of the years 0 to 9999.
    ///   - fraction: the digits after the point, as text; empty if there is no point.
    ///   - offset: the offset from UTC, in minutes, less than a day.
    package static func text(
        _ date: GregorianDate,
        time: (hour: Int, minute: Int, second: Int),
        fraction: Span<UInt8>,
        offset: Int
    ) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(26 + fraction.count)
        date.append(to: &text)
        text.append(UInt8(ascii: "T"))
        text.append(decimal: time.hour, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(decimal: time.minute, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(decimal: time.second, digits: 2)
        if !fraction.isEmpty {
            text.append(UInt8(ascii: "."))
            text.append(fraction)
        }
        if offset == 0 {
            text.append(UInt8(ascii: "Z"))
        } else {
            text.append(offset < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
            text.append(decimal: abs(offset) / 60, digits: 2)
            text.append(UInt8(ascii: ":"))
            text.append(decimal: abs(offset) % 60, digits: 2)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns whether the numbers are a time of day. The second 60 is a leap second (RFC 3339 §5.6).
    package static func isTime(hour: Int, minute: Int, second: Int) -> Bool {
        0..<24 ~= hour && 0..<60 ~= minute && 0...60 ~= second
    }
}
