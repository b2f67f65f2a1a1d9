// The forms of dates in feeds: RFC 822 with its successors and what is found instead of it, asctime, and ISO 8601 with
// its profiles RFC 3339 and W3CDTF. Names of days are not compared with the date. A time without a zone is read as UTC,
// and a date without a time as midnight in UTC, as other readers of feeds do.

/// Converts a date of a feed to RFC 3339, with the offset that it has in the source.
struct FeedDate {
    private var year: Int?
    private var month: Int?
    /// Whether the first word, `mar`, is Tuesday in French, Italian and Spanish if the name of a month follows.
    private var monthMayBeDay = false
    private var day: Int?
    private var hour = 0
    private var minute = 0
    private var second = 0
    private var fraction: Range<Int>?
    private var hasTime = false
    /// The offset from UTC, in minutes.
    private var offset: Int?

    /// The maximum length of a date, in bytes.
    static let maxBytes = 100

    /// Returns the date as RFC 3339; `nil` if the text is not a date of the calendar in one of these forms.
    static func rfc3339(_ text: Span<UInt8>) -> String? {
        guard 4...maxBytes ~= text.count, text.isASCII else { return nil }
        var date = FeedDate()
        let start = text[0].isDecimalDigit ? 0 : text.endOfDayName
        let isRead = date.readISO8601(text, from: start)
        if !isRead {
            date = FeedDate()
            guard date.readRFC822(text) else { return nil }
        }
        return date.text(text)
    }

    private func text(_ source: Span<UInt8>) -> String? {
        guard let year, let month, let day, 0...9_999 ~= year,
            let date = GregorianDate(year: year, month: month, day: day),
            RFC3339.isTime(hour: hour, minute: minute, second: second), second < 60 || isEndOfDayInUTC
        else { return nil }
        let time = (hour, minute, second)
        return source.slice(fraction ?? 0..<0) { RFC3339.text(date, time: time, fraction: $0, offset: offset ?? 0) }
    }

    /// Whether this is the last minute of a day in UTC, the only one that can have a leap second (RFC 3339 §5.7).
    private var isEndOfDayInUTC: Bool {
        let day = 24 * 60
        return (hour * 60 + minute - (offset ?? 0) + 2 * day) % day == day - 1
    }

    // MARK: ISO 8601

    /// - Parameter start: The offset after the name of the day, if there is one: `Fri, 2006-09-15 08:19`.
    /// - Returns: Whether the complete text is such a date.
    private mutating func readISO8601(_ text: Span<UInt8>, from start: Int) -> Bool {
        var index = start
        guard let year = text.number(&index, digits: 4) else { return false }
        // A year alone may follow the name of a month.
        guard start == 0 || index < text.count && text[index].separatesDate else { return false }
        self.year = year
        (month, day) = (1, 1)
        let digits = text.digits(from: index)
        if digits == 4, let month = text.number(&index, digits: 2), let day = text.number(&index, digits: 2) {
            (self.month, self.day) = (month, day)
        } else if index < text.count, text[index].separatesDate {
            let separator = text[index]
            index += 1
            if text.digits(from: index) == 3, let ordinal = text.number(&index, digits: 3) {
                // The day of the year.
                guard let first = GregorianDate(year: year, month: 1, day: 1), ordinal > 0 else { return false }
                let date = GregorianDate(daysSince1970: first.daysSince1970 + ordinal - 1)
                guard date.year == year else { return false }
                (month, day) = (date.month, date.day)
            } else {
                guard let month = text.number(&index, digits: 1...2) else { return false }
                self.month = month
                if index < text.count, text[index] == separator {
                    index += 1
                    guard let day = text.number(&index, digits: 1...2) else { return false }
                    self.day = day
                }
            }
        } else if digits > 0 {
            return false
        }
        guard index < text.count else { return true }
        if text[index] | 0x20 == UInt8(ascii: "t") { index += 1 }
        index = text.skipSpace(index)
        guard readTime(text, &index) else { return false }
        index = text.skipSpace(index)
        var end = index
        while end < text.count, text[end].isLetter || text[end] == UInt8(ascii: ".") { end += 1 }
        if readHalf(text, index..<end) { index = text.skipSpace(end) }
        return index == text.count || readZone(text, index..<text.count)
    }

    // MARK: Times and zones

