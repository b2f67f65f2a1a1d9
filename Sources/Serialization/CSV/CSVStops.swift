/// Finds the delimiters, quotes or escapes, and line ends of a text, 64 bytes at a time.
///
/// A block is read only if the one before it contains no further stop, so that calls with ascending offsets read each
/// byte at most once.
struct CSVStops {
    let delimiter: UInt8
    /// The quote, or another byte that is searched (``CSVDialect/special``).
    private let special: UInt8
    /// The offset of the current block.
    private var start = -JSONBlock.bytes
    /// The stops in the current block, one bit for each byte. The lowest bit is that of the first byte.
    private var bits: UInt64 = 0

    init(_ dialect: CSVDialect) {
        delimiter = dialect.delimiter
        special = dialect.special
    }

    /// Returns the offset of the first stop that is not before `offset`; the end of the text if there is none.
    /// - Parameter text: The same text in all calls.
    @inline(__always) mutating func next(in text: Span<UInt8>, from offset: Int) -> Int {
        var offset = offset
        while true {
            if !(0..<JSONBlock.bytes ~= offset &- start) {
                guard offset < text.count else { return text.count }
                start = offset
                bits = text.stops(at: offset, delimiter, special)
            }
            let rest = bits &>> UInt64(truncatingIfNeeded: offset &- start)
            if rest != 0 { return offset &+ rest.trailingZeroBitCount }
            offset = start &+ JSONBlock.bytes
        }
    }
}

extension Span<UInt8> {
    /// Returns the stops in the block at `offset`.
    @inline(never) fileprivate func stops(at offset: Int, _ delimiter: UInt8, _ special: UInt8) -> UInt64 {
        let block = block(at: offset)
        let lineEnds = block.bits(of: 0x0A) | block.bits(of: 0x0D)
        return lineEnds | block.bits(of: delimiter) | block.bits(of: special)
    }

    /// Returns the block at `offset`. Bytes after the end are zeros, which are no stops.
    @inline(__always) private func block(at offset: Int) -> JSONBlock {
        if let first = vector(at: offset), let second = vector(at: offset + 16), let third = vector(at: offset + 32),
            let fourth = vector(at: offset + 48)
        {
            return JSONBlock(first, second, third, fourth)
        }
        var vectors = InlineArray<4, SIMD16<UInt8>>(repeating: .zero)
        for index in offset..<count { vectors[(index - offset) / 16][(index - offset) % 16] = self[index] }
        return JSONBlock(vectors[0], vectors[1], vectors[2], vectors[3])
    }
}
