/// A string of JSON text that was read in one pass.
package struct JSONScannedString {
    package enum Value: Equatable, Sendable {
        /// The string has no escapes: its value is this part of the text.
        case slice(Range<Int>)
        /// The value after the escapes were decoded.
        case bytes([UInt8])
    }

    package let value: Value

    /// The offset after the closing quote.
    package let end: Int

    /// Reads the string whose opening quote is at `quote`.
    ///
    /// Unlike a cursor, it checks the grammar (RFC 8259 §7), and decodes escapes while it looks for the end. Bytes that
    /// are not ASCII are accepted as they are: the caller has checked that the text is UTF-8.
    /// - Returns: `nil` if there is no string, or if it contains a lone surrogate.
    package init?(at quote: Int, in text: Span<UInt8>) {
        guard quote < text.count, text[quote] == UInt8(ascii: "\"") else { return nil }
        let start = quote + 1
        guard let first = Self.firstSpecial(in: text, from: start) else { return nil }
        if text[first] == UInt8(ascii: "\"") {
            value = .slice(start..<first)
            end = first + 1
            return
        }
        guard text[first] == UInt8(ascii: "\\"), let decoded = Self.decode(text, from: start) else { return nil }
        value = .bytes(decoded.bytes)
        end = decoded.end
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }

    /// Returns the offset of the first special byte; `nil` if there is none.
    private static func firstSpecial(in text: Span<UInt8>, from start: Int) -> Int? {
        var offset = start
        while offset + 16 <= text.count {
            // The 16 bytes are in the span.
            let bytes = unsafe text.bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: offset,
                as: SIMD16<UInt8>.self
            )
            if let lane = ByteMask(bytes.stringEnds).firstLane { return offset + lane }
            offset += 16
        }
        while offset < text.count {
            if isSpecial(text[offset]) { return offset }
            offset += 1
        }
        return nil
    }

    /// Decodes a string with escapes. An escape is at least as long as its value, so that the value is not longer than
    /// the rest of the text.
    private static func decode(_ text: Span<UInt8>, from start: Int) -> (bytes: [UInt8], end: Int)? {
        var end: Int?
        // 16 bytes are written at once, of which some may follow the end of the value.
        let capacity = text.count - start + 16
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            var (offset, written) = (start, 0)
            while offset < text.count {
                if offset + 16 <= text.count {
                    // The 16 bytes are in the span. At most as many bytes were written as were read, so that the
                    // output has capacity for 16 more.
                    let bytes = unsafe text.bytes.unsafeLoadUnaligned(
                        fromUncheckedByteOffset: offset,
                        as: SIMD16<UInt8>.self
                    )
                    unsafe UnsafeMutableRawBufferPointer(output).storeBytes(
                        of: bytes,
                        toByteOffset: written,
                        as: SIMD16<UInt8>.self
                    )
                    let lane = ByteMask(bytes.stringEnds).first
                    offset += lane
                    written += lane
                    if lane == 16 { continue }
                }
                let byte = text[offset]
                if byte == UInt8(ascii: "\"") {
                    (end, count) = (offset + 1, written)
                    return
                }
                guard byte >= 0x20 else { return }
                guard byte == UInt8(ascii: "\\") else {
                    unsafe output[written] = byte
                    offset += 1
                    written += 1
                    continue
                }
                guard offset + 1 < text.count else { return }
                let escaped = text[offset + 1]
                if escaped == UInt8(ascii: "u") {
                    guard let scalar = scalar(ofEscapeAt: &offset, in: text) else { return }
                    for unit in scalar.utf8 {
                        unsafe output[written] = unit
                        written += 1
                    }
                } else {
                    guard let value = value(ofEscape: escaped) else { return }
                    unsafe output[written] = value
                    offset += 2
                    written += 1
                }
            }
        }
        return end.map { (bytes, $0) }
    }

    private static func value(ofEscape byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// Decodes the escape `\uXXXX` at `offset`, or two of them that are a pair of surrogates, and moves behind it.
    /// - Returns: `nil` if it is malformed, or a lone surrogate.
    private static func scalar(ofEscapeAt offset: inout Int, in text: Span<UInt8>) -> Unicode.Scalar? {
        guard let unit = text.jsonCodeUnit(at: offset) else { return nil }
        guard UTF16.isSurrogate(unit) else {
            offset += 6
            return Unicode.Scalar(unit)
        }
        guard UTF16.isLeadSurrogate(unit), let low = text.jsonCodeUnit(at: offset + 6), UTF16.isTrailSurrogate(low)
        else { return nil }
        return JSONString.scalar(ofEscapeAt: &offset, in: text)
    }
}
