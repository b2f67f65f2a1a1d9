import Encoders
import Testing

@testable import Serialization

/// Tests of content that is not in its declared coding: clients keep the field after they have decoded the coding.
@Suite struct MislabelledContentTests {
    static let texts = [
        "{\"a\":1}", "[]", "[1,2]", "\"text\"", "true", "null", "0", "80", "x", "x^", "hC", "(a)", "P*M", "(", "<a/>",
        "K",
        "plain text", "\u{FEFF}{}", "{\"ü\":\"😀\"}", "{\n  \"a\": 1\n}", " ", "8", "x8=8",
    ]

    @Test(arguments: texts, ContentCoding.allCases)
    func `text is used as it is`(text: String, coding: ContentCoding) throws {
        let decoding = try Decoding(Array(text.utf8), coding.rawValue)
        #expect(decoding.bytes == nil)
        #expect(decoding.codings.error == nil)
        #expect(decoding.codings.codings == [])
        #expect(decoding.codings.decodedBytes == nil)
        #expect(decoding.codings.warnings == [Warning(.notEncoded(coding), at: SourceLocation(byte: 0))])
    }

    /// These bytes are the brotli coding of empty content.
    @Test(arguments: ["3", ";"])
    func `text that is the coding of empty content is decoded`(text: String) throws {
        #expect(try Decoding(Array(text.utf8), "br").flawless == [])
        #expect(try Decoding(Array((text + text).utf8), "br").warnings == ["encoding.not_encoded"])
    }

    /// The first bytes are the coding of empty content. The bytes after them must not be lost.
    @Test(
        arguments: [("br", [0x06, 0x93, 0x01, 0x02, 0x80]), ("deflate", [0x03, 0x00, 0x80, 0x81, 0x82])]
            as [(String, [UInt8])]
    )
    func `bytes that begin like the coding of empty content are not empty content`(coding: String, content: [UInt8])
        throws
    {
        #expect(try Decoding(content, coding).error == .corrupt(part: .data))
        #expect(try Decoding(Encoder.gzip.encode(content), coding + ",gzip").error == .corrupt(part: .data))
    }

    @Test func `the header of zlib with a control character is not text`() throws {
        #expect(try Decoding(Array("x\u{1}".utf8), "deflate").error == .truncated)
    }

    @Test(arguments: ContentCoding.allCases)
    func `long text is used as it is`(coding: ContentCoding) throws {
        for count in [511, 512, 513, 5_000, 300_000] {
            #expect(try Decoding(sampleText(count), coding.rawValue).warnings == ["encoding.not_encoded"])
            // A character is incomplete at the end of the bytes that are examined.
            let text = Array(String(repeating: "é漢😀", count: count / 9).utf8)
            for shift in 0..<4 {
                let shifted = [UInt8](repeating: 0x20, count: shift) + text
                #expect(
                    try Decoding(shifted, coding.rawValue).warnings == ["encoding.not_encoded"],
                    "\(count) \(shift)"
                )
            }
        }
    }

    @Test func `images are used as they are`() throws {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 1, 2]
        for coding in ContentCoding.allCases {
            #expect(try Decoding(png, coding.rawValue).warnings == ["encoding.not_encoded"])
        }
    }

    @Test(arguments: Encoder.allCases, Encoder.allCases)
    func `the outer of two codings was decoded`(inner: Encoder, outer: Encoder) throws {
        let text = sampleText(5_000)
        guard inner.coding != outer.coding else { return }
        let decoding = try Decoding(inner.encode(text), "\(inner.coding),\(outer.coding)")
        // Data without a signature is not detected inside a coding without one.
        if !inner.hasChecksum, outer.coding == "deflate" || outer.coding == "br" {
            #expect(decoding.error != nil)
        } else {
            #expect(decoding.bytes == text)
            #expect(decoding.warnings == ["encoding.not_encoded"])
            #expect(decoding.codings.codings.map(\.rawValue) == [inner.coding])
        }
    }

    @Test(arguments: Encoder.allCases, Encoder.allCases)
    func `the inner of two codings was decoded`(inner: Encoder, outer: Encoder) throws {
        for text in [sampleText(5_000), sampleText(100_000), Array("[]".utf8), Array("80".utf8)] {
            let decoding = try Decoding(outer.encode(text), "\(inner.coding),\(outer.coding)", stops: [0, 100])
            #expect(decoding.bytes == text)
            #expect(decoding.warnings == ["encoding.not_encoded"])
            #expect(decoding.codings.codings.map(\.rawValue) == [outer.coding])
            #expect(decoding.codings.decodedBytes == text.count)
        }
    }

    @Test func `the coding in the middle was not applied`() throws {
        let text = sampleText(5_000)
        let encoded = Encoder.zstd.encode(Encoder.gzip.encode(text))
        for middle in ContentCoding.allCases {
            let decoding = try Decoding(encoded, "gzip,\(middle.rawValue),zstd")
            #expect(decoding.bytes == text, "\(middle)")
            #expect(decoding.codings.warnings.map(\.code) == ["encoding.not_encoded"])
        }
    }

    @Test func `all of several codings were decoded`() throws {
        let decoding = try Decoding(Array("{}".utf8), "gzip, deflate, br, zstd")
        #expect(decoding.bytes == nil)
        #expect(
            decoding.codings.warnings.map(\.kind) == [
                .notEncoded(.zstd), .notEncoded(.br), .notEncoded(.deflate), .notEncoded(.gzip),
            ]
        )
    }

    @Test(
        arguments: [
            ([0x1F, 0x8B], "gzip"), ([0x1F, 0x8B, 8, 0], "gzip"), ([0x1F, 0x8B, 9, 0, 0, 0, 0, 0, 0, 0, 0], "gzip"),
            ([0x1F], "gzip"), ([0x28, 0xB5], "zstd"), ([0x28, 0xB5, 0x2F, 0xFD, 0xFF], "zstd"),
            ([0x78, 0x9C, 0xFF, 0xFF], "deflate"),
            ([0xFF, 0x00, 0x13], "br"), ([0xFF, 0x00, 0x13], "deflate"),
        ] as [([UInt8], String)]
    )
    func `content with the signature that does not decode is an error`(content: [UInt8], coding: String) throws {
        let decoding = try Decoding(content, coding)
        #expect(decoding.error != nil)
        #expect(decoding.warnings == [])
    }

    @Test func `the signature decides whether content may be in a coding`() {
        func mayBegin(_ content: [UInt8], _ name: String) -> Bool { ContentCoding.mayBegin(content.span, in: name) }
        for encoder in Encoder.allCases {
            let content = encoder.encode(sampleText(300))
            #expect(mayBegin(content, encoder.coding))
            #expect(!mayBegin(sampleText(300), encoder.coding))
            let signature = ContentCoding(signatureOf: content.span)
            #expect(signature == (encoder.hasChecksum ? ContentCoding(name: encoder.coding) : nil))
        }
        let gzip = Encoder.gzip.encode([1])
        #expect(mayBegin(gzip, "x-gzip"))
        // Codings without a signature, or that are not known.
        #expect(mayBegin(gzip, "br"))
        #expect(mayBegin([0x1F, 0x9D, 0x90], "compress"))
        #expect(!mayBegin(Array("{}".utf8), "compress"))
    }

    @Test func `a damaged inner coding is an error`() throws {
        var inner = Encoder.gzip.encode(sampleText(1_000))
        inner[40] ^= 0x55
        let decoding = try Decoding(Encoder.brotli.encode(inner), "gzip,br")
        #expect(decoding.error != nil)
        #expect(decoding.warnings == [])
    }
}
