/// Writes numbers as ECMAScript does (ECMA-262 §6.1.6.1.20, which RFC 8785 §3.2.2.3 requires).
///
/// Worked example: `1.50e+3` is the double 1500, whose shortest digits that read back as it are `15`, with the point
/// after four digits: `1500`. Up to 21 digits before the point and up to six zeros after it are written out; other
/// numbers have an exponent: `1e+21`, `1e-7`.
enum ECMAScriptNumber {
    /// Appends the canonical text of a JSON number.
    /// - Returns: `false`, without appending anything, if no double is near it (`1e400`).
    static func append(_ number: Span<UInt8>, to text: inout [UInt8]) -> Bool {
        if let plain = canonicalPart(of: number) {
            for index in plain { text.append(number[index]) }
            return true
        }
        guard let value = Double(number.text), value.isFinite else { return false }
        if value == 0 {
            text.append(UInt8(ascii: "0"))
        } else {
            if value < 0 { text.append(UInt8(ascii: "-")) }
            appendShortest(value.magnitude, to: &text)
        }
        return true
    }

    /// Returns the part of a number without exponent that is its canonical text, or `nil` if only arithmetic can
    /// determine it.
    ///
    /// All decimals of up to 15 digits are different doubles, so these digits are the shortest that read back as the
    /// double, except for trailing zeros in the fraction.
    private static func canonicalPart(of number: Span<UInt8>) -> Range<Int>? {
        let start = number[0] == UInt8(ascii: "-") ? 1 : 0
        guard number.count - start <= 16 else { return nil }
        var point: Int?
        for index in start..<number.count {
            switch number[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "."): point = index
            default: return nil
            }
        }
        guard number.count - start - (point == nil ? 0 : 1) <= 15 else { return nil }

        var end = number.count
        if let point {
            while number[end - 1] == UInt8(ascii: "0") { end -= 1 }
            if end == point + 1 { end = point }
        }
        guard number[start] == UInt8(ascii: "0") else { return 0..<end }
        // Zero has no sign. Numbers below 0.000001 have an exponent.
        if end == start + 1 { return start..<end }
        let leading = (start + 2)..<min(start + 8, end)
        return leading.contains { number[$0] != UInt8(ascii: "0") } ? 0..<end : nil
    }

    /// Appends the shortest decimal that reads back as `value`, which must be above 0.
    ///
    /// Swift's `description` contains these digits (SE-0055 and SwiftDtoa), in a different form: `12.5`, `1e-07`,
    /// `1.5e+300`.
    private static func appendShortest(_ value: Double, to text: inout [UInt8]) {
        var digits: [UInt8] = []
        digits.reserveCapacity(24)
        // The number of digits before the point.
        var point: Int?
        var exponent = 0
        var exponentSign = 0
        for byte in value.description.utf8 {
            switch byte {
            case UInt8(ascii: "."): point = digits.count
            case UInt8(ascii: "e"): exponentSign = 1
            case UInt8(ascii: "-"): exponentSign = -1
            case UInt8(ascii: "+"): break
            case _ where exponentSign != 0: exponent = exponent * 10 + Int(byte - UInt8(ascii: "0"))
            default: digits.append(byte)
            }
        }
        var beforePoint = (point ?? digits.count) + exponent * exponentSign
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(leading)
        beforePoint -= leading
        append(digits, beforePoint, to: &text)
    }

    private static func append(_ digits: [UInt8], _ point: Int, to text: inout [UInt8]) {
        func zeros(_ count: Int) -> some Sequence<UInt8> { repeatElement(UInt8(ascii: "0"), count: count) }

        switch point {
        case digits.count...21:
            text += digits
            text += zeros(point - digits.count)
        case 1...21:
            text += digits[..<point]
            text.append(UInt8(ascii: "."))
            text += digits[point...]
        case -5...0:
            text += "0.".utf8
            text += zeros(-point)
            text += digits
        default:
            let exponent = point - 1
            text += digits[..<1]
            if digits.count > 1 {
                text.append(UInt8(ascii: "."))
                text += digits[1...]
            }
            text += exponent < 0 ? "e-".utf8 : "e+".utf8
            text += String(abs(exponent)).utf8
        }
    }
}
