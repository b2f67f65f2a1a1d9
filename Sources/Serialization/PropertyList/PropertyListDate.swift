/// Converts dates to RFC 3339 in UTC.
///
/// Worked example: 0.5 seconds since 2001-01-01 is `2001-01-01T00:00:00.5Z`. The fraction has the shortest digits that
/// read back as the same seconds, truncated to nanoseconds.
enum PropertyListDate {
    /// 0000-01-01T00:00:00Z and 10000-01-01T00:00:00Z, in seconds since 2001-01-01T00:00:00Z.
    private static let first = -63_145_526_400.0
    private static let end = 252_423_993_600.0

    /// Returns whether RFC 3339 can represent the date: it is finite and in the years 0 to 9999.
    static func isRepresentable(secondsSince2001 seconds: Double) -> Bool { seconds >= first && seconds < end }

    /// - Parameter seconds: A representable date.
    static func text(secondsSince2001 seconds: Double) -> String {
        let whole = seconds.rounded(.down)
        return RFC3339.text(
            secondsSince1970: Int(whole) + 978_307_200,
            fraction: whole == seconds ? [] : digits(ofFractionOf: seconds)
        )
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
}
