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
            (Array("\0\0\0\u{1C}ftypheic".utf8), .heic), (Array("\0\0\0\u{1C}ftypmp42".utf8), nil),
            (Array("%PDF-1.7".utf8), .pdf), ([0x1F, 0x8B, 0x08, 0x00], .gzip), ([0x28, 0xB5, 0x2F, 0xFD], .zstd),
            (Array("PK\u{3}\u{4}".utf8), .zip), (Array("bplist00".utf8), .binaryPropertyList),
        ] as [([UInt8], ContentSignature?)]
    )
    func `binary formats are detected by their first bytes`(content: [UInt8], signature: ContentSignature?) {
        #expect(ContentSignature(of: content.span) == signature)
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
