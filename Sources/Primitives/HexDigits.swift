/// Lower-case hexadecimal digits, eight at a time, as the bytes of a word. The first digit is the lowest byte.
package enum HexDigits {
    /// Returns the eight digits of the low 32 bits of `number`.
    @inlinable @inline(__always) package static func digits(of number: UInt64) -> UInt64 {
        // Each step moves the upper half of each part up, until every byte contains four bits.
        var spread = number & 0xFFFF_FFFF
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // Adding 6 to a digit of 10 or more sets bit 4. The code of `a` is 39 (0x27) more than that after `9`.
        let letters = ((spread &+ all(0x06)) >> 4) & all(0x01)
        return (spread &+ all(0x30) &+ letters &* 0x27).byteSwapped
    }

    /// Returns the number that eight digits represent, or `nil` if one of them is not a lower-case hexadecimal digit.
    @inlinable @inline(__always) package static func number(of digits: UInt64) -> UInt32? {
        // The sum of two bytes below 128 does not overflow its byte: adding 128 - n sets the high bit of a byte that is
        // at least n.
        guard digits & all(0x80) == 0 else { return nil }
        let decimals = (digits &+ all(0x80 - 0x30)) & ~(digits &+ all(0x80 - 0x3A))
        let letters = (digits &+ all(0x80 - 0x61)) & ~(digits &+ all(0x80 - 0x67)) & all(0x80)
        guard (decimals | letters) & all(0x80) == all(0x80) else { return nil }
        // The low four bits of `a` are 1. Each step halves the number of parts.
        var number = ((digits & all(0x0F)) &+ (letters >> 7) &* 9).byteSwapped
        number = (number | number >> 4) & 0x00FF_00FF_00FF_00FF
        number = (number | number >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: number | number >> 16)
    }

    /// Returns eight copies of `byte`.
    @inlinable @inline(__always) static func all(_ byte: UInt64) -> UInt64 {
        byte &* 0x0101_0101_0101_0101
    }
}
