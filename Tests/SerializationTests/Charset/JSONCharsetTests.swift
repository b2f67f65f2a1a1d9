import Serialization
import Testing

/// formats.md §1: valid UTF-8 takes precedence over the label. Only other content is decoded according to its label.
@Suite struct JSONCharsetTests {
    private static let start = SourceLocation(byte: 0)

    @Test(arguments: [
        ("ISO-8859-1", "windows-1252", #"{"name":"Größe"}"#, "7B 22 6E 61 6D 65 22 3A 22 47 72 F6 DF 65 22 7D"),
        ("windows-1251", "windows-1251", #"["Привет"]"#, "5B 22 CF F0 E8 E2 E5 F2 22 5D"),
        // The last byte of 表 is a backslash in ASCII, and precedes a quote.
        ("Shift_JIS", "shift_jis", #"["表"]"#, "5B 22 95 5C 22 5D"),
        ("EUC-JP", "euc-jp", #"["日本語"]"#, "5B 22 C6 FC CB DC B8 EC 22 5D"),
        ("euc-kr", "euc-kr", #"["한국어"]"#, "5B 22 C7 D1 B1 B9 BE EE 22 5D"),
        ("GB2312", "gbk", #"["中文"]"#, "5B 22 D6 D0 CE C4 22 5D"),
        ("big5", "big5", #"["中文"]"#, "5B 22 A4 A4 A4 E5 22 5D"),
        // A byte order mark of GB18030.
        ("gb18030", "gb18030", #"["中文"]"#, "84 31 95 33 5B 22 D6 D0 CE C4 22 5D"),
    ])
    func `content that is not valid UTF-8 is decoded according to its label`(
        label: String,
        name: String,
        text: String,
        bytes: String
    ) throws {
        var warnings = [Warning(.transcoded(encoding: name), at: Self.start)]
        if bytes.hasPrefix("84 31 95 33") {
            warnings.append(Warning(.byteOrderMark(encoding: "utf-8"), at: Self.start))
        }
        #expect(
            try read(bytes.hexBytes, charset: label) == JSONReading(text: text, encoding: name, warnings: warnings)
        )
    }

    /// In GBK, `E4 BD A0 5C 22 FF` would end a string after two characters; in UTF-8 it continues. The kernel reads the
    /// invalid escape before the invalid byte, but the label is still used.
    @Test func `invalid UTF-8 at any offset makes the label count`() throws {
        let reading = try read("5B 22 E4 BD A0 5C 71 22 2C 22 C4 E3 22 5D".hexBytes, charset: "gbk")
        #expect(reading.text == #"["浣燶q","你"]"#)
    }

    @Test func `valid UTF-8 takes precedence over the label`() throws {
        let content = Array(#"["日本語"]"#.utf8)
        let reading = try read(content, charset: "Shift_JIS")
        #expect(reading.text == #"["日本語"]"#)
        #expect(reading.encoding == "utf-8")
        #expect(
            reading.warnings == [
                Warning(.charsetMismatch(declared: "Shift_JIS", actual: "utf-8"), at: SourceLocation(byte: 2))
            ]
        )
    }

    @Test(arguments: [nil, "utf-8", "UTF8", "utf-16", "utf-16be", "UTF-32"])
    func `without a label of another charset, invalid UTF-8 is rejected at its offset`(label: String?) {
        let error = refusal(of: "5B 22 47 72 F6 DF 65 22 5D".hexBytes, charset: label)
        #expect(error?.reason == .invalidEncoding("utf-8"))
        #expect(error?.location == SourceLocation(byte: 4, line: 1, column: 5, pointer: "/0"))
    }

    @Test(arguments: ["klingon", "iso-2022-kr", "ISO-2022-JP", "x-user-defined"])
    func `an unsupported charset is rejected at the first invalid UTF-8`(label: String) {
        #expect(
            refusal(of: "5B 22 47 72 F6 DF 65 22 5D".hexBytes, charset: label)
                == JSONError(.unsupportedCharset(label), at: SourceLocation(byte: 4, line: 1, column: 5))
        )
    }

    @Test func `a UTF-8 byte order mark takes precedence over the label, right or wrong`() {
        let error = refusal(of: "EF BB BF 5B 22 F6 22 5D".hexBytes, charset: "iso-8859-1")
        #expect(error?.reason == .invalidEncoding("utf-8"))
        #expect(error?.location.byte == 5)
    }

    @Test(arguments: [
        ("shift_jis", "5B 22 93 FA 95 22 5D", 4),
        ("euc-kr", "5B 22 B0 A1 C7", 4),
        ("windows-1255", "5B 22 F9 D9 22 5D", 3),
    ])
    func `text that is also malformed in its charset is rejected at its offset`(
        label: String,
        bytes: String,
        offset: Int
    ) {
        #expect(
            refusal(of: bytes.hexBytes, charset: label)
                == JSONError(.invalidEncoding(label), at: SourceLocation(byte: offset, line: 1, column: 4))
        )
    }

    @Test(arguments: [
        ("windows-1252", "5B 22 F6 22 2C 0A 20 78 5D", 7),
        ("shift_jis", "5B 22 93 FA 96 7B 22 2C 0A 20 78 5D", 10),
        ("gb18030", "5B 22 94 39 FC 36 D6 D0 22 2C 0A 20 78 5D", 12),
    ])
    func `an error's offset refers to the received bytes`(label: String, bytes: String, byte: Int) {
        let error = refusal(of: bytes.hexBytes, charset: label)
        #expect(error?.location == SourceLocation(byte: byte, line: 2, column: 2, pointer: "/1"))
        #expect(error?.found == "'x'")
    }

    @Test func `a warning's offset refers to the received bytes`() throws {
        // {"ö":1,"ö":2,"ö":3} in windows-1252: each ö is one byte.
        let content = "7B 22 F6 22 3A 31 2C 22 F6 22 3A 32 2C 22 F6 22 3A 33 7D".hexBytes
        let reading = try read(content, charset: "latin1")
        #expect(reading.text == #"{"ö":3}"#)
        let duplicates = reading.warnings.dropFirst()
        #expect(duplicates.allSatisfy { $0.kind == .duplicateName("ö", kept: .last) })
        let places = duplicates.compactMap { $0.location?.byte }
        #expect(places.count == 2)
        #expect(places.allSatisfy { content[$0] == UInt8(ascii: "\"") && content[$0 + 1] == 0xF6 })
        #expect(places == places.sorted())
        #expect(duplicates.allSatisfy { $0.first?.byte == 1 })
    }

    @Test func `duplicates beyond the list are counted`() throws {
        let member = "22 F6 22 3A 31".hexBytes
        let members = Array(repeating: member, count: 10_000).joined(separator: [UInt8(ascii: ",")])
        let content = [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")]
        let reading = try read(content, charset: "latin1")
        #expect(reading.text == #"{"ö":1}"#)
        #expect(reading.warnings.count == 101)
        #expect(reading.warnings.last?.kind == .truncated(count: 9_999 - 99))
    }
}
