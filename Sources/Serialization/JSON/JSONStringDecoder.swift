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
        var stops = stopBits(at: start) | stopBits(at: start &+ 16) &<< 16
        stops |= (stopBits(at: start &+ 32) | stopBits(at: start &+ 48) &<< 16) &<< 32
        while stops != 0 {
            copy(to: start &+ stops.trailingZeroBitCount)
            if source[offset] == UInt8(ascii: "\\"), source[offset &+ 1] == UInt8(ascii: "\"") {
                // The most frequent escape. Both bytes are stops, or the second one is behind the block.
                put(UInt8(ascii: "\""))
                offset &+= 2
                stops &= stops &- 1
                stops &= stops &- 1
                continue
            }
            let step = decodeByte()
            guard step == .next, offset < end else { return step }
            stops &= ~0 &<< UInt64(truncatingIfNeeded: offset &- start)
        }
        if offset < end { copy(to: end) }
        return .next
    }

    /// Returns the bytes that end plain text in a vector, the first one in the lowest bit.
    @inline(__always) private func stopBits(at index: Int) -> UInt64 {
        ByteMask(source.vector(at: index).stringEnds).word
    }

    /// Copies plain text up to `end`, which is not before `offset`, and after which at least a vector follows.
    @inline(__always) private mutating func copy(to end: Int) {
        var copied = 0
        repeat {
            put(source.vector(at: offset &+ copied), at: written &+ copied)
            copied &+= 16
        } while offset &+ copied < end
        written &+= end &- offset
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
