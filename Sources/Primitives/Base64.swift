/// Base64 (RFC 4648 §4).
package enum Base64 {
    /// The character for unused places at the end.
    package static var pad: UInt8 { @inlinable get { UInt8(ascii: "=") } }

    /// Returns the value of a character of the alphabet, or `nil` for any other byte.
    @inlinable package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// Returns the character for the lowest six bits.
    @inlinable static func character(_ bits: UInt32) -> UInt8 {
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

// MARK: Encoding

extension Base64 {
    /// Calls `body` with the text of `bytes`, with padding, in blocks of at most 64 characters.
    @inlinable package static func encode(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        var offset = 0
        // 48 bytes become a block of 64 characters.
        var block = InlineArray<64, UInt8>(repeating: pad)
        while offset < bytes.count {
            let part = bytes.extracting(droppingFirst: offset).extracting(first: 48)
            var length = 0
            var index = 0
            while index < part.count {
                let rest = part.count - index
                let second = rest > 1 ? part[index + 1] : 0
                let third = rest > 2 ? part[index + 2] : 0
                let word = UInt32(part[index]) << 16 | UInt32(second) << 8 | UInt32(third)
                block[length] = character(word >> 18)
                block[length + 1] = character(word >> 12)
                block[length + 2] = rest > 1 ? character(word >> 6) : pad
                block[length + 3] = rest > 2 ? character(word) : pad
                length += 4
                index += 3
            }
            body(block.span.extracting(first: length))
            offset += 48
        }
    }

    /// Returns the text of `bytes`, with padding.
    package static func text(of bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        encode(bytes) { text.append($0) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the text of `bytes` in the alphabet for URLs, without padding (RFC 4648 §5).
    package static func urlText(of bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        encode(bytes) { text.append($0) }
        while text.last == pad { text.removeLast() }
        return text.map {
            $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
    }
}

// MARK: Decoding

extension Base64 {
    /// The reason why the text was rejected. `at` is the offset from the start of the text, in bytes.
    package enum Fault: Error, Equatable {
        case character(at: Int)
        /// The length is not a multiple of four, or padding occurs before the end.
        case padding(at: Int)
        case unusedBits(at: Int)
    }

    /// Decodes text with padding, without line breaks, and with unused bits that are zero (RFC 4648 §3.5). This makes
    /// the encoding unique.
    package static func decode(_ text: Span<UInt8>) throws(Fault) -> [UInt8] {
        guard text.count > 0 else { return [] }
        guard text.count % 4 == 0 else {
            for index in text.indices where values[Int(text[index])] == invalid && text[index] != pad {
                throw .character(at: index)
            }
            throw .padding(at: text.count)
        }
        let padding = text[text.count - 1] != pad ? 0 : text[text.count - 2] != pad ? 1 : 2
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count / 4 * 3)
        let table = values
        var index = 0
        let whole = padding == 0 ? text.count : text.count - 4
        while index < whole {
            let a = table[Int(text[index])]
            let b = table[Int(text[index + 1])]
            let c = table[Int(text[index + 2])]
            let d = table[Int(text[index + 3])]
            guard (a | b | c | d) & invalid == 0 else {
                let offset = (a & invalid) != 0 ? 0 : (b & invalid) != 0 ? 1 : (c & invalid) != 0 ? 2 : 3
                throw text[index + offset] == pad ? .padding(at: index + offset) : .character(at: index + offset)
            }
            decoded.append(a << 2 | b >> 4)
            decoded.append(b << 4 | c >> 2)
            decoded.append(c << 6 | d)
            index += 4
        }
        guard padding > 0 else { return decoded }
        var last: [UInt8] = []
        for offset in 0..<4 - padding {
            let value = table[Int(text[index + offset])]
            guard (value & invalid) == 0 else {
                throw text[index + offset] == pad ? .padding(at: index + offset) : .character(at: index + offset)
            }
            last.append(value)
        }
        decoded.append(last[0] << 2 | last[1] >> 4)
        if padding == 1 {
            decoded.append(last[1] << 4 | last[2] >> 2)
        }
        guard last[3 - padding] & (padding == 1 ? 0b11 : 0b1111) == 0 else {
            throw .unusedBits(at: index + 3 - padding)
        }
        return decoded
    }

    private static let invalid: UInt8 = 0x80

    /// The value of each byte; ``invalid`` if the byte is not in the alphabet.
    private static let values: [UInt8] = (UInt8.min ... .max).map { value(of: $0) ?? invalid }

    /// Appends the decoded bytes of text in which white space is ignored, and padding may be missing.
    /// - Returns: whether the text is valid. If it is not, what was appended has no meaning.
    package static func appendForgiving(_ text: Span<UInt8>, to bytes: inout [UInt8]) -> Bool {
        // No capacity is reserved: a reservation is exact, so that each of many short texts would copy all bytes before
        // it.
        var word: UInt32 = 0
        var characters = 0
        var padding = 0
        for index in text.indices {
            let byte = text[index]
            if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { continue }
            if byte == pad {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: byte) else { return false }
            word = word << 6 | UInt32(value)
            characters += 1
            if characters % 4 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: word >> 16))
                bytes.append(UInt8(truncatingIfNeeded: word >> 8))
                bytes.append(UInt8(truncatingIfNeeded: word))
            }
        }
        switch characters % 4 {
        case 0: return padding == 0
        case 2 where padding == 0 || padding == 2:
            bytes.append(UInt8(truncatingIfNeeded: word >> 4))
            return true
        case 3 where padding <= 1:
            bytes.append(UInt8(truncatingIfNeeded: word >> 10))
            bytes.append(UInt8(truncatingIfNeeded: word >> 2))
            return true
        default: return false
        }
    }
}
