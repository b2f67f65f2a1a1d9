/// Parses the three forms of HTTP dates (RFC 9110 §5.6.7), and writes dates as RFC 3339 in UTC.
///
///     Sun, 06 Nov 1994 08:49:37 GMT        IMF-fixdate
///     Sunday, 06-Nov-94 08:49:37 GMT       RFC 850
///     Sun Nov  6 08:49:37 1994             asctime
package enum HTTPDate {
    /// Returns the date as RFC 3339, or `nil` if the text is not a valid calendar date in one of these forms.
    package static func rfc3339(_ text: String) -> String? { parts(text).map { "\($0.date)T\($0.time)Z" } }

    /// Returns the time in seconds since 1970, negative for earlier times, or `nil` for text that is not a date of the
    /// calendar in one of these forms. Leap seconds do not count.
    package static func secondsSince1970(_ text: String) -> Int? {
        guard let (date, time) = parts(text) else { return nil }
        return date.daysSince1970 * 86_400 + time.split(separator: ":").reduce(0) { $0 * 60 + ($1.decimal() ?? 0) }
    }

    /// The date, and the time of day as it was written.
    ///
    /// The three forms are exact, because a date in another form must count as invalid (RFC 9111 §5.3). Only the case
    /// of names is ignored, and the name of the day is not compared with the date.
    private static func parts(_ text: String) -> (date: GregorianDate, time: Substring)? {
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
            let month = months.firstIndex(where: { $0.equalsIgnoringASCIICase(String(month)) }), isTime(time),
            let date = GregorianDate(year: year, month: month + 1, day: day)
        else { return nil }
        return (date, time)
    }

    private static func isDayName(_ text: Substring, length: ClosedRange<Int>) -> Bool {
        guard length ~= text.utf8.count else { return false }
        return days.contains { name in
            (length.lowerBound == 3 ? String(name.prefix(3)) : name).equalsIgnoringASCIICase(String(text))
        }
    }

    private static func isGMT(_ text: Substring) -> Bool { String(text).equalsIgnoringASCIICase("GMT") }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static let days = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        digits ~= text.utf8.count ? text.decimal() : nil
    }

    private static func isTime(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2...2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2] else { return false }
        return RFC3339.isTime(hour: hour, minute: minute, second: second)
    }
}
