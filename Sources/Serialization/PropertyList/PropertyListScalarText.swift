// Converts scalars of the text and XML forms from their text to the form in the graph. Each function returns `nil` or
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
            guard let number = UInt128(String(copying: text.extracting((index + 2)...)), radix: 16),
                text[index + 2] != UInt8(ascii: "+")
            else { return false }
            bytes.append(contentsOf: (isNegative && number > 0 ? "-" : "").utf8)
            bytes.append(contentsOf: String(number).utf8)
            return true
        }
        for digit in index..<text.count where !text[digit].isDecimalDigit { return false }
        while index < text.count - 1, text[index] == UInt8(ascii: "0") { index += 1 }
        if isNegative, text[index] != UInt8(ascii: "0") { bytes.append(UInt8(ascii: "-")) }
        bytes.append(text.extracting(index...))
        return true
    }

    /// Returns a decimal number in the range of a double, or `nan`, `inf` or `infinity` with or without a sign.
    static func real(_ text: Span<UInt8>) -> Double? {
        let word = String(copying: text)
        guard let number = Double(word) else { return nil }
        let isNumeral = word.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) }
        if isNumeral { return number.isFinite ? number : nil }
        let words = ["nan", "inf", "infinity"]
        return words.contains { word.lowercased().drop { $0 == "+" || $0 == "-" } == $0 } ? number : nil
    }

    /// Appends the decoded bytes of Base64 (RFC 4648 §4). White space and missing padding are accepted.
    static func base64(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        // No capacity is reserved: a reservation is exact, so that each of many short texts would copy all bytes before
        // it.
        var word: UInt32 = 0
        var characters = 0
        var padding = 0
        for index in text.indices {
            let byte = text[index]
            if byte.isJSONWhiteSpace { continue }
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = sextet(byte) else { return false }
            word = word << 6 | UInt32(value)
            characters += 1
            if characters % 4 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: word >> 16))
                bytes.append(UInt8(truncatingIfNeeded: word >> 8))
                bytes.append(UInt8(truncatingIfNeeded: word))
            }
        }
        switch characters % 4 {
        case 0: return padding == 0
        case 2 where padding == 0 || padding == 2:
            bytes.append(UInt8(truncatingIfNeeded: word >> 4))
            return true
        case 3 where padding <= 1:
            bytes.append(UInt8(truncatingIfNeeded: word >> 10))
            bytes.append(UInt8(truncatingIfNeeded: word >> 2))
            return true
        default: return false
        }
    }

    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// Appends the bytes of pairs of hexadecimal digits, with white space at any position.
    static func hexadecimal(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        var high: UInt8?
        for index in text.indices where !text[index].isJSONWhiteSpace {
            guard let digit = text[index].hexDigit else { return false }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil
    }

    /// Returns the date in UTC for the XML form `2024-05-01T10:20:30Z` (optionally with a fraction), or for GNUstep's
    /// `2024-05-01 10:20:30 +0200`.
    static func date(_ text: Span<UInt8>) -> String? {
        guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = number(text, 0..<4), let month = number(text, 5..<7), let day = number(text, 8..<10),
            let hour = number(text, 11..<13), let minute = number(text, 14..<16), let second = number(text, 17..<19),
            let seconds = PropertyListDate.unixSeconds(
                year: year,
                month: month,
                day: day,
                hour: hour,
                minute: minute,
                second: second
            )
        else { return nil }
        let rest = text.extracting(19...)
        switch text[10] {
        case UInt8(ascii: "T"):
            var end = rest.count - 1
            guard rest[end] == UInt8(ascii: "Z"), end == 0 || end > 1 && rest[0] == UInt8(ascii: ".") else {
                return nil
            }
            for index in 0..<end where index > 0 && !rest[index].isDecimalDigit { return nil }
            while end > 0, rest[end - 1] == UInt8(ascii: "0") { end -= 1 }
            // A point without digits is not a fraction.
            let fraction = end > 1 ? (0..<end).map { rest[$0] } : []
            return PropertyListDate.text(unixSeconds: seconds, fraction: fraction)
        case UInt8(ascii: " "):
            guard rest.count == 6, rest[0] == UInt8(ascii: " "), let hours = number(rest, 2..<4),
                let minutes = number(rest, 4..<6), hours < 24, minutes < 60,
                rest[1] == UInt8(ascii: "+") || rest[1] == UInt8(ascii: "-")
            else { return nil }
            let offset = (hours * 60 + minutes) * (rest[1] == UInt8(ascii: "+") ? 60 : -60)
            let utc = seconds - offset
            guard PropertyListDate.isRepresentable(secondsSince2001: Double(utc - 978_307_200)) else { return nil }
            return PropertyListDate.text(unixSeconds: utc, fraction: [])
        default:
            return nil
        }
    }

    private static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var number = 0
        for index in range {
            guard text[index].isDecimalDigit else { return nil }
            number = number * 10 + Int(text[index] - UInt8(ascii: "0"))
        }
        return number
    }
}

extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) {
        // The bytes are valid for the duration of the call, which copies them.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
