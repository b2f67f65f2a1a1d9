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
            guard byte == UInt8(ascii: "\\"), index + 1 < text.count else {
                bytes.append(byte)
                index += 1
                continue
            }
            let escaped = text[index + 1]
            index += 2
            switch escaped {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = UInt32(unit(in: text, at: index))
                index += 4
                if (scalar & 0xFC00) == 0xD800, index + 6 <= text.count, text[index] == UInt8(ascii: "\\"),
                    text[index + 1] == UInt8(ascii: "u")
                {
                    let low = UInt32(unit(in: text, at: index + 2))
                    if (low & 0xFC00) == 0xDC00 {
                        scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (low & 0x3FF)
                        index += 6
                    }
                }
                bytes.append(contentsOf: Character(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
            default: bytes.append(escaped)
            }
        }
        return bytes
    }

    private static func unit(in text: Span<UInt8>, at index: Int) -> UInt16 {
        (index..<min(index + 4, text.count)).reduce(0) { $0 << 4 | UInt16(text[$1].hexDigit ?? 0) }
    }
}
