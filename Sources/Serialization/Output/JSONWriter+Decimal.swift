extension JSONWriter {
    /// Writes a member with a number as ``decimal(_:places:)`` does, unless it is `nil`.
    package mutating func member(_ name: StaticString, decimal value: Double?, places: Int) {
        guard let value else { return }
        self.name(name)
        decimal(value, places: places)
    }

    /// Writes a number with at most `places` decimals and no trailing zeros.
    ///
    /// A number that is too small for that gets four significant digits. A number that is not finite becomes null.
    package mutating func decimal(_ value: Double, places: Int) {
        guard value.isFinite else { return null() }
        guard abs(value) < 1e9 else { return shortest(value) }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        guard value == 0 || abs(value) * scale >= 1_000 || (value * scale).rounded() == value * scale else {
            return shortest(value, significant: 4)
        }
        // At most 10⁹ × 10⁸.
        var digits = Int((abs(value) * scale).rounded())
        var (decimals, unit) = (places, Int(scale))
        while decimals > 0, digits % 10 == 0 {
            digits /= 10
            decimals -= 1
            unit /= 10
        }
        var text: [UInt8] = []
        if value < 0 { text.append(UInt8(ascii: "-")) }
        text.append(decimal: digits / unit)
        if decimals > 0 {
            text.append(UInt8(ascii: "."))
            text.append(decimal: digits, digits: decimals)
        }
        raw(text)
    }

    /// Writes the shortest digits that read back as the same number, or as the number rounded to `significant` digits.
    private mutating func shortest(_ value: Double, significant: Int? = nil) {
        var value = value
        if let significant, value != 0 {
            var magnitude = abs(value)
            var scale = 1.0
            // A double has at most 324 zeros after the decimal point.
            while magnitude < 1, scale < 1e300 {
                magnitude *= 10
                scale *= 10
            }
            for _ in 1..<significant { scale *= 10 }
            let rounded = (value * scale).rounded() / scale
            if rounded.isFinite { value = rounded }
        }
        var text = value.description
        text.withUTF8 { digits in unsafe raw(digits.span) }
    }
}
