// The data of a charset. All charsets equal ASCII below 0x80. From there, a sequence of one to four bytes encodes a
// text, and at most one of its prefixes does:
//
//     windows-1252   F6             ö          single[0x76]
//     Shift_JIS      93 FA          日         pairs[0x13FA]
//     EUC-JP         8F B0 A1       丂         triples[0x30A1], after the lead 8F
//     GB18030        81 30 81 30    U+0080     quadruples[0]; from pointer 189 000 on the planes above the first
//
// The tables of the single-byte charsets are in the source (CharsetTable+SingleByte.swift); the others are built with
// iconv on first use (CharsetTable+MultiByte.swift). After that, content is processed only by Swift code.

/// The sequences of one charset.
struct CharsetTable: Sendable {
    /// The texts of the 128 bytes from 0x80.
    var single: [CharsetText]
    /// The 128 × 256 texts of pairs, indexed by the lead byte minus 0x80 and the second byte; or empty.
    var pairs: [CharsetText] = []
    /// The texts of triples, indexed in the same way by the two bytes after the lead byte 0x8F.
    var triples: [CharsetText] = []
    /// The texts of quadruples, indexed by the pointer of the four bytes; only the Basic Multilingual Plane.
    var quadruples: [CharsetText] = []

    /// Returns the text of the sequence at `offset` and its length in bytes, or `nil` if it is malformed or truncated.
    @inline(__always)
    func next(in content: Span<UInt8>, at offset: Int) -> (text: CharsetText, width: Int)? {
        let lead = content[offset]
        if lead < 0x80 { return (CharsetText(utf8: UInt32(lead)), 1) }
        let text = single[Int(lead - 0x80)]
        return text == .none ? longer(in: content, at: offset, lead: lead) : (text, 1)
    }

    private func longer(in content: Span<UInt8>, at offset: Int, lead: UInt8) -> (text: CharsetText, width: Int)? {
        let rest = content.count - offset
        guard !pairs.isEmpty, rest >= 2 else { return nil }
        let second = content[offset + 1]
        let pair = pairs[Self.index(lead, second)]
        if pair != .none { return (pair, 2) }

        if !triples.isEmpty, lead == 0x8F, second >= 0x80, rest >= 3 {
            let triple = triples[Self.index(second, content[offset + 2])]
            return triple == .none ? nil : (triple, 3)
        }
        if !quadruples.isEmpty, rest >= 4,
            let text = quadruple(lead, second, content[offset + 2], content[offset + 3])
        {
            return (text, 4)
        }
        return nil
    }

    /// Returns the text of four bytes: WHATWG Encoding §10.2.1 step 5, and the index gb18030 ranges.
    private func quadruple(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> CharsetText? {
        guard 0x81...0xFE ~= first, 0x30...0x39 ~= second, 0x81...0xFE ~= third, 0x30...0x39 ~= fourth else {
            return nil
        }
        let leads = Int(first - 0x81) * 10 + Int(second - 0x30)
        let pointer = (leads * 126 + Int(third - 0x81)) * 10 + Int(fourth - 0x30)
        if pointer < quadruples.count { return quadruples[pointer] == .none ? nil : quadruples[pointer] }
        guard pointer >= 189_000 else { return nil }
        return Unicode.Scalar(UInt32(0x10000 + pointer - 189_000)).map { CharsetText($0) }
    }

    /// Returns the index of a pair in ``pairs``.
    static func index(_ lead: UInt8, _ trail: UInt8) -> Int {
        Int(lead - 0x80) << 8 | Int(trail)
    }
}
