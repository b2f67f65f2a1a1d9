/// The text of JSON strings: the escapes of RFC 8259 §7 as plain UTF-8.
package enum JSONString {
    /// Decodes the escapes of a string that has been checked.
    /// - Parameter text: The text between the quotes.
    /// - Returns: The text as UTF-8. A lone surrogate, which a reader may have accepted, becomes U+FFFD.
    package static func unescape(_ text: Span<UInt8>) -> [UInt8] { decode(text, from: 0, .checked)?.bytes ?? [] }

    /// The text of a string that is decoded.
    enum Text {
        /// The text between the quotes, which was checked.
        case checked
        /// Text in which the grammar is checked up to the closing quote. Bytes that are not ASCII are accepted as they
        /// are.
        case unchecked
    }

    /// Decodes a string from `start`: to the end of checked text, or to the closing quote of other text.
    /// - Returns: The value, and the offset of the end or after the closing quote; `nil` for text that is not a string,
    ///   or has a lone surrogate.
    static func decode(_ text: Span<UInt8>, from start: Int, _ kind: Text) -> (bytes: [UInt8], end: Int)? {
        var end: Int?
        let capacity = text.count - start + JSONStringDecoder.slackBytes
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            // A string has at least one byte of memory.
            guard let memory = UnsafeMutableRawBufferPointer(output).baseAddress,
                // The span outlives the call.
                let decoded = unsafe text.withUnsafeBufferPointer({ source in
                    unsafe JSONStringDecoder.decode(JSONSource(source), from: start, kind, into: memory)
                })
            else { return }
            (end, count) = (decoded.end, decoded.written)
        }
        return end.map { (bytes, $0) }
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
        return Unicode.Scalar(escaped.valueAfterBackslash ?? escaped)
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

extension UInt8 {
    /// The character that a backslash and this byte stand for (RFC 8259 §7); `nil` for `u` and for all other bytes.
    @inline(__always) var valueAfterBackslash: UInt8? {
        switch self {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): self
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }
}

extension UInt32 {
    /// Whether all four bytes are hexadecimal digits. A byte plus (0x80 − limit) has its highest bit set if it is at
    /// least the limit, provided that the byte's own highest bit was not set.
    @inline(__always) var isHexadecimal: Bool {
        let letters = self | 0x2020_2020
        let isDigit = (self &+ 0x5050_5050) & ~(self &+ 0x4646_4646)
        let isLetter = (letters &+ 0x1F1F_1F1F) & ~(letters &+ 0x1919_1919)
        return (self & 0x8080_8080) == 0 && (isDigit | isLetter) & 0x8080_8080 == 0x8080_8080
    }

    /// The number of which the four bytes, the first one in the lowest bits, are the hexadecimal digits. If they are
    /// others, any number.
    @inline(__always) var hexadecimalValue: UInt32 {
        // The lowest four bits of a letter are less by 9 than its value.
        let digits = ((self & 0x0F0F_0F0F) &+ (self &>> 6 & 0x0101_0101) &* 9).byteSwapped
        let pairs = (digits | digits &>> 4) & 0x00FF_00FF
        return (pairs | pairs &>> 8) & 0xFFFF
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
