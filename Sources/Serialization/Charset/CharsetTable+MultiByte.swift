// The tables of the multi-byte charsets are built with iconv: every possible sequence is converted once, which takes
// about 2 ms per charset. The positions at which the indexes of the WHATWG differ from the tables of glibc are then
// patched. The result equals the tables of the standard, sequence by sequence (CharsetTableTests compares a checksum of
// each).
//
// A static property is created by the first thread that accesses it, while others wait. No lock is needed.

extension CharsetTable {
    /// The table of WHATWG Encoding §10.2: GB18030-2022, except for `A3 A0`.
    static let gb18030: CharsetTable? = {
        guard let converter = CharsetConverter("GB18030") else { return nil }
        var table = CharsetTable(learningPairsOf: converter)
        // §10.2.1 step 6: the euro sign of GBK.
        table.single[0] = CharsetText("\u{20AC}")
        // The index has an ideographic space that is in use, and characters that GB18030-2022 omits or places elsewhere
        // than earlier editions did.
        table.patch(
            """
            A3A0\u{3000} \
            A6D9︐ A6DA︒ A6DB︑ A6DC︓ A6DD︔ A6DE︕ A6DF︖ A6EC︗ A6ED︘ A6F3︙ \
            FE51\u{E816} FE52\u{E817} FE53\u{E818} FE59龴 FE61龵 FE66龶 FE67龷 FE6C\u{E831} FE6D龸 FE76\u{E83B} \
            FE7E龹 FE90龺 FE91\u{E855} FEA0龻
            """
        )
        for lead in UInt8(0x81)...0x84 {
            for second in UInt8(0x30)...0x39 {
                for third in UInt8(0x81)...0xFE {
                    for fourth in UInt8(0x30)...0x39 where table.quadruples.count < 39_420 {
                        table.quadruples.append(converter.text(of: lead, second, third, fourth))
                    }
                }
            }
        }
        // The same characters again, as four bytes from 82 35 90 37 and 84 31 82 36.
        for (pointer, characters) in [(19_057, "龴龵龶龷龸龹龺龻"), (39_076, "︐︑︒︓︔︕︖︗︘︙")] {
            for (index, character) in characters.unicodeScalars.enumerated() {
                table.quadruples[pointer + index] = CharsetText(character)
            }
        }
        return table
    }()

    /// The table of WHATWG Encoding §11.1: Big5 with the Hong Kong extensions of 2008. The table of glibc differs in
    /// some punctuation, and lacks the duplicates and the symbols of older systems.
    static let big5: CharsetTable? = {
        guard let converter = CharsetConverter("BIG5-HKSCS") else { return nil }
        var table = CharsetTable(learningPairsOf: converter)
        table.patch(
            """
            8E69箸 8E6F簆 8E7E糎 8EAB緒 8EB4縝 8ECD者 8ED0耨 8F57菁 8F69蒨 8F6E萏 8FCB覦 8FCC覩 8FFE起 906D都 \
            907A銹 90DC靜 90F1響 91BF鼖 9244蔃 92AF兙 92B0兛 92B1兝 92B2兞 92C8鍮 92D1瑹 9447浧 94CA禛 95D9邗 \
            9644靝 96ED瀞 96FC嬨 9B76爁 9B78矗 9B7B纇 9BC6駖 9BDE釔 9BEC惞 9BF6澶 9C42輶 9C53侻 9C62營 9C68鄄 \
            9C6B鷰 9C77菏 9CBC尐 9CBD秣 9CD0婧 9D57輋 9D5A筑 9DC4拐 9EA9恢 9EEF痹 9EFD汊 9F60鬮 9F66鼗 9FCB僭 \
            9FD8弌 A063蠏 A077拎 A0D5瑨 A0DF煢 A0E4牐 A145‧ A14E﹑ A15A╴ A1C2¯ A1C3￣ A1C5ˍ A1E3～ A1F2⊕ \
            A1F3⊙ A1FE／ A240＼ A241∕ A242﹨ A244￥ A246￠ A247￡ A2CC十 A2CE卅 A3C0␀ A3C1␁ A3C2␂ A3C3␃ \
            A3C4␄ A3C5␅ A3C6␆ A3C7␇ A3C8␈ A3C9␉ A3CA␊ A3CB␋ A3CC␌ A3CD␍ A3CE␎ A3CF␏ A3D0␐ A3D1␑ \
            A3D2␒ A3D3␓ A3D4␔ A3D5␕ A3D6␖ A3D7␗ A3D8␘ A3D9␙ A3DA␚ A3DB␛ A3DC␜ A3DD␝ A3DE␞ A3DF␟ \
            A3E0␡ A3E1€ C6CF廴 C6D3无 C6D5癶 C6D7隶 C6DE〃 C6DF仝 FA5F倩 FA66偽 FABD包 FAC5卄 FAD5卿 FB48嘅 \
            FBB8婷 FBF3幵 FBF9廐 FC4F彘 FC6C悤 FCB9撐 FCE2晴 FCF1杞 FDB7沜 FDB8渝 FDBB港 FDF1煮 FE52猪 FE6F瑜 \
            FEAA瓩 FEDD砉
            """
        )
        return table
    }()

