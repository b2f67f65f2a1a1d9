// Searches in vectors of sixteen bytes.

extension SIMD16<UInt8> {
    // Both sides of every comparison are vectors of a concrete type: the standard library has one instruction for
    // these, but a loop over the lanes for comparisons with a scalar.

    /// The bytes that end a run of plain characters in a JSON string: quote, backslash, control characters and
    /// non-ASCII bytes.
    @inline(__always) var stringStops: ByteMask {
        // Flipping the second bit swaps the quote and the space with their neighbours, so that the quote follows the
        // control characters. As signed values, the bytes from 0x80 are negative: one comparison finds all three.
        let flipped = unsafe unsafeBitCast(self ^ SIMD16<UInt8>(repeating: 0x02), to: SIMD16<Int8>.self)
        let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        return ByteMask((flipped .< SIMD16<Int8>(repeating: 0x21)) .| (self .== backslash))
    }

    /// The bytes that end a run of any characters in a JSON string: quote, backslash and control characters.
    @inline(__always) var stringEnds: SIMDMask<SIMD16<Int8>> {
        let quote = SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
        let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        return (self .== quote) .| (self .== backslash) .| (self .< SIMD16<UInt8>(repeating: 0x20))
    }

    /// The bytes at which a text is not valid UTF-8, according to table 3-7 of the Unicode Standard.
    ///
    /// A byte must be a continuation byte if and only if one of the three bytes before it requires that. The first byte
    /// of a character beyond U+07FF restricts the second one (no overlong forms, no surrogates, nothing beyond
    /// U+10FFFF); some lead bytes never occur.
    /// - Parameters: The bytes one, two and three positions before each of these.
    @inline(__always) func utf8Errors(
        _ previous: SIMD16<UInt8>,
        _ second: SIMD16<UInt8>,
        _ third: SIMD16<UInt8>
    ) -> SIMDMask<SIMD16<Int8>> {
        func all(_ byte: UInt8) -> SIMD16<UInt8> { SIMD16(repeating: byte) }
        let isContinuation = (self .< all(0xC0)) .& (all(0x7F) .< self)
        let isExpected = (all(0xBF) .< previous) .| (all(0xDF) .< second) .| (all(0xEF) .< third)
        let isOverlong =
            ((previous .== all(0xE0)) .& (self .< all(0xA0))) .| ((previous .== all(0xF0)) .& (self .< all(0x90)))
        let isBeyond =
            ((previous .== all(0xED)) .& (all(0x9F) .< self)) .| ((previous .== all(0xF4)) .& (all(0x8F) .< self))
        let isNoLead = ((self & all(0xFE)) .== all(0xC0)) .| (all(0xF4) .< self)
        return (isContinuation .^ isExpected) .| isOverlong .| isBeyond .| isNoLead
    }

    /// The bytes that are not a decimal digit.
    @inline(__always) var nonDigits: ByteMask {
        // Shifted so that the digits are the ten lowest signed values, for which there is a comparison.
        let moved = self &+ SIMD16<UInt8>(repeating: 0x80 - UInt8(ascii: "0"))
        let values = unsafe unsafeBitCast(moved, to: SIMD16<Int8>.self)
        return ByteMask(SIMD16<Int8>(repeating: -0x80 + 9) .< values)
    }

    /// The bytes that are not white space (RFC 8259 §2).
    @inline(__always) var nonWhiteSpace: ByteMask {
        let spaces = self .== SIMD16<UInt8>(repeating: 0x20)
        let lineFeeds = self .== SIMD16<UInt8>(repeating: 0x0A)
        let returns = self .== SIMD16<UInt8>(repeating: 0x0D)
        let tabs = self .== SIMD16<UInt8>(repeating: 0x09)
        return ~ByteMask(spaces .| lineFeeds .| returns .| tabs)
    }
}

extension Span<UInt8> {
    /// Returns the offset of the next one of two bytes; the end of the text if there is none.
    @inline(__always) func offset(of one: UInt8, or other: UInt8, from start: Int) -> Int {
        var offset = start
        while let vector = vector(at: offset) {
            let stops = ByteMask((vector .== SIMD16(repeating: one)) .| (vector .== SIMD16(repeating: other)))
            if !stops.isEmpty { return offset &+ stops.first }
            offset &+= 16
        }
        while offset < count, self[offset] != one, self[offset] != other { offset += 1 }
        return offset
    }

    /// Returns sixteen bytes; `nil` if the text ends before.
    @inline(__always) func vector(at offset: Int) -> SIMD16<UInt8>? {
        guard offset >= 0, offset <= count - 16 else { return nil }
        // The vector is inside the span.
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self) }
    }
}
