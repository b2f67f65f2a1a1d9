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
        guard text[first] == UInt8(ascii: "\\"), let decoded = JSONString.decode(text, from: start, .unchecked)
        else { return nil }
        value = .bytes(decoded.bytes)
        end = decoded.end
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }

    /// Returns the offset of the first special byte; `nil` if there is none.
    private static func firstSpecial(in text: Span<UInt8>, from start: Int) -> Int? {
        var offset = start
        while let vector = text.vector(at: offset) {
            if let lane = ByteMask(vector.stringEnds).firstLane { return offset + lane }
            offset += 16
        }
        while offset < text.count {
            if isSpecial(text[offset]) { return offset }
            offset += 1
        }
        return nil
    }
}
