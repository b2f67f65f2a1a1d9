/// Decodes the escapes of one string of JSON into memory.
///
/// Plain text is copied sixteen bytes at a time. The bytes that end it are found in 64 bytes at once, because text that
/// contains JSON has an escape every few bytes.
///
/// **Invariant**: at most as many bytes have been written as read, because an escape is at least as long as its value.
/// Bytes are read only inside the text, and a vector is written only where one was read. Therefore nothing is written
/// beyond memory that is ``slackBytes`` longer than the text from the start of the string. `JSONStringTests` and
/// `JSONDocumentOracle` compare it with other readers of strings.
@safe struct JSONStringDecoder {
    /// The length of a vector, of which some bytes may follow the end of the value.
    static let slackBytes = 16

    private enum Step {
        /// The string continues at `offset`.
        case next
        /// The string has ended.
        case end
        /// The text is not a string, or has a lone surrogate.
        case fault
    }

    private let source: JSONSource
    private let output: UnsafeMutableRawPointer
    private let kind: JSONString.Text
    private var offset: Int
    /// The length of the value, in bytes.
    private var written = 0

    private init(_ source: JSONSource, from start: Int, _ kind: JSONString.Text, into output: UnsafeMutableRawPointer) {
        self.source = source
        unsafe self.output = output
        self.kind = kind
        offset = start
    }

    /// Decodes a string.
    /// - Parameters:
    ///   - start: The offset after the opening quote.
    ///   - output: Memory of the length of the text from `start`, and ``slackBytes``. Nothing else may access it during
    ///     the call.
    /// - Returns: The end of checked text, or the offset after the closing quote, and the length of the value; `nil`
    ///   after a fault.
    static func decode(
        _ source: JSONSource,
        from start: Int,
        _ kind: JSONString.Text,
        into output: UnsafeMutableRawPointer
    ) -> (end: Int, written: Int)? {
        // A local variable can be kept in registers; a store through the output could change `self`.
        var decoder = unsafe JSONStringDecoder(source, from: start, kind, into: output)
        var step = Step.next
        while step == .next {
            if decoder.offset <= source.count &- 64 &- slackBytes {
                step = decoder.decodeBlock()
            } else if decoder.offset <= source.count &- 16 {
                step = decoder.decodeVector()
            } else if decoder.offset < source.count {
                step = decoder.decodeByte()
            } else {
                step = kind == .checked ? .end : .fault
            }
        }
        return step == .end ? (decoder.offset, decoder.written) : nil
    }

    /// Decodes 64 bytes, after which at least a vector follows, and the rest of an escape at their end.
    @inline(__always) private mutating func decodeBlock() -> Step {
        let (start, end) = (offset, offset &+ 64)
        var stops = stops(at: start)
        while true {
            let other = stops.others & (0 &- stops.others)
            var backslashes = stops.backslashes & (other &- 1)
            while backslashes != 0 {
                copy(to: start &+ backslashes.trailingZeroBitCount)
                offset &+= 1
                backslashes &= backslashes &- 1
            }
            guard other != 0 else { break }
            copy(to: start &+ other.trailingZeroBitCount)
            let step = decodeByte()
            guard step == .next, offset < end else { return step }
            let rest = ~0 &<< UInt64(truncatingIfNeeded: offset &- start)
            stops = (stops.backslashes & rest, stops.others & rest)
        }
        if offset < end { copy(to: end) }
        return .next
    }

    /// Finds the bytes that end plain text in a block that does not begin within an escape, the first one in the lowest
    /// bit.
    /// - Returns: The backslashes that only have to be left out, because a quote or a backslash follows, which stands
    ///   for itself. The others begin other escapes, or one that the block divides, or are quotes that end the string,
    ///   or control characters.
    @inline(__always) private func stops(at start: Int) -> (backslashes: UInt64, others: UInt64) {
        let backslashes = word(at: start) { $0 .== SIMD16(repeating: UInt8(ascii: "\\")) }
        let quotes = word(at: start) { $0 .== SIMD16(repeating: UInt8(ascii: "\"")) }
        // In a row of backslashes, every other one begins an escape, from the first one. The sum moves the first bit of
        // each row that begins at an even index behind the row.
        let even: UInt64 = 0x5555_5555_5555_5555
        let firsts = backslashes & ~(backslashes &<< 1)
        let evenRows = backslashes & ~(backslashes &+ (firsts & even))
        let escapes = (evenRows & even) | (backslashes & ~evenRows & ~even)
        let plain = escapes & ((backslashes | quotes) &>> 1)
        let escaped = escapes &<< 1
        return (plain, (escapes & ~plain) | ((quotes | controls(at: start)) & ~escaped))
    }

