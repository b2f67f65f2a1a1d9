/// Converts dates to RFC 3339 in UTC.
///
/// Worked example: 0.5 seconds since 2001-01-01 is `2001-01-01T00:00:00.5Z`. The fraction has the shortest digits that
/// read back as the same seconds, truncated to nanoseconds.
enum PropertyListDate {
    /// 0000-01-01T00:00:00Z and 10000-01-01T00:00:00Z, in seconds since 2001-01-01T00:00:00Z.
    private static let first = -63_145_526_400.0
    private static let end = 252_423_993_600.0

    /// Returns whether RFC 3339 can represent the date: it is finite and in the years 0 to 9999.
    static func isRepresentable(secondsSince2001 seconds: Double) -> Bool {
        seconds >= first && seconds < end
    }

    /// - Parameter seconds: A representable date.
    static func text(secondsSince2001 seconds: Double) -> String {
        let whole = seconds.rounded(.down)
        var fraction = ""
        if whole != seconds { fraction = "." + digits(ofFractionOf: seconds) }
        if fraction == "." { fraction = "" }
        return text(unixSeconds: Int(whole) + 978_307_200, fraction: fraction)
    }

    /// - Parameter fraction: Empty, or a point and digits.
    static func text(unixSeconds: Int, fraction: String) -> String {
        let days = (unixSeconds >= 0 ? unixSeconds : unixSeconds - 86_399) / 86_400
        let second = unixSeconds - days * 86_400
        let (year, month, day) = civil(daysSince1970: days)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(second / 3600, 2) + ":"
            + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2) + fraction + "Z"
    }

    /// Returns the seconds since 1970-01-01T00:00:00Z, or `nil` if there is no such day or time.
    static func unixSeconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int? {
        guard 0...9999 ~= year, 1...12 ~= month, 1...31 ~= day, 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        // There is no 31 June: it would be written as 1 July.
        guard civil(daysSince1970: days) == (year, month, day) else { return nil }
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    // MARK: Steps

    /// Returns at most nine digits after the point, without trailing zeros. Before 2001 they are those of the
    /// difference to the next whole second, because the whole seconds are rounded down.
    private static func digits(ofFractionOf seconds: Double) -> String {
        var digits = fraction(of: seconds.magnitude)
        if digits.allSatisfy({ $0 == 0 }) { return seconds < 0 ? "999999999" : "" }
        if seconds < 0 {
            var borrow: UInt8 = 0
            for index in digits.indices.reversed() {
                let digit = digits[index] + borrow
                borrow = digit > 0 ? 1 : 0
                digits[index] = digit > 0 ? 10 - digit : 0
            }
        }
        while digits.last == 0 { digits.removeLast() }
        return String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
    }

    /// Returns the first nine digits after the point.
    private static func fraction(of seconds: Double) -> [UInt8] {
        // Below 2^53, Swift writes the shortest digits. If it writes an exponent, which is then negative, the digits
        // begin that many places after the point.
        let text = seconds.description
        let parts = text.split(separator: "e")
        let digits: Substring.UTF8View
        var zeros = 0
        if parts.count == 2, let exponent = Int(parts[1]) {
            zeros = -exponent - 1
            digits = parts[0].utf8
        } else {
            digits = text.utf8.drop { $0 != UInt8(ascii: ".") }
        }
        let fraction = digits.filter { $0 != UInt8(ascii: ".") }.map { $0 - UInt8(ascii: "0") }
        return Array((Array(repeating: 0, count: min(zeros, 9)) + fraction).prefix(9))
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    // The proleptic Gregorian calendar, in eras of 400 years that begin on 1 March, so that the leap day is the last
    // day of a year (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").

    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
