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
        let digits = whole == seconds ? [] : digits(ofFractionOf: seconds)
        return text(unixSeconds: Int(whole) + 978_307_200, fraction: digits.isEmpty ? [] : [UInt8(ascii: ".")] + digits)
    }

    /// - Parameter fraction: Empty, or a point and digits.
    static func text(unixSeconds: Int, fraction: [UInt8]) -> String {
        let days = (unixSeconds >= 0 ? unixSeconds : unixSeconds - 86_399) / 86_400
        let second = unixSeconds - days * 86_400
        let (year, month, day) = civil(daysSince1970: days)
        var text: [UInt8] = []
        text.reserveCapacity(20 + fraction.count)
        append(year, digits: 4, "-", to: &text)
        append(month, digits: 2, "-", to: &text)
        append(day, digits: 2, "T", to: &text)
        append(second / 3600, digits: 2, ":", to: &text)
        append(second / 60 % 60, digits: 2, ":", to: &text)
        append(second % 60, digits: 2, nil, to: &text)
        text += fraction
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
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
    private static func digits(ofFractionOf seconds: Double) -> [UInt8] {
        var digits = fraction(of: seconds.magnitude)
        if digits.allSatisfy({ $0 == 0 }) { return [UInt8](repeating: UInt8(ascii: "9"), count: seconds < 0 ? 9 : 0) }
        if seconds < 0 {
            var borrow: UInt8 = 0
            for index in digits.indices.reversed() {
                let digit = digits[index] + borrow
                borrow = digit > 0 ? 1 : 0
                digits[index] = digit > 0 ? 10 - digit : 0
            }
        }
        while digits.last == 0 { digits.removeLast() }
        for index in digits.indices { digits[index] += UInt8(ascii: "0") }
        return digits
    }

    /// Returns the values of the first nine digits after the point, or of all of them.
    private static func fraction(of seconds: Double) -> [UInt8] {
        // Below 2^53, Swift writes the shortest digits. If it writes an exponent, which is then negative, the digits
        // begin that many places after the point.
        let description = seconds.description
        let text = description.utf8.span
        let exponentStart = text.indices.first { text[$0] == UInt8(ascii: "e") }
        var digits: [UInt8] = []
        digits.reserveCapacity(9)
        var isFraction = false
        if let exponentStart {
            isFraction = true
            let zeros = -(Int(text.text(exponentStart + 1..<text.count)) ?? 0) - 1
            digits = [UInt8](repeating: 0, count: max(0, min(zeros, 9)))
        }
        for index in 0..<(exponentStart ?? text.count) where digits.count < 9 {
            if text[index] == UInt8(ascii: ".") {
                isFraction = true
            } else if isFraction {
                digits.append(text[index] - UInt8(ascii: "0"))
            }
        }
        return digits
    }

    private static func append(_ number: Int, digits: Int, _ end: Unicode.Scalar?, to text: inout [UInt8]) {
        var divisor = digits == 4 ? 1000 : 10
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
        if let end { text.append(UInt8(ascii: end)) }
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
