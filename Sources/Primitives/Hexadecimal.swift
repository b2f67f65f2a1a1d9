extension UInt8 {
    /// The value of a hexadecimal digit in either case, or `nil` for any other byte.
    @inlinable package var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
            (self | 0x20) &- UInt8(ascii: "a") &+ 10
        default: nil
        }
    }

    /// The byte as in the source code of C, for messages: `0x7F`, `0xA`.
    package var hexadecimalLiteral: String { "0x" + String(self, radix: 16, uppercase: true) }
}

/// Hexadecimal digits. Those that are written are in lower case.
package enum Hexadecimal {
    /// Returns the digit of the low four bits.
    @inlinable package static func digit(of number: UInt8) -> UInt8 {
        let value = number & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Returns the two digits of each byte.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digit(of: byte >> 4))
            text.append(digit(of: byte))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the 32 digits of a number.
    package static func text(of number: UInt128) -> String {
        text(of: stride(from: 120, through: 0, by: -8).lazy.map { UInt8(truncatingIfNeeded: number >> UInt128($0)) })
    }

    /// Returns the bytes of pairs of digits, or `nil` for any other text.
    /// - Parameter ignoring: selects bytes that may occur anywhere and do not count.
    package static func bytes(_ text: Span<UInt8>, ignoring isIgnored: (UInt8) -> Bool = { _ in false }) -> [UInt8]? {
        var bytes: [UInt8] = []
        return append(text, ignoring: isIgnored, to: &bytes) ? bytes : nil
    }

    /// Appends the bytes of pairs of digits.
    /// - Returns: whether the text consists of pairs of digits. If it does not, what was appended has no meaning.
    package static func append(
        _ text: Span<UInt8>,
        ignoring isIgnored: (UInt8) -> Bool,
        to bytes: inout [UInt8]
    ) -> Bool {
        var high: UInt8?
        for index in text.indices where !isIgnored(text[index]) {
            guard let digit = text[index].hexDigit else { return false }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil
    }
}

extension Hexadecimal {
    // Eight digits at a time, as the bytes of a word. The first digit is the lowest byte.

    /// Returns the eight digits of the low 32 bits of `number`.
    @inlinable @inline(__always) package static func digits(of number: UInt64) -> UInt64 {
        // Each step moves the upper half of each part up, until every byte contains four bits.
        var spread = number & 0xFFFF_FFFF
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // Adding 6 to a digit of 10 or more sets bit 4. The code of `a` is 39 (0x27) more than that after `9`.
        let letters = ((spread &+ Words.all(0x06)) >> 4) & Words.all(0x01)
        return (spread &+ Words.all(0x30) &+ letters &* 0x27).byteSwapped
    }

    /// Returns the number that eight digits represent, or `nil` if one of them is not a lower-case hexadecimal digit.
    @inlinable @inline(__always) package static func number(of digits: UInt64) -> UInt32? {
        // The sum of two bytes below 128 does not overflow its byte: adding 128 - n sets the high bit of a byte that is
        // at least n.
        guard digits & Words.all(0x80) == 0 else { return nil }
        let decimals = (digits &+ Words.all(0x80 - 0x30)) & ~(digits &+ Words.all(0x80 - 0x3A))
        let letters = (digits &+ Words.all(0x80 - 0x61)) & ~(digits &+ Words.all(0x80 - 0x67)) & Words.all(0x80)
        guard (decimals | letters) & Words.all(0x80) == Words.all(0x80) else { return nil }
        // The low four bits of `a` are 1. Each step halves the number of parts.
        var number = ((digits & Words.all(0x0F)) &+ (letters >> 7) &* 9).byteSwapped
        number = (number | number >> 4) & 0x00FF_00FF_00FF_00FF
        number = (number | number >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: number | number >> 16)
    }
}
