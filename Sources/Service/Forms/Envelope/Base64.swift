/// Decodes Base64 (RFC 4648 §4): the standard alphabet with padding, without line breaks, and with unused bits that are zero (§3.5).
/// This makes the encoding unique.
enum Base64 {
    /// The reason why the text was rejected. `at` is the offset from the start of the text, in bytes.
    enum Fault: Error, Equatable {
        case character(at: Int)
        /// The length is not a multiple of four, or padding occurs before the end.
        case padding(at: Int)
        case unusedBits(at: Int)
    }

    static func decode(_ text: Span<UInt8>) throws(Fault) -> [UInt8] {
        guard text.count > 0 else { return [] }
        guard text.count % 4 == 0 else {
            if let invalid = firstInvalid(in: text) { throw .character(at: invalid) }
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

    private static func firstInvalid(in text: Span<UInt8>) -> Int? {
        for index in text.indices where values[Int(text[index])] == invalid && text[index] != pad {
            return index
        }
        return nil
    }

    private static let pad = UInt8(ascii: "=")
    private static let invalid: UInt8 = 0x80

    /// The value of each byte; ``invalid`` if the byte is not in the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, letter) in zip(UInt8(0)..., alphabet.utf8) {
            values[Int(letter)] = value
        }
        return values
    }()
}
