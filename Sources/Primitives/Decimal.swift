extension Span<UInt8> {
    /// Returns the decimal number in `range`: one or more digits, without a sign.
    /// - Returns: `nil` for other text, and for numbers greater than `max`.
    @inlinable package func decimal(_ range: Range<Int>, max: Int = .max) -> Int? {
        guard !range.isEmpty else { return nil }
        var value = 0
        for index in range {
            let digit = self[index] &- UInt8(ascii: "0")
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(digit))
            guard digit < 10, !overflow, !carry, sum <= max else { return nil }
            value = sum
        }
        return value
    }

    /// Returns the decimal number in `range`, or `max` if the number is greater; `nil` for text other than digits.
    package func decimal(_ range: Range<Int>, clampedTo max: Int) -> Int? {
        guard !range.isEmpty else { return nil }
        for index in range where !self[index].isDecimalDigit { return nil }
        return decimal(range, max: max) ?? max
    }

    /// Returns the decimal number in `range`, which has no leading zeros.
    /// - Returns: `nil` for other text, and for numbers greater than `max`.
    package func canonicalDecimal(_ range: Range<Int>, max: Int) -> Int? {
        guard range.count <= 1 || self[range.lowerBound] != UInt8(ascii: "0") else { return nil }
        return decimal(range, max: max)
    }
}

extension Substring {
    /// Returns the decimal number that the text consists of, or `nil` for other text and for numbers greater than
    /// `max`.
    package func decimal(max: Int = .max) -> Int? {
        let bytes = utf8.span
        return bytes.decimal(0..<bytes.count, max: max)
    }
}

extension String {
    /// Returns the decimal number that the text consists of, or `nil` for other text and for numbers greater than
    /// `max`.
    package func decimal(max: Int = .max) -> Int? {
        let bytes = utf8.span
        return bytes.decimal(0..<bytes.count, max: max)
    }
}

extension [UInt8] {
    /// Appends a number, which must not be negative, in decimal digits.
    package mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Appends the last `digits` decimal digits of a number, which must not be negative.
    package mutating func append(decimal number: Int, digits: Int) {
        if digits > 1 { append(decimal: number / 10, digits: digits - 1) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
