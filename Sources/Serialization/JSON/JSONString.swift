/// The text of JSON strings: the escapes of RFC 8259 §7 as plain UTF-8.
package enum JSONString {
    /// Decodes the escapes of a string that has been checked.
    /// - Parameter text: The text between the quotes.
    /// - Returns: The text as UTF-8. A lone surrogate, which a reader may have accepted, becomes U+FFFD.
    package static func unescape(_ text: Span<UInt8>) -> [UInt8] {
        decode(text, from: 0, .checked)?.bytes ?? []
    }

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
    @inline(__always) static func decode(
        _ text: Span<UInt8>,
        from start: Int,
        _ kind: Text
    ) -> (bytes: [UInt8], end: Int)? {
        var end: Int?
        // An escape is at least as long as its value. 16 bytes are written at once, of which some may follow the end of
        // the value.
        let capacity = text.count - start + 16
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            let raw = UnsafeMutableRawBufferPointer(output)
            var (offset, written) = (start, 0)
            // 1 if the next byte is the second one of an escape, and has no meaning of its own.
            var escaped = 0
            while offset < text.count {
                if let vector = text.vector(at: offset) {
                    // At most as many bytes were written as were read, so that the output has capacity for 16 more.
                    unsafe raw.storeBytes(of: vector, toByteOffset: written, as: SIMD16<UInt8>.self)
                    let stops =
                        switch kind {
                        case .checked: ByteMask(vector .== SIMD16(repeating: UInt8(ascii: "\\")))
                        case .unchecked: ByteMask(vector.stringEnds)
                        }
                    let lane = stops.dropping(escaped).first
                    offset += lane
                    written += lane
                    if lane > 0 { escaped = 0 }
                    if lane == 16 { continue }
                }
                let byte = text[offset]
                if byte == UInt8(ascii: "\\"), escaped == 0 {
                    if offset + 1 < text.count, text[offset + 1].isEscapedAsItself {
                        offset += 1
                        escaped = 1
                        continue
                    }
                    guard kind == .checked || text.hasEscape(at: offset) else { return }
                    for unit in scalar(ofEscapeAt: &offset, in: text).utf8 {
                        unsafe output[written] = unit
                        written += 1
                    }
                    continue
                }
                if kind == .unchecked, escaped == 0 {
                    if byte == UInt8(ascii: "\"") {
                        (end, count) = (offset + 1, written)
                        return
                    }
                    guard byte >= 0x20 else { return }
                }
                unsafe output[written] = byte
                offset += 1
                written += 1
                escaped = 0
            }
            if kind == .checked { (end, count) = (text.count, written) }
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

extension UInt8 {
    /// Whether the byte is its own value after a backslash.
    @inline(__always) fileprivate var isEscapedAsItself: Bool {
        self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") || self == UInt8(ascii: "/")
    }
}

extension Span<UInt8> {
    /// Returns whether there is an escape at `index` that is not a lone surrogate.
    fileprivate func hasEscape(at index: Int) -> Bool {
        guard index + 1 < count else { return false }
        switch self[index + 1] {
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): return true
        case UInt8(ascii: "u"):
            guard let unit = jsonCodeUnit(at: index) else { return false }
            guard UTF16.isSurrogate(unit) else { return true }
            guard UTF16.isLeadSurrogate(unit), let low = jsonCodeUnit(at: index + 6) else { return false }
            return UTF16.isTrailSurrogate(low)
        case let byte: return byte.isEscapedAsItself
        }
    }

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
