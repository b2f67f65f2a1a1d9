/// The text of JSON strings: the escapes of RFC 8259 §7 as plain UTF-8.
package enum JSONString {
    /// Decodes the escapes of a string that has been checked.
    /// - Parameter text: The text between the quotes.
    /// - Returns: The text as UTF-8. A lone surrogate, which a reader may have accepted, becomes U+FFFD.
    package static func unescape(_ text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: scalar(ofEscapeAt: &index, in: text).utf8)
            } else {
                bytes.append(byte)
                index += 1
            }
        }
        return bytes
    }

    /// Decodes the escape at `index`, and moves the index behind it. Surrogates are decoded in pairs. A lone surrogate
    /// becomes U+FFFD.
    static func scalar(ofEscapeAt index: inout Int, in text: Span<UInt8>) -> Unicode.Scalar {
        guard index + 1 < text.count else {
            index += 1
            return "\\"
        }
        guard text[index + 1] != UInt8(ascii: "u") else { return scalar(ofUnitAt: &index, in: text) }
        let escaped = text[index + 1]
        index += 2
        return switch escaped {
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: Unicode.Scalar(escaped)
        }
    }

    private static func scalar(ofUnitAt index: inout Int, in text: Span<UInt8>) -> Unicode.Scalar {
        let high = text.jsonCodeUnit(at: index) ?? 0xFFFD
        index += 6
        guard UTF16.isLeadSurrogate(high), let low = text.jsonCodeUnit(at: index), UTF16.isTrailSurrogate(low) else {
            return Unicode.Scalar(high) ?? "\u{FFFD}"
        }
        index += 6
        return Unicode.Scalar(0x10000 + UInt32(high & 0x3FF) << 10 + UInt32(low & 0x3FF)) ?? "\u{FFFD}"
    }
}

extension Span<UInt8> {
    /// Returns the code unit of the escape `\uXXXX` at `index`, or `nil` if there is none.
    func jsonCodeUnit(at index: Int) -> UInt16? {
        guard index + 6 <= count, self[index] == UInt8(ascii: "\\"), self[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt16 = 0
        for digit in index + 2..<index + 6 {
            guard let value = self[digit].hexDigit else { return nil }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }
}
