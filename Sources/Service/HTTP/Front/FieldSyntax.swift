internal import Serialization

/// Which bytes a field's name and value may have (RFC 9110 §5).
enum FieldSyntax {
    /// RFC 9110 §5.6.2 `tchar`, a bit for each byte below 128.
    private static let tokenBytes: (low: UInt64, high: UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)

    /// Whether `text` is a token: at least one byte, and each a `tchar`.
    static func isToken(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !isTokenByte(text[index]) { return false }
        return text.count > 0
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? tokenBytes.low : byte < 128 ? tokenBytes.high : 0
        return bits >> UInt64(byte & 63) & 1 == 1
    }

    /// Whether `range` of `bytes` is a token. Letters, digits and hyphens, of which nearly all names consist, are checked eight at a
    /// time; so that is done as long as eight bytes can be read.
    static func isToken(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
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

    /// The first control character other than the tab (RFC 9110 §5.5), or `nil`.
    static func forbiddenByte(in value: Span<UInt8>) -> UInt8? {
        for index in value.indices where isForbidden(value[index]) { return value[index] }
        return nil
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 || byte == 0x7F
    }

    /// The first control character other than the tab in `range` of `bytes`, or `nil`. Checks eight bytes at a time as long as eight can
    /// be read.
    static func forbiddenByte(in bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8? {
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

    /// The range of `value` without the white space around it (RFC 9110 §5.5).
    static func trimmed(_ value: Span<UInt8>) -> Range<Int> {
        trimmed(value, 0..<value.count)
    }

    /// `range` of `bytes` without the white space around it.
    static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, isWhitespace(bytes[start]) { start += 1 }
        while end > start, isWhitespace(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}

/// Checks of eight bytes at a time, the first in the word's lowest byte. In each result the high bit of a byte means yes.
private enum Words {
    private static let highBits = all(0x80)

    @inline(__always) private static func all(_ byte: UInt64) -> UInt64 {
        byte &* 0x0101_0101_0101_0101
    }

    /// The high bits of the first `count` bytes.
    @inline(__always) private static func highBits(first count: Int) -> UInt64 {
        count >= 8 ? highBits : highBits & (1 << (8 * UInt64(count)) &- 1)
    }

    /// Whether the first `count` bytes are letters, digits and hyphens.
    @inline(__always) static func areNameBytes(_ word: UInt64, first count: Int) -> Bool {
        let mask = highBits(first: count)
        guard word & mask == 0 else { return false }
        // Below 128 a sum stays in its byte: adding 128 - n sets the high bit of a byte of at least n.
        let ascii = word & ~highBits
        let lower = ascii | all(0x20)
        let letters = (lower &+ all(0x80 - 0x61)) & ~(lower &+ all(0x80 - 0x7B))
        let digits = (ascii &+ all(0x80 - 0x30)) & ~(ascii &+ all(0x80 - 0x3A))
        let hyphens = highBits &- (ascii ^ all(0x2D))
        return (letters | digits | hyphens) & mask == mask
    }

    /// Whether the first `count` bytes may have one below 0x20, or 0x7F; a tab is one.
    @inline(__always) static func mayHaveControl(_ word: UInt64, first count: Int) -> Bool {
        // A byte that borrows is one; only bytes after it may be reported wrongly.
        let controls = (word &- all(0x20)) & ~word
        let rest = word ^ all(0x7F)
        let deletes = (rest &- all(0x01)) & ~rest
        return (controls | deletes) & highBits(first: count) != 0
    }
}

extension Span<UInt8> {
    /// Eight bytes from `index` on, the first in the lowest byte.
    @inline(__always) fileprivate func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index + 8 <= count, "eight bytes can be read")
        return unsafe withUnsafeBytes {
            UInt64(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
    }

    /// Whether the bytes are `text`, which is not empty; letters compare without case. Fastest where both are written the
    /// same way, or begin differently.
    @inline(__always) func equals(_ text: StaticString) -> Bool {
        // A literal's bytes are there for ever.
        let text = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).span
        return count == text.count && (self[0] ^ text[0]) & ~0x20 == 0 && equalsIgnoringASCIICase(text)
    }
}
