// Sixteen bytes at a time: which of them are what a reader looks for.

extension SIMD16<UInt8> {
    // Both sides of every comparison are vectors of a concrete type: the standard library has one instruction for
    // these, and a loop over the lanes for comparisons with a scalar.

    /// The bytes that end a run of plain characters in a JSON string: quote, backslash, controls and all beyond ASCII.
    @inline(__always) var stringStops: ByteMask {
        // With their second bit flipped, quote and space change places with what is next to them, so that the quote follows
        // the controls. Read as signed, the bytes from 0x80 up are negative: one comparison finds all three.
        let flipped = unsafe unsafeBitCast(self ^ SIMD16<UInt8>(repeating: 0x02), to: SIMD16<Int8>.self)
        let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        return ByteMask((flipped .< SIMD16<Int8>(repeating: 0x21)) .| (self .== backslash))
    }

    /// The bytes that end a run of characters of any kind in a JSON string: quote, backslash and controls.
    @inline(__always) var stringEnds: SIMDMask<SIMD16<Int8>> {
        let quote = SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
        let backslash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        return (self .== quote) .| (self .== backslash) .| (self .< SIMD16<UInt8>(repeating: 0x20))
    }

    /// The bytes at which a text stops being UTF-8, as the Unicode Standard's table 3-7 has it.
    ///
    /// A byte is a continuation exactly where one of the three before it says so; the second byte of a character beyond
    /// U+07FF is narrowed by its first (no overlong forms, no surrogates, nothing beyond U+10FFFF); five leads never occur.
    /// - Parameters: the bytes that stand one, two and three places before each of these.
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
        // Moved so that the digits are the ten lowest of signed values, for which there is a comparison.
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
