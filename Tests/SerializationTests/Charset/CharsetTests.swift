import Testing

@testable import Serialization

@Suite struct CharsetTests {
    @Test(arguments: [
        ("utf-8", Charset.utf8), ("UTF8", .utf8), ("iso-8859-1", .windows1252), ("ISO_8859-1:1987", .windows1252),
        ("latin1", .windows1252), ("us-ascii", .windows1252), ("iso-8859-9", .windows1254), ("tis-620", .windows874),
        ("gb2312", .gbk), ("x-sjis", .shiftJIS), ("ks_c_5601-1987", .eucKR), ("big5-hkscs", .big5),
        ("utf-16", .utf16LittleEndian), ("visual", .iso8859Part8), ("logical", .iso8859Part8Logical),
        (" \t\n\u{0C}\rKOI8-R\r\n ", .koi8R),
    ])
    func `labels have their meaning on the web`(label: String, charset: Charset) {
        #expect(Charset(label: label) == charset)
    }

    @Test(arguments: ["", " ", "utf-7", "utf-32", "iso-8859-17", "utf 8", "\u{A0}utf-8", "utf-8\0", "\u{212A}oi8-r"])
    func `an unknown label has no charset`(label: String) {
        #expect(Charset(label: label) == nil)
    }

    @Test(arguments: Charset.allCases)
    func `a name is a label of its charset, in lower case`(charset: Charset) {
        #expect(Charset(label: charset.name) == charset)
        #expect(charset.name == charset.name.lowercased())
    }

    /// Compares with the table of the standard (§4.2), `encodings.json` at the commit that `scripts/generate-charsets`
    /// names: one label and name per line, in order.
    @Test func `the labels are all those of the standard`() {
        var hash = Checksum()
        for (label, charset) in Charset.byLabel.sorted(by: { $0.key < $1.key }) {
            "\(label) \(charset.name)\n".utf8.forEach { hash.add($0) }
        }
        #expect(Charset.byLabel.count == 228)
        #expect(hash.value == 0x85DA_5612_C459_E35A)
    }
}
