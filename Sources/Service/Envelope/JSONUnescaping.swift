extension JSONCursor.StringToken {
    /// The string's value, as UTF-8.
    func utf8(in text: Span<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < range.upperBound else {
                value.append(byte)
                continue
            }
            let letter = text[index]
            index += 1
            switch letter {
            case UInt8(ascii: "b"): value.append(0x08)
            case UInt8(ascii: "f"): value.append(0x0C)
            case UInt8(ascii: "n"): value.append(0x0A)
            case UInt8(ascii: "r"): value.append(0x0D)
            case UInt8(ascii: "t"): value.append(0x09)
            case UInt8(ascii: "u"): value.append(contentsOf: scalar(in: text, at: &index).utf8)
            default: value.append(letter)  // quote, backslash, slash
            }
        }
        return value
    }

    /// The string's value.
    func text(in text: Span<UInt8>) -> String {
        String(decoding: utf8(in: text), as: UTF8.self)
    }

    /// RFC 8259 §7: four digits after `\u`, and where they are the first half of a surrogate pair, `\u` and four more.
    private func scalar(in text: Span<UInt8>, at index: inout Int) -> Character {
        let first = unit(in: text, at: &index)
        guard 0xD800...0xDBFF ~= first, index + 6 <= range.upperBound else { return character(first) }
        index += 2  // the second `\u`: a reader that accepted the first half has seen the other
        let second = unit(in: text, at: &index)
        return character(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
    }

    private func unit(in text: Span<UInt8>, at index: inout Int) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 where index < range.upperBound {
            unit = unit << 4 | UInt32(text[index].hexDigitValue ?? 0)
            index += 1
        }
        return unit
    }

    private func character(_ value: UInt32) -> Character {
        Character(Unicode.Scalar(value) ?? "\u{FFFD}")
    }
}