    /// The table of WHATWG Encoding §12.3: Windows code page 932.
    static let shiftJIS: CharsetTable? = {
        guard let converter = CharsetConverter("CP932") else { return nil }
        var table = CharsetTable(learningPairsOf: converter)
        for byte in UInt8(0xA1)...0xDF {
            table.single[Int(byte - 0x80)] = converter.text(of: byte)
        }
        // §12.3.1 step 5 maps 0x80 to itself.
        table.single[0] = CharsetText("\u{80}")
        return table
    }()

    /// The table of WHATWG Encoding §12.1. Its pairs are those of Shift_JIS in a different arrangement (the same index
    /// jis0208), some of which the EUC-JP of iconv lacks. Its triples (index jis0212) are those of iconv.
    static let eucJP: CharsetTable? = {
        guard let shiftJIS, let converter = CharsetConverter("EUC-JP") else { return nil }
        var table = CharsetTable(single: Array(repeating: .none, count: 128))
        table.pairs = Array(repeating: .none, count: 128 * 256)
        table.triples = table.pairs
        for kana in UInt8(0xA1)...0xDF {
            table.pairs[index(0x8E, kana)] = shiftJIS.single[Int(kana - 0x80)]
        }
        for row in UInt8(1)...94 {
            for cell in UInt8(1)...94 {
                // Shift_JIS combines two rows under one lead byte, and does not use 0x7F as a trail byte.
                let lead = (row - 1) / 2 + (row <= 62 ? 0x81 : 0xC1)
                let trail = row % 2 == 1 ? cell + (cell < 64 ? 0x3F : 0x40) : cell + 0x9E
                table.pairs[index(row + 0xA0, cell + 0xA0)] = shiftJIS.pairs[index(lead, trail)]
                table.triples[index(row + 0xA0, cell + 0xA0)] = converter.text(of: 0x8F, row + 0xA0, cell + 0xA0)
            }
        }
        return table
    }()

    /// The table of WHATWG Encoding §13.1: KS X 1001 and the Unified Hangul Code, Windows code page 949.
    static let eucKR: CharsetTable? = {
        guard let converter = CharsetConverter("UHC") else { return nil }
        return CharsetTable(learningPairsOf: converter)
    }()

    /// Converts every pair of a lead byte from 0x81 to 0xFE and a trail byte from 0x40 to 0xFE.
    private init(learningPairsOf converter: borrowing CharsetConverter) {
        self.init(single: Array(repeating: .none, count: 128))
        pairs = Array(repeating: .none, count: 128 * 256)
        for lead in UInt8(0x81)...0xFE where converter.text(of: lead) == .none {
            for trail in UInt8(0x40)...0xFE {
                pairs[Self.index(lead, trail)] = converter.text(of: lead, trail)
            }
        }
    }

    /// Sets the characters of pairs. Each entry is a pair and its character, such as `A3A0` and a character; spaces
    /// separate entries.
    private mutating func patch(_ places: String) {
        for place in places.unicodeScalars.split(separator: " ") {
            guard let pair = UInt16(String(place.prefix(4)), radix: 16), place.count == 5, let character = place.last
            else { preconditionFailure("a patch is four hexadecimal digits and a character") }
            pairs[Self.index(UInt8(pair >> 8), UInt8(pair & 0xFF))] = CharsetText(character)
        }
    }
}
