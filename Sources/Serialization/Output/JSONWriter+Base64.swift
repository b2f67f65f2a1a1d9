extension JSONWriter {
    /// Writes `content` as a Base64 string (RFC 4648 §4, with padding), which needs no escapes.
    mutating func base64(_ content: Span<UInt8>) {
        separate()
        guard admit((content.count + 2) / 3 * 4 + 2) else { return }
        buffer.reserve((content.count + 2) / 3 * 4 + 2)
        buffer.append(UInt8(ascii: "\""))
        var position = 0
        // 48 bytes become a block of 64 characters.
        var block = InlineArray<64, UInt8>(repeating: UInt8(ascii: "="))
        while position < content.count {
            let bytes = content.extracting(position..<min(position + 48, content.count))
            var length = 0
            var index = 0
            while index < bytes.count {
                let rest = bytes.count - index
                let second = rest > 1 ? bytes[index + 1] : 0
                let third = rest > 2 ? bytes[index + 2] : 0
                let word = UInt32(bytes[index]) << 16 | UInt32(second) << 8 | UInt32(third)
                block[length] = Self.character(word >> 18)
                block[length + 1] = Self.character(word >> 12)
                block[length + 2] = rest > 1 ? Self.character(word >> 6) : UInt8(ascii: "=")
                block[length + 3] = rest > 2 ? Self.character(word) : UInt8(ascii: "=")
                length += 4
                index += 3
            }
            buffer.append(block.span.extracting(..<length))
            position += 48
        }
        buffer.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Returns the character for the lowest six bits.
    private static func character(_ bits: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 63)
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
