import Serialization
import Testing

@Suite struct ContentSignatureTests {
    private func look(_ content: [UInt8], _ leniencies: Leniencies = []) -> ContentSignature? {
        ContentSignature(of: content.span, leniencies: leniencies)
    }

    @Test(
        arguments: [
            ("{}", .json), (" \n{\"a\":1}", .json), ("{", .json), ("{oops", nil), ("[1]", .json), ("[", .json),
            ("[info] started", nil), ("\"text\" ", .json), ("\"Hello,\" she said", nil), ("-1.5e3\n", .json),
            ("2026-01-01", .json), ("12 apples", nil), ("true", .json), ("trueish", nil), ("null ", .json),
            ("nothing", nil), ("", nil), ("  ", nil), ("\u{FEFF}{}", .json), ("hello", nil),
        ] as [(String, ContentSignature?)]
    )
    func `JSON is detected by its start, and a scalar also by its end`(text: String, signature: ContentSignature?) {
        #expect(ContentSignature(of: Array(text.utf8).span) == signature)
    }

    @Test(
        arguments: [
            ("<!DOCTYPE html>", .html), ("\n<HTML lang='en'>", .html), ("<p>", .html), ("<!-- note -->", .html),
            ("<title>x", .html), ("<pre>", .xml), ("<?xml version='1.0'?><a/>", .xml), ("<rss>", .xml),
            ("<!DOCTYPE rss>", .xml), ("< 5", nil), ("<3", nil), ("<?php", nil),
            ("<plist version='1.0'>", .xmlPropertyList), ("<?xml version='1.0'?><!DOCTYPE plist>", .xmlPropertyList),
            ("<svg>", .svg), ("<?xml version='1.0'?><svg>", .svg),
        ] as [(String, ContentSignature?)]
    )
    func `markup is recognized by its first tag`(text: String, signature: ContentSignature?) {
        #expect(ContentSignature(of: Array(text.utf8).span) == signature)
    }

    /// The parts that precede the root element have the length `count`, in each of them.
    @Test(arguments: [1, 400, 600, 1_100, 5_000, 100_000])
    func `the length of what precedes the root element has no influence`(count: Int) {
        let x = String(repeating: "x", count: count)
        let blank = String(repeating: "\n", count: count)
        let declaration = "<?xml version='1.0'?>"
        let prologs = [
            "<!-- \(x) -->", "\(blank)", "<?x \(x)?>", "<!DOCTYPE r PUBLIC '\(x)' \">\">",
            "<!DOCTYPE r [<!ENTITY a '\(x)]>'><!-- \(x)\"]> --><?x '?>]\(blank)>",
        ]
        let roots: [(String, ContentSignature)] = [
            ("<data>1</data>", .xml), ("<plist version='1.0'><true/></plist>", .xmlPropertyList), ("<svg/>", .svg),
            ("<r><plist/><svg/></r>", .xml),
        ]
        for (root, signature) in roots {
            // The root element of an SVG begins within 64 KiB.
            let signature = signature == .svg && count > 60_000 / prologs.count ? .xml : signature
            for prolog in prologs + [prologs.joined()] {
                #expect(look(Array((prolog + root).utf8)) == signature, "\(prolog.prefix(9)) \(root)")
                #expect(look(Array((declaration + prolog + root).utf8)) == signature, "\(prolog.prefix(9)) \(root)")
            }
        }
        #expect(look(Array("<!-- \(x) --><html>".utf8)) == .html)
        #expect(look(Array("<?xml version='1.0'?><!-- \(x) --><html>".utf8)) == .xml)
        let comments = "/* \(x) */ // \(x)\n\(blank)"
        #expect(look(Array((comments + "\"\(x)\" = \"\(x)\";").utf8)) == .textPropertyList)
        #expect(look(Array((comments + "{\"a\":1}").utf8), .comments) == .json)
        #expect(look(Array((comments + "{\(x):1}").utf8), [.comments, .unquotedKeys]) == .json)
    }

    @Test(arguments: [
        "<?xml version='1.0'?>\n<!-- x --><plist/>", "<!DOCTYPE plist [<!-- x -->]><plist/>", "/* x */\n a = b;",
        "\"x\" = b;", "a = \"x\";", "\"x\"", "<!-- x --><data>1</data>",
    ])
    func `the memory for content is that of its serializer, whatever precedes the value`(text: String) {
        let serializer = ResponseSerializer()
        var response = UpstreamResponse()
        if text.hasPrefix("<") { response.fields.append(name: "Content-Type", value: "application/xml") }
        for count in [10, 4_000, 4_050, 4_090, 4_096, 5_000] {
            let content = Array(text.replacing("x ", with: String(repeating: "x", count: count) + " ").utf8)
            let long = Array(text.replacing("\"x\"", with: "\"" + String(repeating: "x", count: count) + "\"").utf8)
            for content in [content, long] {
                let signature = look(content)
                let kind: SerializerKind = signature == .json ? .json : signature == .xml ? .xml : .plist
                #expect(signature != nil, "\(count)")
                let named = ResponseSerializer(options: Self.with(kind))
                let bytes = serializer.memoryBytes(for: content.span, of: response)
                #expect(bytes >= named.memoryBytes(for: content.span, of: response), "\(count)")
                #expect(content.count < 4_500 || !serializer.isShort(content.span, of: response))
            }
        }
    }

