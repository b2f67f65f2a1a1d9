// Converts scalars of the text and XML formats from their text to the form in the graph. Each function returns `nil` or
// `false` if the text is not of its kind; its output is then discarded.

enum PropertyListScalarText {
    /// Appends an integer in the syntax of JSON: verbatim digits, without a plus sign or leading zeros. A hexadecimal
    /// integer begins with `0x` and has up to 128 bits.
    static func integer(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        var index = 0
        var isNegative = false
        if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
            isNegative = text[index] == UInt8(ascii: "-")
            index += 1
        }
        guard index < text.count else { return false }
        if index + 2 < text.count, text[index] == UInt8(ascii: "0"), text[index + 1] | 0x20 == UInt8(ascii: "x") {
            guard let number = UInt128(text.text((index + 2)..<text.count), radix: 16),
                text[index + 2] != UInt8(ascii: "+")
            else { return false }
            bytes.append(contentsOf: (isNegative && number > 0 ? "-" : "").utf8)
            bytes.append(contentsOf: String(number).utf8)
            return true
        }
        for digit in index..<text.count where !text[digit].isDecimalDigit { return false }
        while index < text.count - 1, text[index] == UInt8(ascii: "0") { index += 1 }
        if isNegative, text[index] != UInt8(ascii: "0") { bytes.append(UInt8(ascii: "-")) }
        bytes.append(text.extracting(droppingFirst: index))
        return true
    }

    /// Returns a decimal number in the range of a double, or `nan`, `inf` or `infinity` with or without a sign.
    static func real(_ text: Span<UInt8>) -> Double? {
        let word = text.text
        guard let number = Double(word) else { return nil }
        let isNumeral = word.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) }
        if isNumeral { return number.isFinite ? number : nil }
        let words = ["nan", "inf", "infinity"]
        return words.contains { word.lowercased().drop { $0 == "+" || $0 == "-" } == $0 } ? number : nil
    }

    /// Returns whether a number loses digits: it is an integer that is not a double, or has more significant digits
    /// than the 17 with which a writer may write any double, or becomes zero.
    static func isRounded(_ text: Span<UInt8>, to number: Double) -> Bool {
        guard number.isFinite else { return false }
        let word = text.text
        if let integer = Int(word) { return Double(exactly: integer) == nil }
        let digits = significantDigits(word)
        return (digits.utf8.count > 17 || number == 0) && digits != significantDigits(number.description)
    }

    /// Returns the digits before an exponent, without the zeros around them.
    private static func significantDigits(_ number: String) -> String {
        let mantissa = number.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = mantissa.filter { $0.isDecimalDigit }.drop { $0 == UInt8(ascii: "0") }
        let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }
        return String(decoding: digits.dropLast(zeros.count), as: UTF8.self)
    }

    /// Returns the date in UTC for the XML format `2024-05-01T10:20:30Z` (optionally with a fraction), or for GNUstep's
    /// `2024-05-01 10:20:30 +0200`.
    static func date(_ text: Span<UInt8>) -> String? {
        guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = text.decimal(0..<4), let month = text.decimal(5..<7), let day = text.decimal(8..<10),
            let hour = text.decimal(11..<13), let minute = text.decimal(14..<16), let second = text.decimal(17..<19),
            let date = GregorianDate(year: year, month: month, day: day),
            RFC3339.isTime(hour: hour, minute: minute, second: second), second < 60
        else { return nil }
        let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
        let rest = text.extracting(droppingFirst: 19)
        switch text[10] {
        case UInt8(ascii: "T"):
            var end = rest.count - 1
            guard rest[end] == UInt8(ascii: "Z"), end == 0 || end > 1 && rest[0] == UInt8(ascii: ".") else {
                return nil
            }
            for index in 0..<end where index > 0 && !rest[index].isDecimalDigit { return nil }
            while end > 0, rest[end - 1] == UInt8(ascii: "0") { end -= 1 }
            // A point without digits is not a fraction.
            let fraction = end > 1 ? (1..<end).map { rest[$0] } : []
            return RFC3339.text(secondsSince1970: seconds, fraction: fraction)
        case UInt8(ascii: " "):
            guard rest.count == 6, rest[0] == UInt8(ascii: " "), let hours = rest.decimal(2..<4),
                let minutes = rest.decimal(4..<6), hours < 24, minutes < 60,
                rest[1] == UInt8(ascii: "+") || rest[1] == UInt8(ascii: "-")
            else { return nil }
            let offset = (hours * 60 + minutes) * (rest[1] == UInt8(ascii: "+") ? 60 : -60)
            let utc = seconds - offset
            guard RFC3339.seconds.contains(utc) else { return nil }
            return RFC3339.text(secondsSince1970: utc)
        default: return nil
        }
    }
}
