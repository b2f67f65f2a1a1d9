/// Text that is written into a JSON string, with escapes where they are required (RFC 8259 §7).
///
/// Text is copied sixteen bytes at a time, including the last bytes if enough bytes can be read behind them, otherwise
/// eight and then four. The bytes are checked after they were written, because most need no escape. The proof of bounds
/// is that of `JSONBytes.swift`, with one difference: an escape is up to six times as long as its source, and
/// ``maxBytes`` includes that.
@safe struct JSONText {
    private let source: JSONSource
    private let range: Range<Int>
    private let escape: CSVEscape?

    /// - Parameters:
    ///   - text: Valid UTF-8, or a part of it. It must stay alive and unchanged while this value is used.
    ///   - range: The bytes to write. What follows them is only read: if it has sixteen bytes, the end of the text is
    ///     copied as a whole vector.
    ///   - escape: How quotes are escaped in the text, if it is that of a field of CSV.
    @inline(__always) init(
        _ text: UnsafeBufferPointer<UInt8>,
        _ range: Range<Int>,
        unescaping escape: CSVEscape? = nil
    ) {
        precondition(range.lowerBound >= 0 && range.upperBound <= text.count, "the range is inside the text")
        unsafe source = JSONSource(text)
        self.range = range
        self.escape = escape
    }

    /// The capacity that ``write(into:at:)`` needs: six bytes for each byte, in case all need the longest escape, and
    /// the bytes that a store may write beyond the last one.
    @inline(__always) var maxBytes: Int { range.count &* 6 &+ JSONSink.slackBytes }

    /// Writes the complete text at `offset`.
    /// - Returns: The number of bytes that were read, which is that of the range or, if an escape begins with its last
    ///   byte, one more; and the end offset.
    @inline(__always) func write(into sink: JSONSink, at offset: Int) -> (read: Int, end: Int) {
        var index = range.lowerBound
        var offset = offset
        while index < range.upperBound {
            let plain = writePlain(from: index, into: sink, at: offset)
            index &+= plain
            offset &+= plain
            guard index < range.upperBound else { break }
            if isEscape(at: index) {
                // The second byte is a quote or a backslash, which JSON escapes in the same way.
                sink.put(UInt8(ascii: "\\"), at: offset)
                sink.put(source[index &+ 1], at: offset &+ 1)
                index &+= 2
                offset &+= 2
            } else {
                offset &+= Self.escape(source[index], into: sink, at: offset)
                index &+= 1
            }
        }
        return (index &- range.lowerBound, offset)
    }

    /// Returns whether the byte at `index` escapes the next one.
    @inline(__always) private func isEscape(at index: Int) -> Bool {
        guard let escape, index &+ 1 < source.count else { return false }
        return escape.isEscape(source[index], before: source[index &+ 1])
    }

    /// Copies the bytes before the next byte that needs an escape.
    /// - Returns: The number of bytes copied. Up to one vector may be written beyond them.
    @inline(__always) private func writePlain(from start: Int, into sink: JSONSink, at offset: Int) -> Int {
        let count = range.upperBound &- start
        var done = 0
        while start &+ done &+ 16 <= source.count {
            let vector = source.vector(at: start &+ done)
            sink.put(vector, at: offset &+ done)
            let plain = ByteMask(vector.stringEnds).first
            if plain < 16 || done &+ 16 >= count { return min(done &+ plain, count) }
            done &+= 16
        }
        if done &+ 8 <= count {
            let word = source.word(at: start &+ done)
            sink.put(word, at: offset &+ done)
            let stops = word.stringEnds
            if stops != 0 { return done &+ stops.trailingZeroBitCount / 8 }
            done &+= 8
        }
        if done &+ 4 <= count {
            let word = source.halfWord(at: start &+ done)
            sink.put(word, at: offset &+ done)
            // The upper half consists of bytes that need no escape.
            let stops = (UInt64(word) | 0xFFFF_FFFF_0000_0000).stringEnds
            if stops != 0 { return done &+ stops.trailingZeroBitCount / 8 }
            done &+= 4
        }
        while done < count {
            let byte = source[start &+ done]
            if byte.needsEscape { break }
            sink.put(byte, at: offset &+ done)
            done &+= 1
        }
        return done
    }

    @inline(__always) private static func escape(_ byte: UInt8, into sink: JSONSink, at offset: Int) -> Int {
        let letter: UInt8
        switch byte {
        case 0x0A: letter = UInt8(ascii: "n")
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
        case 0x0D: letter = UInt8(ascii: "r")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x08: letter = UInt8(ascii: "b")
        case 0x0C: letter = UInt8(ascii: "f")
        default:
            // `\u00`, in little-endian order.
            sink.put(0x3030_755C as UInt32, at: offset)
            sink.put(Hexadecimal.digit(of: byte >> 4), at: offset &+ 4)
            sink.put(Hexadecimal.digit(of: byte), at: offset &+ 5)
            return 6
        }
        sink.put(UInt8(ascii: "\\"), at: offset)
        sink.put(letter, at: offset &+ 1)
        return 2
    }
}

extension UInt64 {
    /// The highest bit of every byte that needs an escape in a JSON string. Only the lowest of these bits is reliable,
    /// because a subtraction borrows from the bytes after it.
    @inline(__always) fileprivate var stringEnds: UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = self ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = self ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let controls = (self &- ones &* 0x20) & ~self
        let specials = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return (controls | specials) & (ones &* 0x80)
    }
}

extension UInt8 {
    fileprivate var needsEscape: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }
}
