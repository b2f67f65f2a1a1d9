/// A prefix code of DEFLATE, given by the lengths of its codes (RFC 1951 §3.2.2).
///
/// The first nine bits of the input are the index of the symbol and the length of its code. Longer codes are decoded
/// length by length, which is possible because the codes are canonical.
struct HuffmanCode: Sendable {
    /// The maximum length of a code, in bits.
    static let maxBits = 15
    private static let tableBits = 9

    /// `length << 12 | symbol` for the next bits of the input, the lowest first; 0 for codes that are longer or do not exist.
    private var table: [UInt16]
    /// The number of codes of each length.
    private var counts = InlineArray<16, UInt16>(repeating: 0)
    /// The symbols, sorted by the lengths of their codes, then by value.
    private var symbols: [UInt16]

    /// Creates the code; `nil` if the lengths do not form a prefix code: there are too many codes, or gaps. A single code may leave a gap.
    init?(_ lengths: ArraySlice<UInt8>) {
        self.init(building: lengths)
        var left = 1
        var used = 0
        for length in 1...Self.maxBits {
            left = left * 2 - Int(counts[length])
            used += Int(counts[length])
            guard left >= 0 else { return nil }
        }
        guard left == 0 || used <= 1 else { return nil }
    }

    /// Creates one of the fixed codes of the standard, of which one has a gap.
    init(fixed lengths: [UInt8]) {
        self.init(building: lengths[...])
    }

    private init(building lengths: ArraySlice<UInt8>) {
        for length in lengths { counts[Int(length)] += 1 }
        counts[0] = 0
        var offsets = InlineArray<16, Int>(repeating: 0)
        for length in 1..<Self.maxBits { offsets[length + 1] = offsets[length] + Int(counts[length]) }
        symbols = [UInt16](repeating: 0, count: lengths.count)
        for (symbol, length) in lengths.enumerated() where length != 0 {
            symbols[offsets[Int(length)]] = UInt16(symbol)
            offsets[Int(length)] += 1
        }
        table = [UInt16](repeating: 0, count: 1 << Self.tableBits)
        var code = 0
        var index = 0
        for length in 1...Self.tableBits {
            for _ in 0..<Int(counts[length]) {
                // Codes begin with their highest bit, the input with its lowest bit.
                var place = Self.reversed(code, length)
                while place < table.count {
                    table[place] = UInt16(length) << 12 | symbols[index]
                    place += 1 << length
                }
                code += 1
                index += 1
            }
            code <<= 1
            // The caller rejects lengths that do not form a code. Here they must only stay inside the table.
            guard code <= 1 << (length + 1) else { return }
        }
    }

    private static func reversed(_ code: Int, _ length: Int) -> Int {
        var (rest, reversed) = (code, 0)
        for _ in 0..<length {
            reversed = reversed << 1 | rest & 1
            rest >>= 1
        }
        return reversed
    }

    /// Returns the symbol of the code in the lowest bits of `bits`, and the length of the code; `nil` if there is none.
    func symbol(_ bits: UInt64) -> (symbol: Int, length: Int)? {
        let entry = table[Int(bits & UInt64(table.count - 1))]
        if entry != 0 { return (Int(entry & 0xFFF), Int(entry >> 12)) }
        var (code, first, index) = (0, 0, 0)
        for length in 1...Self.maxBits {
            code |= Int(bits >> UInt64(length - 1) & 1)
            let count = Int(counts[length])
            if code - first < count { return (Int(symbols[index + code - first]), length) }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        return nil
    }
}
