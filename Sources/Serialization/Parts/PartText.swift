internal import Glibc

// The memory access of the scanner for parts.
//
// Proof of bounds, once for all callers. `base` has `count` initialized bytes, and its owner gives the scanner
// exclusive access to them while it runs. Bytes, words, comparisons and moves check their bounds. A block is loaded as
// vectors only if all of its bytes are before `count`; otherwise its bytes are read one at a time.

/// Minified JSON in a buffer, which is read in blocks, and from which ranges are removed in place.
@safe struct PartText {
    private let base: UnsafeMutablePointer<UInt8>
    let count: Int

    /// - Parameter base: `count` bytes that stay alive while the text is used, and that nothing else accesses.
    init(_ base: UnsafeMutablePointer<UInt8>, count: Int) {
        unsafe self.base = base
        self.count = count
    }

    /// The text without what follows its first `count` bytes.
    func first(_ count: Int) -> PartText {
        precondition(0...self.count ~= count, "the length is at most that of the text")
        return unsafe PartText(base, count: count)
    }

    @inline(__always) subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count, "the index is inside the text")
        return unsafe base[index]
    }

    /// Returns the block at `offset`. Bytes after the end are spaces.
    @inline(__always) func block(at offset: Int) -> JSONBlock {
        guard offset >= 0, offset <= count &- JSONBlock.bytes else { return lastBlock(at: offset) }
        let start = unsafe UnsafeRawPointer(base + offset)
        return JSONBlock(
            unsafe start.loadUnaligned(as: SIMD16<UInt8>.self),
            unsafe start.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self),
            unsafe start.loadUnaligned(fromByteOffset: 32, as: SIMD16<UInt8>.self),
            unsafe start.loadUnaligned(fromByteOffset: 48, as: SIMD16<UInt8>.self)
        )
    }

    @inline(never) private func lastBlock(at offset: Int) -> JSONBlock {
        var vectors = InlineArray<4, SIMD16<UInt8>>(repeating: SIMD16(repeating: UInt8(ascii: " ")))
        for index in offset..<count { vectors[(index - offset) / 16][(index - offset) % 16] = self[index] }
        return JSONBlock(vectors[0], vectors[1], vectors[2], vectors[3])
    }

    /// Returns the last eight bytes before `end`, the last one in the lowest bits. Bytes before the text are zeros.
    @inline(__always) func word(before end: Int) -> UInt64 {
        // The eight bytes are inside the text.
        guard end < 8 || end > count else {
            return UInt64(bigEndian: unsafe UnsafeRawPointer(base + end - 8).loadUnaligned(as: UInt64.self))
        }
        return (0..<end).reduce(0) { $0 &<< 8 | UInt64(self[$1]) }
    }

    /// Returns whether the text at `start` is `bytes`.
    @inline(__always) func has(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, start <= count - bytes.count else { return false }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return true }
            return unsafe memcmp(base + start, first, bytes.count) == 0
        }
    }

    /// Calls `body` with the bytes of `range`, which are valid for the duration of the call.
    func withBytes<Result>(_ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range is inside the text")
        return unsafe body(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count).span)
    }

    /// Moves the bytes of `range` to `start`, which is not after it.
    func move(_ range: Range<Int>, to start: Int) {
        precondition(0...range.lowerBound ~= start && range.upperBound <= count, "bytes move towards the beginning")
        unsafe memmove(base + start, base + range.lowerBound, range.count)
    }
}

/// Consecutive bytes of JSON. Masks have one bit for each byte, and the lowest one is that of the first byte.
struct JSONBlock {
    static let bytes = 64

    private let vectors: (SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>)

    @inline(__always) init(
        _ first: SIMD16<UInt8>,
        _ second: SIMD16<UInt8>,
        _ third: SIMD16<UInt8>,
        _ fourth: SIMD16<UInt8>
    ) {
        vectors = (first, second, third, fourth)
    }

