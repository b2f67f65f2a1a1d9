internal import Primitives

/// The syntax of the names and values of fields (RFC 9110 §5).
package enum FieldSyntax {
    /// The bytes that RFC 9110 §5.6.2 calls `tchar`, with one bit for each byte below 128.
    private static let tokenBytes: (low: UInt64, high: UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)

    /// Returns whether `text` is a token: one or more bytes, each of which is a `tchar`.
    package static func isToken(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !isTokenByte(text[index]) { return false }
        return text.count > 0
    }

    package static func isTokenByte(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? tokenBytes.low : byte < 128 ? tokenBytes.high : 0
        return bits >> UInt64(byte & 63) & 1 == 1
    }

    /// Returns whether `range` of `bytes` is a token.
    ///
    /// Nearly all names consist of letters, digits and hyphens. These are checked eight at a time, as long as eight
    /// bytes can be read.
    package static func isToken(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            guard start + 8 <= bytes.count, Words.areNameBytes(bytes.word(at: start), first: range.upperBound - start)
            else {
                return isToken(bytes.extracting(start..<range.upperBound))
            }
            start += 8
        }
        return !range.isEmpty
    }

    /// Returns the first control character other than the tab (RFC 9110 §5.5), or `nil` if there is none.
    package static func forbiddenByte(in value: Span<UInt8>) -> UInt8? {
        for index in value.indices where isForbidden(value[index]) { return value[index] }
        return nil
    }

    /// Returns whether `byte` is a control character other than the tab.
    package static func isForbidden(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 || byte == 0x7F
    }

    /// Returns the first control character other than the tab in `range` of `bytes`, or `nil` if there is none. Eight
    /// bytes are checked at a time, as long as eight can be read.
    package static func forbiddenByte(in bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8? {
        var start = range.lowerBound
        while start < range.upperBound {
            if start + 8 > bytes.count || Words.mayHaveControl(bytes.word(at: start), first: range.upperBound - start) {
                let end = min(start + 8, range.upperBound)
                for index in start..<end where isForbidden(bytes[index]) { return bytes[index] }
            }
            start += 8
        }
        return nil
    }

    /// Returns the range of `value` without leading and trailing white space (RFC 9110 §5.5).
    package static func trimmed(_ value: Span<UInt8>) -> Range<Int> {
        trimmed(value, 0..<value.count)
    }

    /// Returns `range` of `bytes` without leading and trailing white space.
    package static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, isWhitespace(bytes[start]) { start += 1 }
        while end > start, isWhitespace(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    package static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}

/// Checks of eight bytes at a time. The lowest byte of a word is the first. In an intermediate result, the high bit of
/// a byte is set if the byte has the property.
private enum Words {
    private static let highBits = all(0x80)

    @inline(__always) private static func all(_ byte: UInt64) -> UInt64 {
        byte &* 0x0101_0101_0101_0101
    }

    /// Returns the high bits of the first `count` bytes.
    @inline(__always) private static func highBits(first count: Int) -> UInt64 {
        count >= 8 ? highBits : highBits & ((1 << (8 * UInt64(count))) &- 1)
    }

    /// Returns whether the first `count` bytes are letters, digits and hyphens.
    @inline(__always) static func areNameBytes(_ word: UInt64, first count: Int) -> Bool {
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
    @inline(__always) static func mayHaveControl(_ word: UInt64, first count: Int) -> Bool {
        // A byte that borrows is a control character. Only bytes after it may be reported incorrectly.
        let controls = (word &- all(0x20)) & ~word
        let rest = word ^ all(0x7F)
        let deletes = (rest &- all(0x01)) & ~rest
        return (controls | deletes) & highBits(first: count) != 0
    }
}

extension Span<UInt8> {
    /// Returns the eight bytes at `index`. The lowest byte of the word is the first.
    @inline(__always) fileprivate func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index + 8 <= count, "eight bytes can be read")
        return unsafe withUnsafeBytes {
            UInt64(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
    }
}