    private static func with(_ kind: SerializerKind) -> SerializationOptions {
        var options = SerializationOptions()
        options.serializer = .one(kind)
        return options
    }

    @Test(arguments: [
        ("<svg/>", (64 << 10) - 8, true), ("<svg/>", (64 << 10) + 1, false), ("<s:svg xmlns:s='urn:s'/>", 0, false),
    ])
    func `the root element of an SVG begins within 64 KiB`(root: String, bytes: Int, isRecognized: Bool) {
        let comment = "<!--" + String(repeating: " ", count: max(bytes - 7, 0)) + "-->"
        #expect((look(Array((comment + root).utf8)) == .svg) == isRecognized)
    }

    /// Whatever precedes the root, and however long it is.
    @Test(
        arguments: [
            ("<!-- was: <svg> --><svg/>", .svg), ("<?xml version='1.0'?><!-- <svg> --><a/>", .xml),
            ("<?xml version='1.0'?><a><svg/></a>", .xml), ("<!-- <svg> --><html>", .html),
            ("<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'svg11.dtd'><svg/>", .svg),
            ("<!DOCTYPE svg [<!ENTITY a ']>'><!-- ]> ' --><?p ]> ' ?>]><svg/>", .svg),
            ("<!DOCTYPE svg>", .xml), ("<!DOCTYPE html><svg/>", .html), ("<!-- c --> <!doctype HTML ><svg/>", .html),
            ("<?xml-stylesheet href='a'?><svg/>", .svg), ("<svg", .svg), ("<svgs/>", .xml),
            ("<!-- --> x <svg/>", .html),
            ("<s:svg xmlns:s='http://www.w3.org/2000/svg'/>", .svg), ("<svg:svg/>", .svg),
            ("<s:svg xmlns:s='urn:s'/>", .xml),
            ("<s:svg a=\"xmlns:s='http://www.w3.org/2000/svg'\"/>", .xml), ("<s:svg/>", .xml), ("<mysvg/>", .xml),
        ] as [(String, ContentSignature?)]
    )
    func `an SVG is recognized by its root element`(text: String, signature: ContentSignature?) {
        let wide = Array(text.utf8).flatMap { [$0, UInt8(0)] }
        #expect(look(Array(text.utf8)) == signature)
        #expect(look(wide) == signature)
        let entities = String(repeating: "<!ENTITY ns_a 'http://ns.adobe.com/'>", count: 300)
        let heads = ["<!--\(entities)-->", "<?xml version='1.0'?>\n<!DOCTYPE svg [\(entities)]>"]
        for head in heads where signature == .svg && !text.hasPrefix("<!DOCTYPE") {
            #expect(look(Array((head + text).utf8)) == .svg)
        }
    }

    @Test(
        arguments: [
            ("<a><b>1</b></a>", .xml), ("<a><b>1</b></A>\n", .xml), ("<table><row/></table >", .xml), ("<p/>", .xml),
            ("<!-- c --> <a></a>", .xml), ("<!-- c --><feed>", .xml), ("<!-- c --><html>", .html), ("<!-- c", .html),
            ("<p>one<p>two", .html), ("<b>bold</b> text", .html), ("<p>a</p><p>b", .html), ("<br>", .html),
            ("<html></html>", .html), ("<body></body>", .html), ("<a>", .html), ("<abbr>x</abbr>", .xml),
        ] as [(String, ContentSignature?)]
    )
    func `an element that also exists in HTML is XML if the content ends with it`(
        text: String,
        signature: ContentSignature?
    ) {
        let wide = Array(text.utf8).flatMap { [$0, UInt8(0)] }
        #expect(look(Array(text.utf8)) == signature)
        #expect(look(wide) == signature)
    }

    @Test(
        arguments: [
            ("{a:1}", .unquotedKeys), ("{ $a_1 : 1}", .unquotedKeys), ("{'a':1}", .singleQuotes),
            ("['a']", .singleQuotes),
            ("'a'", .singleQuotes), ("// c\n{\"a\":1}", .comments), ("/* c */ [1]", .comments), ("[/*c*/1]", .comments),
            ("NaN", .nan), ("[NaN]", .nan), ("[Infinity]", .nan),
        ] as [(String, Leniencies)]
    )
    func `JSON is recognized with the requested leniencies`(text: String, leniencies: Leniencies) {
        #expect(look(Array(text.utf8), leniencies) == .json)
        #expect(look(Array(text.utf8)) == nil)
    }

