internal import Serialization

// Texts and times in EXIF.

extension EXIF {
    /// Returns the text of an entry without NUL and trailing spaces: UTF-8 if it is valid, else ISO 8859-1.
    func text(_ entry: Entry, _ content: Span<UInt8>) -> String? {
        switch entry.type {
        case .ascii, .utf8, .undefined, .byte: break
        case .short, .long, .rational, .signedByte, .signedShort, .signedLong, .signedRational, .float, .double,
            .directory, .long8, .signedLong8, .directory8:
            return nil
        }
        return content.text(in: entry.range)
    }

    /// Returns the two texts of a copyright (CIPA DC-008 §4.6.4) on two lines, as ExifTool does; one line if there is
    /// no second text.
    func copyright(_ entry: Entry, _ content: Span<UInt8>) -> String? {
        guard let first = text(entry, content), let end = content.terminator(in: entry.range) else {
            return text(entry, content)
        }
        var second = entry
        second.range = end + 1..<entry.range.upperBound
        guard let editor = text(second, content), !editor.isEmpty else { return first }
        return first + "\n" + editor
    }

    /// Returns the first 64 bytes of a text of a few characters: a reference, an offset, digits.
    func text(_ group: Group, _ tag: UInt16, _ content: Span<UInt8>) -> String? {
        guard var entry = entry(group, tag) else { return nil }
        entry.range = entry.range.prefix(64)
        return text(entry, content)
    }

    /// Returns the first number of an entry of any type.
    func first(_ group: Group, _ tag: UInt16, _ content: Span<UInt8>) -> Double? {
        guard let entry = entry(group, tag), entry.count > 0 else { return nil }
        return real(entry, 0, content)
    }

    /// Returns a date such as `2024:05:01 10:20:30` as RFC 3339, with its fraction and offset if they are present. Text
    /// in another form, or that is not a valid calendar date, is returned unchanged. Returns `nil` for blanks and
    /// zeros, which mean that the time is unknown.
    func date(_ entry: Entry, subsecond: UInt16, offset: UInt16, _ content: Span<UInt8>) -> String? {
        guard let text = text(entry, content), text.utf8.contains(where: { 0x31...0x39 ~= $0 }) else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count == 19 else { return text }
        for (index, byte) in bytes.enumerated() {
            switch index {
            case 4, 7: guard byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") else { return text }
            case 10: guard byte == 0x20 || byte == UInt8(ascii: "T") else { return text }
            case 13, 16: guard byte == UInt8(ascii: ":") else { return text }
            default: guard byte.isDecimalDigit else { return text }
            }
        }
        guard Self.isOfCalendar(bytes.span), let hour = bytes.span.decimal(11..<13),
            let minute = bytes.span.decimal(14..<16), let second = bytes.span.decimal(17..<19),
            RFC3339.isTime(hour: hour, minute: minute, second: second)
        else { return text }
        var result = String(decoding: bytes[..<4], as: UTF8.self) + "-" + String(decoding: bytes[5..<7], as: UTF8.self)
        result += "-" + String(decoding: bytes[8..<10], as: UTF8.self) + "T"
        result += String(decoding: bytes[11...], as: UTF8.self)
        if let fraction = self.text(.exif, subsecond, content), 1...9 ~= fraction.utf8.count,
            fraction.utf8.allSatisfy({ $0.isDecimalDigit })
        {
            result += "." + fraction
        }
        if let zone = self.text(.exif, offset, content), zone.isOffset { result += zone }
        return result
    }

    /// Returns the texts in date entries that are not valid calendar dates.
    func invalidDates(_ content: Span<UInt8>) -> [(text: String, byte: Int)] {
        var invalid: [(String, Int)] = []
        for entry in entries {
            guard let field = EXIFField.of(entry), case .date(let subsecond, let offset) = field.kind,
                let text = text(entry, content), !text.isEmpty,
                date(entry, subsecond: subsecond, offset: offset, content) == text
            else { continue }
            invalid.append((text, entry.range.lowerBound))
        }
        if let entry = entry(.gps, 0x1D), let text = text(entry, content), gpsTime(content) == text {
            invalid.append((text, entry.range.lowerBound))
        }
        return invalid
    }

