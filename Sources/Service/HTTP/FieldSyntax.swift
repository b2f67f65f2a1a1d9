/// Which bytes a field's name and value may have (RFC 9110 §5).
enum FieldSyntax {
    /// RFC 9110 §5.6.2 `tchar`, a bit for each byte below 128.
    private static let tokenBytes: (low: UInt64, high: UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)

    /// Whether `text` is a token: at least one byte, and each a `tchar`.
    static func isToken(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            let byte = text[index]
            let bits = byte < 64 ? tokenBytes.low : byte < 128 ? tokenBytes.high : 0
            guard bits >> UInt64(byte & 63) & 1 == 1 else { return false }
        }
        return text.count > 0
    }

    /// The first byte that no value has: a control character other than the tab (RFC 9110 §5.5), or nil.
    static func forbiddenByte(in value: Span<UInt8>) -> UInt8? {
        for index in value.indices {
            let byte = value[index]
            if byte < 0x20 && byte != 0x09 || byte == 0x7F { return byte }
        }
        return nil
    }

    /// Where `value` lies without the white space around it (RFC 9110 §5.5).
    static func trimmed(_ value: Span<UInt8>) -> Range<Int> {
        var start = 0
        var end = value.count
        while start < end, isWhitespace(value[start]) { start += 1 }
        while end > start, isWhitespace(value[end - 1]) { end -= 1 }
        return start..<end
    }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}

extension Span<UInt8> {
    /// Whether the bytes are `text`, which is lower-case ASCII; letters compare without case.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in indices {
            // `index` is below both counts.
            let byte = self[index]
            let lower = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            guard unsafe lower == text.utf8Start[index] else { return false }
        }
        return true
    }
}
