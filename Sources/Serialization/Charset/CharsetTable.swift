// All charsets equal ASCII below 0x80. From there, a sequence of one to four bytes encodes a text, and at most one of
// its prefixes does:
//
//     windows-1252   F6             ö          a byte
//     Shift_JIS      93 FA          日         a pair
//     EUC-JP         8F B0 A1       丂         a triple: a pair after 8F
//     GB18030        81 30 81 30    U+0080     a quadruple: a pointer in ranges of code points
//
// The arrays contain the rules for the bytes of each charset (CharsetResource.swift), so that all of them are looked up
// in the same way.

/// The sequences of one charset.
struct CharsetTable: Sendable {
    /// The texts of the 128 bytes from 0x80.
    private let single: PackedArray<UInt32>
    /// The first code of the row of each of the 128 lead bytes from 0x80. Then, if there are triples, the same for
    /// their second bytes.
    private let rows: PackedArray<UInt16>
    /// The column of each of the 256 trail bytes.
    private let columns: PackedArray<UInt8>
    /// The texts of pairs, and of the last two bytes of triples.
    private let codes: PackedArray<UInt16>
    /// The texts with numbers: those of two and four bytes, which include pairs of characters. The first one is none.
    private let texts: PackedArray<UInt32>
    /// The first pointer of each range of quadruples, and its code point; or nothing if there are no quadruples.
    private let ranges: PackedArray<UInt32>

    /// - Parameter offset: The offset in the file of the offsets and counts of the arrays.
    init(at offset: Int) {
        let parts = PackedArray<UInt32>(in: CharsetResource.file, at: offset, count: 12)
        func array<Number>(_ index: Int) -> PackedArray<Number> {
            PackedArray(in: CharsetResource.file, at: Int(parts[index * 2]), count: Int(parts[index * 2 + 1]))
        }
        single = array(0)
        rows = array(1)
        columns = array(2)
        codes = array(3)
        texts = array(4)
        ranges = array(5)
        precondition(
            single.count == 128 && (rows.count == 128 || rows.count == 256) && columns.count == 256,
            "a table of a charset has an element for each byte"
        )
        let lastRow = (0..<rows.count).reduce(0) { max($0, Int(rows[$1])) }
        let lastColumn = (0..<columns.count).reduce(0) { max($0, Int(columns[$1])) }
        precondition(lastRow + lastColumn < codes.count, "each row of a charset is inside its codes")
    }

    /// Returns the text of the sequence at `offset` and its length in bytes, or `nil` if it is malformed or truncated.
    @inline(__always)
    func next(in content: Span<UInt8>, at offset: Int) -> (text: CharsetText, width: Int)? {
        let lead = content[offset]
        if lead < 0x80 { return (CharsetText(utf8: UInt32(lead)), 1) }
        // There are 128 elements, which the initializer checks.
        let text = CharsetText(utf8: single[unchecked: Int(lead & 0x7F)])
        if text != .none { return (text, 1) }

        guard offset + 1 < content.count else { return nil }
        let trail = content[offset + 1]
        let pair = self.text(row: Int(lead & 0x7F), trail: trail)
        return pair == .none ? longer(in: content, at: offset, lead, trail) : (pair, 2)
    }

    /// Returns the text of two bytes.
    /// - Parameter row: The number of the row in ``rows``.
    @inline(__always)
    private func text(row: Int, trail: UInt8) -> CharsetText {
        // There are 256 columns, and each row and column is inside the codes. The initializer checks both.
        let code = codes[unchecked: Int(rows[unchecked: row]) + Int(columns[unchecked: Int(trail)])]
        return code < 0x800 ? CharsetText(utf8: texts[Int(code)]) : CharsetText(threeBytes: code)
    }

    /// Returns the text of the triple or quadruple at `offset`. It is not inlined, because such sequences are rare.
    @inline(never)
    private func longer(
        in content: Span<UInt8>,
        at offset: Int,
        _ first: UInt8,
        _ second: UInt8
    ) -> (text: CharsetText, width: Int)? {
        let rest = content.count - offset
        if rows.count == 256, first == 0x8F, second >= 0x80, rest >= 3 {
            let triple = text(row: 128 + Int(second & 0x7F), trail: content[offset + 2])
            return triple == .none ? nil : (triple, 3)
        }
        if !ranges.isEmpty, rest >= 4, let text = quadruple(first, second, content[offset + 2], content[offset + 3]) {
            return (text, 4)
        }
        return nil
    }

    /// Returns the text of four bytes: WHATWG Encoding §10.2.1, and §5, index gb18030 ranges code point.
    private func quadruple(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> CharsetText? {
        guard 0x81...0xFE ~= first, 0x30...0x39 ~= second, 0x81...0xFE ~= third, 0x30...0x39 ~= fourth else {
            return nil
        }
        let leads = UInt32(first - 0x81) * 10 + UInt32(second - 0x30)
        let pointer = (leads * 126 + UInt32(third - 0x81)) * 10 + UInt32(fourth - 0x30)
        guard pointer < 39_420 || 189_000...1_237_575 ~= pointer else { return nil }
        // The last range that begins at the pointer or before it. The first one begins at 0.
        let last = (1..<ranges.count / 2).partitioningIndex { ranges[$0 * 2] > pointer } - 1
        return CharsetText(codePoint: ranges[last * 2 + 1] + pointer - ranges[last * 2])
    }
}