    /// Returns whether the first ten bytes, all digits except the fifth and the eighth, are a date.
    private static func isOfCalendar(_ text: Span<UInt8>) -> Bool {
        guard let year = text.decimal(0..<4), let month = text.decimal(5..<7), let day = text.decimal(8..<10) else {
            return false
        }
        return GregorianDate(year: year, month: month, day: day) != nil
    }

    /// Returns the date and time of a position, which are in UTC. An invalid calendar date is returned unchanged.
    func gpsTime(_ content: Span<UInt8>) -> String? {
        guard let date = text(.gps, 0x1D, content), date.utf8.contains(where: { 0x31...0x39 ~= $0 }),
            date.utf8.count == 10, let time = entry(.gps, 0x07), time.count == 3,
            let hours = real(time, 0, content), let minutes = real(time, 1, content),
            let seconds = real(time, 2, content), 0..<24 ~= hours, 0..<60 ~= minutes, 0..<61 ~= seconds
        else { return nil }
        let bytes = Array(date.utf8)
        let isDate = bytes.enumerated().allSatisfy { index, byte in
            index == 4 || index == 7 ? byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") : byte.isDecimalDigit
        }
        guard isDate, Self.isOfCalendar(bytes.span) else { return date }
        let day = [bytes[..<4], bytes[5..<7], bytes[8..<10]].map { String(decoding: $0, as: UTF8.self) }
        let thousandths = Int(((hours * 60 + minutes) * 60 + seconds) * 1_000 + 0.5)
        // Fractions of hours and minutes, a leap second, and rounding can exceed the day.
        guard thousandths < 86_400_000 else { return nil }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var result = day.joined(separator: "-")
        let whole = thousandths / 1_000
        result += "T\(two(whole / 3_600)):\(two(whole / 60 % 60)):\(two(whole % 60))"
        let rest = thousandths % 1_000
        if rest > 0 {
            var digits = String(1_000 + rest).dropFirst()
            while digits.last == "0" { digits.removeLast() }
            result += "." + digits
        }
        return result + "Z"
    }

    /// Returns the text of a UserComment (CIPA DC-008 §4.6.6): its first eight bytes name the charset, or are all NUL
    /// if it is not stated.
    func comment(_ entry: Entry, _ content: Span<UInt8>) -> String? {
        guard entry.type == .undefined || entry.type == .ascii, entry.range.count >= 8 else {
            return text(entry, content)
        }
        let body = entry.range.dropFirst(8)
        let start = entry.range.lowerBound
        if content.hasText("UNICODE\0", at: start) {
            // A byte order mark takes precedence over the byte order of the file.
            return content.slice(body) { text in
                let isBig = text.number16(0, .big) == 0xFEFF
                let isMarked = isBig || text.number16(0, .little) == 0xFEFF
                return text.extracting(droppingFirst: isMarked ? 2 : 0)
                    .utf16Text(isMarked ? isBig ? .big : .little : order)
            }
        }
        if content.hasText("ASCII\0\0\0", at: start) || content.hasText("\0\0\0\0\0\0\0\0", at: start) {
            return content.text(in: body)
        }
        if content.hasText("JIS\0\0\0\0\0", at: start) { return nil }
        return text(entry, content)
    }
}

extension Span<UInt8> {
    /// Returns a text up to its NUL, without trailing spaces: UTF-8 if it is valid, else ISO 8859-1.
    fileprivate func text(in range: Range<Int>) -> String {
        var end = terminator(in: range) ?? range.upperBound
        while end > range.lowerBound, self[end - 1] == 0x20 { end -= 1 }
        return slice(range.lowerBound..<end) { $0.text } ?? ""
    }
}

extension String {
    /// Whether the text is an offset such as `+02:00`, or `Z`.
    fileprivate var isOffset: Bool {
        if self == "Z" { return true }
        let bytes = Array(utf8)
        return bytes.count == 6 && (bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"))
            && bytes[3] == UInt8(ascii: ":") && [1, 2, 4, 5].allSatisfy { bytes[$0].isDecimalDigit }
    }
}
