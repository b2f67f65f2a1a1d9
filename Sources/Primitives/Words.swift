extension Span<UInt8> {
    /// Returns the eight bytes at `index`. The lowest byte of the word is the first.
    @inlinable @inline(__always) package func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index + 8 <= count, "eight bytes can be read")
        return unsafe withUnsafeBytes {
            UInt64(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
    }
}

/// Checks of eight bytes at a time. The lowest byte of a word is the first. In an intermediate result, the high bit of
/// a byte is set if the byte has the property.
@usableFromInline enum Words {
    @usableFromInline static var highBits: UInt64 { @inlinable @inline(__always) get { all(0x80) } }

    /// Returns eight copies of `byte`.
    @inlinable @inline(__always) static func all(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

    /// Returns the high bits of the first `count` bytes.
    @inlinable @inline(__always) static func highBits(first count: Int) -> UInt64 {
        count >= 8 ? highBits : highBits & ((1 << (8 * UInt64(count))) &- 1)
    }

    /// Returns the high bits of the bytes that equal `byte`.
    static func matches(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ all(UInt64(byte))
        // The sum does not overflow its byte. Its high bit is set if one of the lower bits of the difference is.
        let sum = (difference & ~highBits) &+ ~highBits
        return ~(sum | difference) & highBits
    }

    /// Returns whether the first `count` bytes are letters, digits and hyphens.
    @inlinable @inline(__always) static func areNameBytes(_ word: UInt64, first count: Int) -> Bool {
        let mask = highBits(first: count)
        guard word & mask == 0 else { return false }
        // The sum of two bytes below 128 does not overflow its byte: adding 128 - n sets the high bit of a
        // byte that is at least n.
        let ascii = word & ~highBits
        let lower = ascii | all(0x20)
        let letters = (lower &+ all(0x80 - 0x61)) & ~(lower &+ all(0x80 - 0x7B))
        let digits = (ascii &+ all(0x80 - 0x30)) & ~(ascii &+ all(0x80 - 0x3A))
        let hyphens = highBits &- (ascii ^ all(0x2D))
        return (letters | digits | hyphens) & mask == mask
    }

    /// Returns whether the first `count` bytes may contain a control character, which is below 0x20 or equal to 0x7F.
    /// The tab counts as one.
    @inlinable @inline(__always) static func mayHaveControl(_ word: UInt64, first count: Int) -> Bool {
        // A byte that borrows is a control character. Only bytes after it may be reported incorrectly.
        let controls = (word &- all(0x20)) & ~word
        let rest = word ^ all(0x7F)
        let deletes = (rest &- all(0x01)) & ~rest
        return (controls | deletes) & highBits(first: count) != 0
    }
}