    @Test(
        arguments: [
            (#""a" = "b";"#, true), ("/* Title */\n\"a\"=\"b\";\n", true), ("// x\nkey = value;", true), ("a=b", false),
            ("a b", false), ("var x = 1;", false), ("a = b c;", false), ("\"a = 1;", false),
        ]
    )
    func `a strings file is recognized by its first member`(text: String, isStrings: Bool) {
        #expect(look(Array(text.utf8)) == (isStrings ? .textPropertyList : nil))
    }

    @Test(
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47], .png), ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg), (Array("GIF89a".utf8), .gif),
            (Array("RIFF\0\0\0\0WEBP".utf8), .webp), (Array("RIFF\0\0\0\0WAVE".utf8), nil),
            (Array("BM\0\0\0\0\0\0\0\0".utf8), .bmp), (Array("BMW and others".utf8), nil),
            (Array("II*\0".utf8), .tiff), ([0, 0, 1, 0], .icon), (Array("\0\0\0\u{1C}ftypavif".utf8), .avif),
            (Array("\0\0\0\u{1C}ftypheic".utf8), .heic), (Array("\0\0\0\u{1C}ftypmp42".utf8), .mp4),
            (Array("%PDF-1.7".utf8), .pdf), ([0x1F, 0x8B, 0x08, 0x00], .gzip), ([0x28, 0xB5, 0x2F, 0xFD], .zstd),
            (Array("PK\u{3}\u{4}".utf8), .zip), (Array("bplist00".utf8), .binaryPropertyList),
        ] as [([UInt8], ContentSignature?)]
    )
    func `binary formats are detected by their first bytes`(content: [UInt8], signature: ContentSignature?) {
        #expect(ContentSignature(of: content.span) == signature)
    }

    @Test(
        arguments: [
            (Array("SQLite format 3\0".utf8), .sqlite), (Array("PAR1\u{15}\u{4}".utf8), .parquet),
            (Array("ARROW1\0\0".utf8), .arrow), (Array("Obj\u{1}\u{4}\u{16}avro.schema".utf8), .avro),
            (Array("\u{7F}ELF\u{2}\u{1}".utf8), .elf), ([0x4D, 0x5A, 0x90, 0x00, 0x03], .portableExecutable),
            (Array("\0asm\u{1}\0\0\0".utf8), .webAssembly), (Array("\0\0\0 ftypisom".utf8), .mp4),
            (Array("\0\0\0 ftypcrx ".utf8), nil), (Array("\0\0\0 ftypavif\0\0\0\0mp41".utf8), .avif),
            ([0x1A, 0x45, 0xDF, 0xA3, 0x9F], .webm), (Array("ID3\u{4}\0\0".utf8), .mp3),
            (Array("OggS\0\u{2}".utf8), .ogg), (Array("Rar!\u{1A}\u{7}\u{1}\0".utf8), .rar),
            ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4], .sevenZip), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], .xz),
            (Array("BZh91AY&SY".utf8), .bzip2), (Self.tar("a.txt", "ustar\u{0}00"), .tar),
            (Self.tar("PAR1.txt", "ustar  \0"), .tar),
            ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .compoundFile),
            (Array("\0\u{1}\0\0\0\u{C}".utf8), .trueType), (Array("OTTO\0\u{C}".utf8), .openType),
            (Array("wOFF\0\u{1}\0\0".utf8), .woff), (Array("wOF2OTTO\0".utf8), .woff2),
        ] as [([UInt8], ContentSignature?)]
    )
    func `formats that no serializer reads are detected by their first bytes`(
        content: [UInt8],
        signature: ContentSignature?
    ) {
        #expect(ContentSignature(of: content.span) == signature)
    }

    @Test(arguments: [
        "SQLite format 3,a", "PAR1,PAR2", "PAR1\tb", "PAR1\u{1}b", "ARROW1,b", "Obj1,b", "Obj\u{1}Name", "\u{7F}ELF,b",
        "MZ,b", "num,ftypmp42", "ID3,b", "ID3\u{3}b", "OggS,b", "Rar!,b", "7z,b", "BZh9,b", "OTTO,b", "wOFF,b",
        String(repeating: "a,", count: 128) + "austar,b",
    ])
    func `names in a header are not signatures`(text: String) {
        #expect(look(Array(text.utf8)) == nil)
    }

    /// Returns the name of the first file in a tar archive, and what identifies the format.
    private static func tar(_ name: String, _ magic: String) -> [UInt8] {
        Array(name.utf8) + [UInt8](repeating: 0, count: 257 - name.utf8.count) + Array(magic.utf8)
    }

    @Test(
        arguments: [
            ([0x7B, 0, 0x7D, 0], .json), ([0, 0x7B, 0, 0x7D], .json), ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], .json),
            ([0xFE, 0xFF, 0, 0x5B, 0, 0x5D], .json), ([0x5B, 0, 0, 0, 0x5D, 0, 0, 0], .json),
            ([0, 0, 0, 0x5B, 0, 0, 0, 0x5D], .json), ([0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0], .json),
            ([0xFF, 0xFE, 0x3C, 0, 0x70, 0, 0x3E, 0], .html), ([0x7B, 0, 0x41, 0x01], nil),
        ] as [([UInt8], ContentSignature?)]
    )
    func `text is also detected in UTF-16 and UTF-32`(content: [UInt8], signature: ContentSignature?) {
        #expect(ContentSignature(of: content.span) == signature)
    }
}