    /// Reads `hh:mm`, `hh:mm:ss`, `hh:mm:ss.f`, `hhmm` or `hhmmss`.
    private mutating func readTime(_ text: Span<UInt8>, _ index: inout Int) -> Bool {
        let isBasic = text.digits(from: index) >= 4
        guard let hour = text.number(&index, digits: isBasic ? 2...2 : 1...2) else { return false }
        self.hour = hour
        hasTime = true
        if isBasic {
            guard let minute = text.number(&index, digits: 2) else { return false }
            self.minute = minute
            if let second = text.number(&index, digits: 2) { self.second = second }
        } else {
            guard text.skip(UInt8(ascii: ":"), &index), let minute = text.number(&index, digits: 1...2) else {
                return false
            }
            self.minute = minute
            guard text.skip(UInt8(ascii: ":"), &index) else { return true }
            guard let second = text.number(&index, digits: 1...2) else { return false }
            self.second = second
        }
        guard index < text.count, text[index] == UInt8(ascii: ".") || text[index] == UInt8(ascii: ",") else {
            return true
        }
        let start = index + 1
        let digits = text.digits(from: start)
        index = start + digits
        fraction = start..<index
        return digits > 0
    }

    /// Reads `Z`, `+hh:mm`, `+hhmm`, `+hh`, the name of a zone, or `GMT+hh:mm`.
    private mutating func readZone(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound, text[index].isLetter { index += 1 }
        if index > range.lowerBound {
            guard let zone = FeedZone.minutes(text.lowercasedText(range.lowerBound..<index)) else { return false }
            guard index < range.upperBound else {
                offset = zone
                return true
            }
            guard zone == 0 else { return false }
        }
        let sign = text[index]
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
        index += 1
        let digits = text.digits(from: index)
        guard let hours = text.number(&index, digits: digits == 3 ? 1...1 : 1...2) else { return false }
        if index < range.upperBound { _ = text.skip(UInt8(ascii: ":"), &index) }
        var minutes = 0
        if index < range.upperBound {
            guard let number = text.number(&index, digits: 2) else { return false }
            minutes = number
        }
        guard index == range.upperBound, hours < 24, minutes < 60 else { return false }
        offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
        return true
    }

    // MARK: RFC 822

    /// Reads words in any order that is not ambiguous: `Thu, 01 Jan 2004 19:48:21 GMT`, `Thu Jan 1 19:48:21 PST 2004`,
    /// `January 1, 2004 7:48 pm`, `Thursday, 01-Jan-04 19:48:21 GMT`, `Friday, December 22, 2017 - 3:09pm`.
    private mutating func readRFC822(_ text: Span<UInt8>) -> Bool {
        var index = 0
        var isFirst = true
        while true {
            index = text.skipSeparators(index)
            guard index < text.count else { break }
            if text[index] == UInt8(ascii: "(") {
                // A comment, which repeats the zone.
                guard hasTime, let end = text.firstOffset(of: UInt8(ascii: ")"), in: index..<text.count) else {
                    return false
                }
                index = end + 1
                continue
            }
            var end = index
            while end < text.count, !text[end].separatesWords { end += 1 }
            guard readWord(text, index..<end, isFirst: isFirst) else { return false }
            isFirst = false
            index = end
        }
        return year != nil && month != nil && day != nil
    }

    private mutating func readWord(_ text: Span<UInt8>, _ word: Range<Int>, isFirst: Bool) -> Bool {
        let first = text[word.lowerBound]
        if first == UInt8(ascii: "-"), word.count == 1 { return year != nil && !hasTime }
        if first.isLetter { return readName(text, word, isFirst: isFirst) }
        if first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
            return hasTime && offset == nil && readZone(text, word)
        }
        guard first.isDecimalDigit else { return false }
        if text.firstOffset(of: UInt8(ascii: ":"), in: word) != nil {
            var index = word.lowerBound
            guard !hasTime, readTime(text, &index), index <= word.upperBound else { return false }
            guard index < word.upperBound else { return true }
            return readHalf(text, index..<word.upperBound) || readZone(text, index..<word.upperBound)
        }
        var index = word.lowerBound
        let digits = text.digits(from: index)
        guard let number = text.number(&index, digits: 1...4), digits < 5 else { return false }
        guard readNumber(number, digits: digits) else { return false }
        guard index < word.upperBound else { return true }
        if text[index] == UInt8(ascii: "-") {
            // `01-Jan-04`.
            let parts = text.text(index + 1..<word.upperBound).parts(separatedBy: "-")
            guard parts.count == 2, let month = FeedMonth.number(String(parts[0]).asciiLowercased),
                let year = parts[1].decimal(max: 9_999)
            else { return false }
            self.month = month
            return readNumber(year, digits: parts[1].utf8.count)
        }
        // `1st`, `2nd`.
        return day == number && ["st", "nd", "rd", "th"].contains(text.lowercasedText(index..<word.upperBound))
    }

    private mutating func readNumber(_ number: Int, digits: Int) -> Bool {
        if digits <= 2, day == nil {
            day = number
        } else if year == nil, digits <= 2 || digits == 4 {
            // RFC 2822 §4.3.
            year = digits == 4 ? number : number < 50 ? 2_000 + number : 1_900 + number
        } else {
            return false
        }
        return true
    }

    private mutating func readName(_ text: Span<UInt8>, _ word: Range<Int>, isFirst: Bool) -> Bool {
        let name = text.lowercasedText(word)
        if month == nil || monthMayBeDay, let number = FeedMonth.number(name) {
            month = number
            monthMayBeDay = isFirst && (name == "mar" || name == "mar.")
            return true
        }
        if hasTime, readHalf(text, word) { return true }
        // The name of the day, in any language.
        if isFirst, word.allSatisfy({ text[$0].isLetter || text[$0] == UInt8(ascii: ".") }) { return true }
        guard hasTime else { return year != nil && (name == "at" || FeedZone.minutes(name) == 0) }
        // The name of a zone may follow its offset: `-0700 MST`.
        if let offset { return FeedZone.minutes(name) == offset }
        return readZone(text, word)
    }

    /// Reads `am` or `pm`.
    private mutating func readHalf(_ text: Span<UInt8>, _ word: Range<Int>) -> Bool {
        guard 1...12 ~= hour else { return false }
        switch text.lowercasedText(word) {
        case "am", "a.m.": hour %= 12
        case "pm", "p.m.": hour = hour % 12 + 12
        default: return false
        }
        return true
    }
}