    /// Returns the bytes that are `byte`.
    @inline(__always) func bits(of byte: UInt8) -> UInt64 {
        let all = SIMD16<UInt8>(repeating: byte)
        return bits(vectors.0 .== all, vectors.1 .== all, vectors.2 .== all, vectors.3 .== all)
    }

    /// The brackets and braces. Inside of strings, the mask has other bytes too.
    @inline(__always) var brackets: UInt64 {
        // With these bits set, all four of them are equal, and also Y, _, y and DEL, which occur only in strings.
        let set = SIMD16<UInt8>(repeating: 0x26)
        let all = SIMD16<UInt8>(repeating: 0x7F)
        return bits(
            (vectors.0 | set) .== all,
            (vectors.1 | set) .== all,
            (vectors.2 | set) .== all,
            (vectors.3 | set) .== all
        )
    }

    /// Whether the block has a backslash.
    @inline(__always) var hasBackslash: Bool {
        let all = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        let found = (vectors.0 .== all) .| (vectors.1 .== all) .| (vectors.2 .== all) .| (vectors.3 .== all)
        return !ByteMask(found).isEmpty
    }

    @inline(__always) private func bits(
        _ first: SIMDMask<SIMD16<Int8>>,
        _ second: SIMDMask<SIMD16<Int8>>,
        _ third: SIMDMask<SIMD16<Int8>>,
        _ fourth: SIMDMask<SIMD16<Int8>>
    ) -> UInt64 {
        let low = ByteMask(first).word | ByteMask(second).word &<< 16
        return low | (ByteMask(third).word | ByteMask(fourth).word &<< 16) &<< 32
    }
}

/// The state of strings between the blocks of a text.
struct JSONStringBits {
    /// All ones if the next block begins inside of a string.
    private var inside: UInt64 = 0
    /// 1 if the first byte of the next block is escaped.
    private var escaped: UInt64 = 0
    /// The number of bytes in the last blocks without a backslash.
    private var bytesWithoutBackslash = Int.max / 2
    /// The quotes of the last two blocks that are not escaped.
    private var quotes: (previous: UInt64, last: UInt64) = (0, 0)

    /// Returns the bytes of the last block that follow a quote, which is not escaped, at this distance (1 to 63 bytes).
    @inline(__always) func quotes(movedBy distance: UInt64) -> UInt64 {
        quotes.last &<< distance | quotes.previous &>> (64 &- distance)
    }

    /// Returns whether there is no backslash up to `distance` bytes before any byte of the last block.
    @inline(__always) func hasNoBackslash(within distance: Int) -> Bool {
        bytesWithoutBackslash &- JSONBlock.bytes >= distance
    }

    /// Returns the bytes of the next block that are not in strings. A closing quote is, an opening quote is not.
    @inline(__always) mutating func outside(of block: JSONBlock) -> UInt64 {
        var quotes = block.bits(of: UInt8(ascii: "\""))
        bytesWithoutBackslash &+= JSONBlock.bytes
        if block.hasBackslash || escaped != 0 { quotes &= ~escapedBits(of: block) }
        self.quotes = (self.quotes.last, quotes)
        // A bit is set if an odd number of quotes is not after it.
        var odd = quotes
        odd ^= odd &<< 1
        odd ^= odd &<< 2
        odd ^= odd &<< 4
        odd ^= odd &<< 8
        odd ^= odd &<< 16
        odd ^= odd &<< 32
        odd ^= inside
        inside = 0 &- (odd &>> 63)
        return ~odd
    }

    /// Returns the bytes that are escaped: those after an odd number of consecutive backslashes.
    private mutating func escapedBits(of block: JSONBlock) -> UInt64 {
        bytesWithoutBackslash = 0
        var rest = block.bits(of: UInt8(ascii: "\\"))
        var bits = escaped
        // An escaped backslash escapes nothing.
        rest &= ~escaped
        escaped = 0
        while rest != 0 {
            let backslash = rest & (0 &- rest)
            let next = backslash &<< 1
            if next == 0 { escaped = 1 }
            bits |= next
            rest &= ~(backslash | next)
        }
        return bits
    }
}