    /// Returns the control characters of a block, of which most have none.
    @inline(__always) private func controls(at start: Int) -> UInt64 {
        let limit = SIMD16<UInt8>(repeating: 0x20)
        let (first, second) = (source.vector(at: start), source.vector(at: start &+ 16))
        let (third, fourth) = (source.vector(at: start &+ 32), source.vector(at: start &+ 48))
        let found = (first .< limit) .| (second .< limit) .| (third .< limit) .| (fourth .< limit)
        return ByteMask(found).isEmpty ? 0 : word(at: start) { $0 .< limit }
    }

    /// Returns for which bytes of a block a condition is true, the first one in the lowest bit.
    @inline(__always) private func word(
        at start: Int,
        _ condition: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>
    ) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<4 {
            let lanes = ByteMask(condition(source.vector(at: start &+ index &* 16))).word
            word |= lanes &<< UInt64(truncatingIfNeeded: index &* 16)
        }
        return word
    }

    /// Copies plain text up to `end`, which is not before `offset`, and after which at least a vector follows.
    @inline(__always) private mutating func copy(to end: Int) {
        put(source.vector(at: offset), at: written)
        let count = end &- offset
        var copied = 16
        while copied < count {
            put(source.vector(at: offset &+ copied), at: written &+ copied)
            copied &+= 16
        }
        written &+= count
        offset = end
    }

    /// Decodes plain text up to the end of a vector, or up to a byte that ends it, and this byte.
    @inline(__always) private mutating func decodeVector() -> Step {
        let vector = source.vector(at: offset)
        let stops = ByteMask(vector.stringEnds)
        put(vector, at: written)
        offset &+= stops.first
        written &+= stops.first
        return stops.isEmpty ? .next : decodeByte()
    }

    /// Decodes the byte or the escape at `offset`.
    @inline(__always) private mutating func decodeByte() -> Step {
        let byte = source[offset]
        if byte == UInt8(ascii: "\\") {
            if offset &+ 1 < source.count, let value = source[offset &+ 1].valueAfterBackslash {
                put(value)
                offset &+= 2
                return .next
            }
            return decodeUnicodeEscape()
        }
        offset &+= 1
        if kind == .unchecked {
            if byte == UInt8(ascii: "\"") { return .end }
            if byte < 0x20 { return .fault }
        }
        put(byte)
        return .next
    }

    /// Decodes the escape `\uXXXX` at `offset`, or two of them if they are a surrogate pair.
    @inline(__always) private mutating func decodeUnicodeEscape() -> Step {
        if offset &+ 8 <= source.count {
            let word = source.word(at: offset)
            let digits = UInt32(truncatingIfNeeded: word &>> 16)
            let unit = digits.hexadecimalValue
            if UInt16(truncatingIfNeeded: word) == Self.backslashAndU, digits.isHexadecimal, (unit & 0xF800) != 0xD800 {
                putCharacter(unit)
                offset &+= 6
                return .next
            }
        }
        guard let (scalar, end) = scalar(at: offset) else { return .fault }
        for unit in scalar.utf8 { put(unit) }
        offset = end
        return .next
    }

    private static let backslashAndU: UInt16 = 0x755C

    @inline(never) private func scalar(at start: Int) -> (scalar: Unicode.Scalar, end: Int)? {
        source.withBytes(0..<source.count) { text in
            guard kind == .checked || text.hasUnicodeEscape(at: start) else { return nil }
            var end = start
            let scalar = JSONString.scalar(ofEscapeAt: &end, in: text)
            return (scalar, end)
        }
    }

    @inline(__always) private mutating func put(_ byte: UInt8) {
        unsafe output.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
        written &+= 1
    }

    /// Writes the character of a code unit that is not a surrogate.
    @inline(__always) private mutating func putCharacter(_ unit: UInt32) {
        if unit < 0x80 {
            put(UInt8(truncatingIfNeeded: unit))
            return
        }
        if unit < 0x800 {
            put(UInt8(truncatingIfNeeded: 0xC0 | unit &>> 6))
        } else {
            put(UInt8(truncatingIfNeeded: 0xE0 | unit &>> 12))
            put(UInt8(truncatingIfNeeded: 0x80 | unit &>> 6 & 0x3F))
        }
        put(UInt8(truncatingIfNeeded: 0x80 | unit & 0x3F))
    }

    @inline(__always) private func put(_ vector: SIMD16<UInt8>, at index: Int) {
        unsafe output.storeBytes(of: vector, toByteOffset: index, as: SIMD16<UInt8>.self)
    }
}

extension Span<UInt8> {
    /// Returns whether there is an escape `\uXXXX` at `index` that is not a lone surrogate.
    fileprivate func hasUnicodeEscape(at index: Int) -> Bool {
        guard let unit = jsonCodeUnit(at: index) else { return false }
        guard UTF16.isSurrogate(unit) else { return true }
        guard UTF16.isLeadSurrogate(unit), let low = jsonCodeUnit(at: index + 6) else { return false }
        return UTF16.isTrailSurrogate(low)
    }
}