/// The months by their English names.
private enum FeedMonth {
    private static let names = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// - Parameter name: In lower case: a complete name, or at least its first three letters.
    static func number(_ name: String) -> Int? {
        let letters = name.last == "." ? String(name.dropLast()) : name
        guard letters.utf8.count >= 3 else { return nil }
        return names.firstIndex { $0.hasPrefix(letters) }.map { $0 + 1 }
    }
}

/// The zones of RFC 822, and frequent ones whose names have one meaning.
private enum FeedZone {
    private static let hours: [String: Double] = [
        "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
        "pst": -8, "pdt": -7, "et": -5, "ct": -6, "mt": -7, "pt": -8, "ast": -4, "adt": -3, "nst": -3.5, "ndt": -2.5,
        "akst": -9, "akdt": -8, "hst": -10, "west": 1, "cet": 1, "cest": 2, "met": 1, "mest": 2, "mez": 1, "mesz": 2,
        "eet": 2, "eest": 3, "msk": 3, "jst": 9, "kst": 9, "awst": 8, "acst": 9.5, "acdt": 10.5, "aest": 10, "aedt": 11,
        "nzst": 12, "nzdt": 13, "a": -1, "m": -12, "n": 1, "y": 12,
    ]

    /// Returns the offset of a zone from UTC, in minutes.
    static func minutes(_ name: String) -> Int? { hours[name].map { Int($0 * 60) } }
}

extension UInt8 {
    fileprivate var separatesDate: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: "/") }

    fileprivate var separatesWords: Bool { isJSONWhiteSpace || self == UInt8(ascii: ",") || self == UInt8(ascii: "(") }
}

extension Span<UInt8> {
    /// Returns the number of digits from `start`.
    fileprivate func digits(from start: Int) -> Int {
        var end = start
        while end < count, self[end].isDecimalDigit { end += 1 }
        return end - start
    }

    /// Reads a number with this number of digits, which other digits may follow.
    fileprivate func number(_ index: inout Int, digits: Int) -> Int? {
        guard self.digits(from: index) >= digits else { return nil }
        defer { index += digits }
        return decimal(index..<index + digits)
    }

    /// Reads all digits, at most as many as in the range.
    fileprivate func number(_ index: inout Int, digits: ClosedRange<Int>) -> Int? {
        let found = Swift.min(self.digits(from: index), digits.upperBound)
        guard found >= digits.lowerBound else { return nil }
        return number(&index, digits: found)
    }

    /// The offset after the name of a day and the separator after it, at the beginning.
    fileprivate var endOfDayName: Int {
        var end = 0
        while end < count, self[end].isLetter || self[end] == UInt8(ascii: ".") { end += 1 }
        return end == 0 ? 0 : skipSeparators(end)
    }

    fileprivate func skip(_ byte: UInt8, _ index: inout Int) -> Bool {
        guard index < count, self[index] == byte else { return false }
        index += 1
        return true
    }

    fileprivate func skipSpace(_ start: Int) -> Int {
        var index = start
        while index < count, self[index].isJSONWhiteSpace { index += 1 }
        return index
    }

    fileprivate func skipSeparators(_ start: Int) -> Int {
        var index = start
        while index < count, self[index].isJSONWhiteSpace || self[index] == UInt8(ascii: ",") { index += 1 }
        return index
    }
}
