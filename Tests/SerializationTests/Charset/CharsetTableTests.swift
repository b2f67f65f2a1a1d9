import Serialization
import Testing

/// Compares every table with that of the standard, sequence by sequence.
///
/// The checksums were computed with encoding_rs 0.8.31, the implementation by the editor of the standard, after moving
/// the 18 pairs of GB18030 to their positions in the standard since its edition of 2022. Every sequence was decoded
/// alone: bytes from 0x80; for multi-byte charsets, those bytes with any second byte; for EUC-JP, `8F` and two bytes
/// from 0x80; for GB18030, the first 39 420 sequences of four bytes. The checksum is FNV-1a over the UTF-8 of each, or
/// `FF` for none.
@Suite struct CharsetTableTests {
    @Test(
        arguments: [
            ("ibm866", 128, 0x1FC2571F04806DCA),
            ("iso-8859-2", 128, 0x588024DC95E3E2B6),
            ("iso-8859-3", 121, 0xA2FFA7825BCAD263),
            ("iso-8859-4", 128, 0x91E374CB717C9E0F),
            ("iso-8859-5", 128, 0xB83ADA894CDB942F),
            ("iso-8859-6", 83, 0xCDB6AC640D43314A),
            ("iso-8859-7", 125, 0x697F010AA6A1969D),
            ("iso-8859-8", 92, 0xB76F67614C1986D5),
            ("iso-8859-8-i", 92, 0xB76F67614C1986D5),
            ("iso-8859-10", 128, 0xF6255D1C555EA19B),
            ("iso-8859-13", 128, 0xC6295F216259D2E1),
            ("iso-8859-14", 128, 0xDC6E3A7B6097D8B5),
            ("iso-8859-15", 128, 0x5DF0B681D68EED40),
            ("iso-8859-16", 128, 0x67E71470C2C3C702),
            ("koi8-r", 128, 0x0525656E2FBD23BD),
            ("koi8-u", 128, 0x042B0ACD8C134FC1),
            ("macintosh", 128, 0xF8632623AB537BB5),
            ("windows-874", 120, 0x7D51AD62B6B6FD33),
            ("windows-1250", 128, 0x6CCEF6573D6D9235),
            ("windows-1251", 128, 0x9448B7D066A753A5),
            ("windows-1252", 128, 0x29CCFE220DC0C01A),
            ("windows-1253", 125, 0x132F7E32269F6E10),
            ("windows-1254", 128, 0x29E5A164D75B4794),
            ("windows-1255", 118, 0x12BF334BEFCCE787),
            ("windows-1256", 128, 0xE1F9D9190525E0CB),
            ("windows-1257", 126, 0x53D1E5D7289DBF7E),
            ("windows-1258", 128, 0xFFED1FCE560D4F03),
            ("x-mac-cyrillic", 128, 0x18E067F8C866B605),
            ("gbk", 24070, 0x8A201C1B10A3E2D6),
            ("gb18030", 63490, 0x94B9948DF0614C25),
            ("big5", 18594, 0x2BA2426BC4453E41),
            ("shift_jis", 21956, 0xC00D05267AA2604D),
            ("euc-jp", 13466, 0x861557AA1308AAAF),
            ("euc-kr", 17048, 0xADF511AC7D66E2F9),
        ] as [(String, Int, UInt64)]
    )
    func `tables equal those of the standard`(name: String, count: Int, checksum: UInt64) throws {
        let charset = try #require(Charset(label: name))
        var accepted = 0
        var hash = Checksum()
        for sequence in Self.sequences(of: charset) {
            if let text = try? charset.transcode(sequence.span) {
                accepted += 1
                text.forEach { hash.add($0) }
            } else {
                hash.add(0xFF)
            }
        }
        #expect((accepted, hash.value) == (count, checksum))
    }

    private static func sequences(of charset: Charset) -> [[UInt8]] {
        let upper = UInt8(0x80)...0xFF
        var sequences = upper.map { [$0] }
        switch charset {
        case .gbk, .gb18030, .big5, .shiftJIS, .eucJP, .eucKR:
            sequences += upper.flatMap { lead in (UInt8(0)...0xFF).map { [lead, $0] } }
        default: break
        }
        if charset == .eucJP { sequences += upper.flatMap { second in upper.map { [0x8F, second, $0] } } }
        if charset == .gb18030 {
            sequences += (0..<39_420).map { pointer in
                let first = 0x81 + pointer / 12_600
                let second = 0x30 + pointer / 1_260 % 10
                return [first, second, 0x81 + pointer / 10 % 126, 0x30 + pointer % 10].map { UInt8($0) }
            }
        }
        return sequences
    }

    @Test func `four bytes of GB18030 encode every supplementary character`() throws {
        for (bytes, text) in [("90 30 81 30", "\u{10000}"), ("94 39 FC 36", "😀"), ("E3 32 9A 35", "\u{10FFFF}")] {
            #expect(try Charset.gb18030.transcode(bytes.hexBytes.span) == Array(text.utf8))
        }
    }
}

struct Checksum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
