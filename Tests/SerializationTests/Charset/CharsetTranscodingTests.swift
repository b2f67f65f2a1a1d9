import Serialization
import Testing

@Suite struct CharsetTranscodingTests {
    /// Text encoded by Python's codecs.
    @Test(arguments: [
        ("ibm866", "Привет", "8F E0 A8 A2 A5 E2"),
        ("iso-8859-2", "Zażółć", "5A 61 BF F3 B3 E6"),
        ("iso-8859-3", "Ĉiuĵaŭde", "C6 69 75 BC 61 FD 64 65"),
        ("iso-8859-4", "Āboliņš", "C0 62 6F 6C 69 F1 B9"),
        ("iso-8859-5", "Привет", "BF E0 D8 D2 D5 E2"),
        ("iso-8859-6", "\u{633}\u{644}\u{627}\u{645}", "D3 E4 C7 E5"),
        ("iso-8859-7", "Καλημέρα", "CA E1 EB E7 EC DD F1 E1"),
        ("iso-8859-8", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "F9 EC E5 ED"),
        ("iso-8859-8-i", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "F9 EC E5 ED"),
        ("iso-8859-10", "Þórður ŧ", "DE F3 72 F0 75 72 20 BB"),
        ("iso-8859-13", "Žąsis", "DE E0 73 69 73"),
        ("iso-8859-14", "Ŵy ḃ", "D0 79 20 A2"),
        ("iso-8859-15", "Œuvre 5 €", "BC 75 76 72 65 20 35 20 A4"),
        ("iso-8859-16", "București ș", "42 75 63 75 72 65 BA 74 69 20 BA"),
        ("koi8-r", "Привет", "F0 D2 C9 D7 C5 D4"),
        ("koi8-u", "Їжак", "B7 D6 C1 CB"),
        ("macintosh", "Größe", "47 72 9A A7 65"),
        ("windows-874", "สวัสดี", "CA C7 D1 CA B4 D5"),
        ("windows-1250", "Příliš", "50 F8 ED 6C 69 9A"),
        ("windows-1251", "Привет", "CF F0 E8 E2 E5 F2"),
        ("windows-1252", "Größe 5 €", "47 72 F6 DF 65 20 35 20 80"),
        ("windows-1253", "Καλημέρα", "CA E1 EB E7 EC DD F1 E1"),
        ("windows-1254", "İğdır", "DD F0 64 FD 72"),
        ("windows-1255", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "F9 EC E5 ED"),
        ("windows-1256", "\u{633}\u{644}\u{627}\u{645}", "D3 E1 C7 E3"),
        ("windows-1257", "Žąsis", "DE E0 73 69 73"),
        ("windows-1258", "Đ\u{1B0}\u{1A1}\u{301}i €", "D0 FD F5 EC 69 20 80"),
        ("x-mac-cyrillic", "Привет", "8F F0 E8 E2 E5 F2"),
        ("gbk", "中文，你好", "D6 D0 CE C4 A3 AC C4 E3 BA C3"),
        ("gb18030", "中文 ɐ 😀", "D6 D0 CE C4 20 81 30 AB 37 20 94 39 FC 36"),
        ("big5", "中文，你好", "A4 A4 A4 E5 A1 41 A7 41 A6 6E"),
        ("big5", "嘅 \u{CA}\u{304}", "9D EF 20 88 62"),
        ("euc-jp", "日本語 ｱ 丂", "C6 FC CB DC B8 EC 20 8E B1 20 8F B0 A1"),
        ("shift_jis", "日本語 ｱ ① 表", "93 FA 96 7B 8C EA 20 B1 20 87 40 20 95 5C"),
        ("euc-kr", "한국어 똠", "C7 D1 B1 B9 BE EE 20 8C 63"),
        ("utf-8", "Größe", "47 72 C3 B6 C3 9F 65"),
        ("utf-16le", "日本 😀", "E5 65 2C 67 20 00 3D D8 00 DE"),
        ("utf-16be", "日本 😀", "65 E5 67 2C 00 20 D8 3D DE 00"),
    ])
    func `decoding restores the encoded text`(label: String, text: String, bytes: String) throws {
        let content = bytes.hexBytes
        let charset = try #require(Charset(label: label))
        #expect(try String(decoding: charset.transcode(content.span), as: UTF8.self) == text)
        #expect(
            try charset.transcode([0x7B, 0x22, 0x5C, 0x7E, 0x00].asUnits(of: charset).span) == Array("{\"\\~\0".utf8)
        )
    }

    @Test(arguments: [
        // Bytes that are not assigned.
        ("iso-8859-3", "41 A5", 1),
        ("iso-8859-6", "41 42 FF", 2),
        ("windows-1255", "D9", 0),
        ("windows-874", "DB 41", 0),
        ("shift_jis", "93 FA A0", 2),
        ("euc-jp", "C6 FC 80", 2),
        ("euc-kr", "B0 A1 FF 41", 2),
        ("big5", "80", 0),
        ("gbk", "D6 D0 FF", 2),
        // Malformed sequences.
        ("shift_jis", "41 93 3D", 1),
        ("euc-jp", "41 C6 5C", 1),
        ("euc-jp", "41 8F A1 A1", 1),
        ("euc-kr", "41 C7 7B", 1),
        ("big5", "A4 A4 A4 20", 2),
        ("gb18030", "D6 D0 84 31 A4 40", 2),
        ("gb18030", "84 31 A5 30", 0),
        ("gb18030", "E3 32 9A 36", 0),
        // Sequences that are truncated by the end.
        ("shift_jis", "93 FA 93", 2),
        ("euc-jp", "C6 FC 8F B0", 2),
        ("euc-kr", "C7 D1 B1", 2),
        ("big5", "A4 A4 A4", 2),
        ("gbk", "D6", 0),
        ("gb18030", "D6 D0 94 39 FC", 2),
        ("utf-8", "41 C3", 1),
        ("utf-16le", "E5 65 3D D8", 2),
    ])
    func `malformed text is rejected at its first byte`(label: String, bytes: String, offset: Int) throws {
        let content = bytes.hexBytes
        let charset = try #require(Charset(label: label))
        #expect(throws: CharsetError.malformed(at: offset)) { try charset.transcode(content.span) }
        // Offsets are relative to the start of the content, not of the text.
        let longer = [0x41, 0x41] + content
        let start = charset.unitBytes * 2 - 2
        if charset.unitBytes == 1 {
            #expect(throws: CharsetError.malformed(at: offset + 2)) { try charset.transcode(longer.span, from: start) }
        }
    }

    @Test(arguments: ["iso-2022-jp", "hz-gb-2312", "iso-2022-kr", "x-user-defined"])
    func `some charsets are recognized but not supported`(label: String) throws {
        let charset = try #require(Charset(label: label))
        let content: [UInt8] = [0x41]
        #expect(throws: CharsetError.unsupported(charset)) { try charset.transcode(content.span) }
    }

    @Test(arguments: [
        ("windows-1252", "Größe €", [0, 1, 2, 2, 3, 3, 4, 5, 6, 6, 6, 7]),
        ("shift_jis", "a日ｱ", [0, 1, 1, 1, 3, 3, 3, 4]),
        ("gb18030", "文ɐ😀!", [0, 0, 0, 2, 2, 6, 6, 6, 6, 10, 11]),
        ("big5", "\u{CA}\u{304}中", [0, 0, 0, 0, 2, 2, 2, 4]),
        ("euc-jp", "丂\0日", [0, 0, 0, 3, 4, 4, 4, 6]),
        ("utf-16be", "é😀", [0, 0, 2, 2, 2, 2, 6]),
        ("utf-8", "é", [0, 1, 2]),
    ])
    func `an offset in the text maps to its sequence in the content`(
        label: String,
        text: String,
        offsets: [Int]
    ) throws {
        let charset = try #require(Charset(label: label))
        let content = try #require(Self.contents[text])
        #expect(try charset.transcode(content.span) == Array(text.utf8))
        #expect(offsets.indices.map { charset.offset(ofUTF8: $0, in: content.span) } == offsets)
        #expect(charset.offsets(ofUTF8: Array(offsets.indices), in: content.span) == offsets)
    }

    private static let contents: [String: [UInt8]] = [
        "Größe €": "47 72 F6 DF 65 20 80".hexBytes,
        "a日ｱ": "61 93 FA B1".hexBytes,
        "文ɐ😀!": "CE C4 81 30 AB 37 94 39 FC 36 21".hexBytes,
        "\u{CA}\u{304}中": "88 62 A4 A4".hexBytes,
        "丂\0日": "8F B0 A1 00 C6 FC".hexBytes,
        "é😀": "00 E9 D8 3D DE 00".hexBytes,
        "é": "C3 A9".hexBytes,
    ]
}

extension String {
    /// The bytes of a text such as `41 A5`.
    var hexBytes: [UInt8] {
        split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
}

extension Charset {
    fileprivate var unitBytes: Int {
        self == .utf16LittleEndian || self == .utf16BigEndian ? 2 : 1
    }
}

extension [UInt8] {
    /// ASCII characters as code units of the charset.
    fileprivate func asUnits(of charset: Charset) -> [UInt8] {
        switch charset {
        case .utf16LittleEndian: flatMap { [$0, 0] }
        case .utf16BigEndian: flatMap { [0, $0] }
        default: self
        }
    }
}
