/// A string of JSON text that was read in one pass.
package struct JSONScannedString {
    /// The value: a part of the text, if the string has no escapes.
    package let value: ContainedBytes

    /// The offset after the closing quote.
    package let end: Int

    /// Reads the string whose opening quote is at `quote`.
    ///
    /// Unlike a cursor, it checks the grammar (RFC 8259 §7), and decodes escapes while it looks for the end. Bytes that
    /// are not ASCII are accepted as they are: the caller has checked that the text is UTF-8.
    /// - Returns: `nil` if there is no string, or if it contains a lone surrogate.
    package init?(at quote: Int, in text: Span<UInt8>) {
        guard quote < text.count, text[quote] == UInt8(ascii: "\"") else { return nil }
        if let range = text.plainString(at: quote) {
            value = .slice(range)
            end = range.upperBound + 1
        } else if let decoded = JSONString.decode(text, from: quote + 1, .unchecked) {
            value = .bytes(decoded.bytes)
            end = decoded.end
        } else {
            return nil
        }
    }
}

extension Span<UInt8> {
    /// Returns the text of the string whose opening quote is at `quote`, without the quotes, if it contains neither
    /// escapes nor control characters.
    func plainString(at quote: Int) -> Range<Int>? {
        guard quote < count, self[quote] == UInt8(ascii: "\"") else { return nil }
        var offset = quote + 1
        while let vector = vector(at: offset) {
            let ends = ByteMask(vector.stringEnds)
            offset += ends.first
            if !ends.isEmpty { break }
        }
        while offset < count, self[offset] >= 0x20, self[offset] != UInt8(ascii: "\\") {
            if self[offset] == UInt8(ascii: "\"") { return quote + 1..<offset }
            offset += 1
        }
        return nil
    }
}
