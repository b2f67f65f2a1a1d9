/// Parses the three forms of HTTP dates (RFC 9110 §5.6.7), and writes dates as RFC 3339 in UTC.
///
///     Sun, 06 Nov 1994 08:49:37 GMT        IMF-fixdate
///     Sunday, 06-Nov-94 08:49:37 GMT       RFC 850
///     Sun Nov  6 08:49:37 1994             asctime
package enum HTTPDate {
    /// Returns the date as RFC 3339, or `nil` if the text is not a valid calendar date in one of these forms.
    package static func rfc3339(_ text: String) -> String? {
        guard let date = date(text) else { return nil }
        return "\(padded(date.year, 4))-\(padded(date.month + 1, 2))-\(padded(date.day, 2))T\(date.time)Z"
    }

    /// Returns the time in seconds since 1970, negative for earlier times, or `nil` for text that is not a date of the
    /// calendar in one of these forms. Leap seconds do not count.
    package static func secondsSince1970(_ text: String) -> Int? {
        guard let date = date(text) else { return nil }
        // A year that begins in March has its leap day at its end.
        let year = date.month < 2 ? date.year - 1 : date.year
        let month = (date.month + 10) % 12
        let leapDays = (year + 400) / 4 - (year + 400) / 100 + (year + 400) / 400 - 97
        let day = year * 365 + leapDays + (month * 306 + 5) / 10 + date.day - 1 - 719_468
        let time = date.time.split(separator: ":").reduce(0) { $0 * 60 + (Int($1) ?? 0) }
        return day * 86_400 + time
    }

    /// The parts of a date: the month from 0, and the time of day as it was written.
    ///
    /// The three forms are exact, because a date in another form must count as invalid (RFC 9111 §5.3). Only the case
    /// of names is ignored, and the name of the day is not compared with the date.
    private static func date(_ text: String) -> (year: Int, month: Int, day: Int, time: String)? {
        // The longest form has 33 bytes.
        guard text.utf8.count <= 40 else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        let day: Substring
        let month: Substring
        let year: Int?
        let time: Substring
        switch parts.count {
        case 6 where parts[2].isEmpty && parts[3].utf8.count == 1,
            5 where parts[2].utf8.count == 2:
            // asctime: the day of the month is filled with a space.
            guard isDayName(parts[0], length: 3...3), let last = parts.last else { return nil }
            day = parts[parts.count - 3]
            month = parts[1]
            time = parts[parts.count - 2]
            year = number(last, digits: 4...4)
        case 6:
            guard parts[0].last == ",", isDayName(parts[0].dropLast(), length: 3...3), isGMT(parts[5]),
                parts[1].utf8.count == 2
            else { return nil }
            day = parts[1]
            month = parts[2]
            time = parts[4]
            year = number(parts[3], digits: 4...4)
        case 4:
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts[0].last == ",", isDayName(parts[0].dropLast(), length: 6...9), isGMT(parts[3]), date.count == 3,
                date[0].utf8.count == 2
            else { return nil }
            day = date[0]
            month = date[1]
            time = parts[2]
            year = number(date[2], digits: 2...2).map { $0 < 70 ? 2000 + $0 : 1900 + $0 }
        default: return nil
        }
        guard let year, let day = number(day, digits: 1...2),
            let month = months.firstIndex(where: { $0.equalsIgnoringASCIICase(String(month)) }),
            let time = self.time(time), 1...days(in: month, of: year) ~= day
        else { return nil }
        return (year, month, day, time)
    }

    private static func isDayName(_ text: Substring, length: ClosedRange<Int>) -> Bool {
        guard length ~= text.utf8.count else { return false }
        return days.contains { name in
            (length.lowerBound == 3 ? String(name.prefix(3)) : name).equalsIgnoringASCIICase(String(text))
        }
    }

    private static func isGMT(_ text: Substring) -> Bool { String(text).equalsIgnoringASCIICase("GMT") }

    /// The last second of the year 9999. RFC 3339 has no later years.
    private static let maxSeconds = 253_402_300_799

    /// Returns the text for a time from 1970 up to, but not including, the year 10 000; `nil` for other times.
    package static func rfc3339(secondsSince1970 seconds: Int) -> String? {
        guard 0...maxSeconds ~= seconds else { return nil }
        var day = seconds / 86_400
        var year = 1970
        while case let length = isLeap(year) ? 366 : 365, day >= length, year < 9_999 {
            day -= length
            year += 1
        }
        var month = 0
        while month < 11, day >= days(in: month, of: year) {
            day -= days(in: month, of: year)
            month += 1
        }
        let second = seconds % 86_400
        let time = [second / 3_600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(padded(year, 4))-\(padded(month + 1, 2))-\(padded(day + 1, 2))T\(time)Z"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static let days = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    private static func isLeap(_ year: Int) -> Bool {
        (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
    }

    /// - Parameter month: The month, counted from 0.
    private static func days(in month: Int, of year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits ~= text.utf8.count, text.utf8.allSatisfy({ $0.isDecimalDigit }) else { return nil }
        return Int(text)
    }

    /// Returns the text itself if it is a time of day.
    private static func time(_ text: Substring) -> String? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2...2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2], hour < 24,
            minute < 60,
            second <= 60
        else { return nil }
        return String(text)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
