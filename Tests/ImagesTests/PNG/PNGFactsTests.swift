import Testing

@testable import Images
@testable import Serialization

@Suite struct PNGFactsTests {
    @Test(
        arguments: [
            (0, 1, .gray, 1, false), (0, 16, .gray, 1, false), (2, 8, .rgb, 3, false), (3, 4, .palette, 1, false),
            (4, 8, .gray, 2, true), (6, 16, .rgb, 4, true),
        ] as [(UInt8, UInt8, ImageColor.Model, Int, Bool)]
    )
    func `reports the colour facts in the header`(
        colorType: UInt8,
        depth: UInt8,
        model: ImageColor.Model,
        channels: Int,
        alpha: Bool
    ) throws {
        let facts = try header(PNGBuilder(depth: depth, colorType: colorType, interlaced: alpha).finished())
        #expect(facts.width == 3 && facts.height == 2 && facts.frames == 1)
        #expect(facts.color.model == model && facts.color.channels == channels && facts.color.alpha == alpha)
        #expect(facts.color.bitsPerChannel == Int(depth))
        #expect(facts.coding.progressive == alpha)
        #expect(facts.integrity == ImageIntegrity(.complete, checked: .structure))
    }

    @Test(arguments: [(0, 3), (1, 8), (2, 4), (3, 16), (5, 8), (7, 8)] as [(UInt8, UInt8)])
    func `rejects a depth that its colour type does not allow`(colorType: UInt8, depth: UInt8) {
        #expect(throws: ImageError(.corrupt(part: "IHDR"), at: 8)) {
            try header(PNGBuilder(depth: depth, colorType: colorType).finished())
        }
    }

    @Test func `a palette with tRNS has alpha`() throws {
        var png = PNGBuilder(colorType: 3)
        png.add("PLTE", [1, 2, 3])
        png.add("tRNS", [0])
        #expect(try header(png.finished()).color.alpha == true)
    }

    @Test func `a wrong checksum is reported at its chunk`() throws {
        var broken = PNGBuilder().finished()
        broken[20] ^= 1
        #expect(throws: ImageError(.corrupt(part: "IHDR"), at: 8)) { try header(broken) }
        var png = PNGBuilder(colorType: 3)
        png.add("PLTE", [1, 2, 3])
        var palette = png.finished()
        palette[33 + 8] ^= 1
        #expect(
            try header(palette).integrity
                == ImageIntegrity(.corrupt, checked: .structure, byte: 33, part: "PLTE")
        )
    }

    @Test func `an early end is truncated, further bytes are trailing, missing data is corrupt`() throws {
        let whole = PNGBuilder().finished()
        for count in 34..<whole.count {
            let facts = try header(Array(whole[..<count]))
            #expect(facts.integrity == ImageIntegrity(.truncated, checked: .structure, byte: count))
        }
        for count in 8..<33 {
            #expect(throws: ImageError(.truncated, at: count)) { try header(Array(whole[..<count])) }
        }
        let trailing = ImageIntegrity(.trailingBytes, checked: .structure, byte: whole.count)
        #expect(try header(whole + [0]).integrity == trailing)
        var empty = PNGBuilder()
        empty.add("IEND")
        #expect(
            try header(empty.bytes).integrity
                == ImageIntegrity(.corrupt, checked: .structure, byte: 33, part: "IDAT")
        )
    }

    @Test func `texts of all three kinds, keyword by keyword`() throws {
        var png = PNGBuilder()
        png.add("tEXt", .ascii("Title\0caf") + [0xE9])
        png.add("zTXt", .ascii("Comment\0\0") + PNGBuilder.stored(.ascii("long")))
        png.add("iTXt", .ascii("Author\0\0\0de\0Autor\0é"))
        png.add("iTXt", .ascii("XML:com.adobe.xmp\0\0\0\0\0<?xpacket?> <x:xmpmeta>a</x:xmpmeta>  "))
        let content = png.finished()
        let facts = try header(content)
        #expect(facts.texts.map(\.keyword) == ["Title", "Comment", "Author"])
        #expect(facts.flaws == [])
        let json = self.json(facts, content)
        #expect(json.contains(#""text":{"Title":"café","Comment":"long","Author":"é"}"#))
        #expect(json.contains(#""xmp":"<x:xmpmeta>a</x:xmpmeta>""#))
        #expect(try header(content) { $0.exif = .public }.texts == [])
    }

    @Test func `a keyword that occurs twice has an array`() throws {
        var png = PNGBuilder()
        png.add("tEXt", .ascii("A\01"))
        png.add("tEXt", .ascii("B\02"))
        png.add("tEXt", .ascii("A\03"))
        let content = png.finished()
        #expect(json(try header(content), content).contains(#""text":{"A":["1","3"],"B":"2"}"#))
    }

    @Test func `compressed text that is broken or too long is omitted and located`() throws {
        var png = PNGBuilder()
        png.add("zTXt", .ascii("Comment\0\0not zlib"))
        png.add("zTXt", .ascii("Bomb\0\0") + PNGBuilder.stored([UInt8](repeating: 65, count: 65_535), times: 17))
        let facts = try header(png.finished())
        #expect(facts.texts == [])
        #expect(facts.flaws.map(\.part) == ["zTXt", "zTXt"])
        #expect(facts.flaws[0].byte == 33)
        #expect(facts.integrity.verdict == .complete)
    }

    @Test func `an animation has its loops and delays, up to the limit`() throws {
        var png = PNGBuilder()
        png.add("acTL", .big32(3) + .big32(5))
        for (numerator, denominator) in [(1, 10), (3, 0), (1, 3)] {
            let place: [UInt8] = .big32(0) + .big32(3) + .big32(2) + .big32(0) + .big32(0)
            png.add("fcTL", place + .big16(numerator) + .big16(denominator) + [0, 0])
        }
        let animation = ImageAnimation(loops: 5, durationMilliseconds: 463, delaysMilliseconds: [100, 30, 333])
        let facts = try header(png.finished())
        #expect(facts.animation == animation && facts.frames == 3 && facts.mediaType == "image/apng")
        #expect(try header(png.finished()) { $0.maxFrames = 1 }.animation?.delaysMilliseconds == [100])
    }

    private func json(_ facts: ImageFacts, _ content: [UInt8]) -> String {
        var writer = JSONWriter()
        writer.image(facts, .typed, content.span)
        return String(decoding: [UInt8](writer.finish()), as: UTF8.self)
    }

    /// Stored blocks have no ratio, so the lengths are those of the content: 256 KiB.
    @Test func `texts that cannot be decompressed use up the limit of all texts`() throws {
        let block = [UInt8](repeating: 65, count: 60_000)
        for type in ["zTXt", "iTXt"] {
            var png = PNGBuilder()
            let head: [UInt8] = .ascii(type == "zTXt" ? "Comment\0\0" : "Comment\0\u{1}\0\0\0")
            // Everything is decompressed, and the checksum is wrong.
            for _ in 0..<20 { png.add(type, head + PNGBuilder.stored(block).dropLast() + [0xEE]) }
            let small = head + PNGBuilder.stored(.ascii("text"))
            png.add(type, small)
            let facts = try header(png.finished())
            #expect(facts.texts == [])
            #expect(facts.flaws.count + facts.unlistedFlawCount == 21)
            var other = PNGBuilder()
            for _ in 0..<4 { other.add(type, head + PNGBuilder.stored(block).dropLast() + [0xEE]) }
            other.add(type, small)
            #expect(try header(other.finished()).texts.map(\.keyword) == ["Comment"])
        }
    }

    @Test func `at most a thousand texts are decompressed, also if they are malformed`() throws {
        for count in [999, 1_000] {
            var png = PNGBuilder()
            for _ in 0..<count { png.add("zTXt", .ascii("a\0\0x")) }
            png.add("zTXt", .ascii("b\0\0") + PNGBuilder.stored(.ascii("text")))
            let facts = try header(png.finished())
            #expect(facts.texts.map(\.keyword) == (count < 1_000 ? ["b"] : []))
            #expect(
                facts.flaws.count == 16 && facts.flaws.count + facts.unlistedFlawCount == (count < 1_000 ? 999 : 1_001)
            )
        }
    }

    @Test func `the first profile and the first XMP count`() throws {
        func profileChunk(_ description: String) -> [UInt8] {
            .ascii("name\0\0") + PNGBuilder.stored(profile(description: description))
        }
        var png = PNGBuilder()
        png.add("iCCP", profileChunk("First"))
        png.add("iCCP", profileChunk("Second"))
        png.add("iTXt", .ascii("XML:com.adobe.xmp\0\u{1}\0\0\0") + PNGBuilder.stored(.ascii("one")))
        png.add("iTXt", .ascii("XML:com.adobe.xmp\0\u{1}\0\0\0not zlib"))
        let facts = try header(png.finished())
        #expect(facts.color.profile?.description == "First" && facts.xmp == .text("one") && facts.flaws == [])
        var broken = PNGBuilder()
        broken.add("iCCP", .ascii("name\0\0not zlib"))
        broken.add("iCCP", profileChunk("Second"))
        let second = try header(broken.finished())
        #expect(second.color.profile == nil && second.flaws == [ImageFlaw(byte: 33, part: "iCCP")])
    }

    @Test func `a broken text is named after its chunk`() throws {
        var png = PNGBuilder()
        for type in ["tEXt", "zTXt", "iTXt"] { png.add(type, .ascii("\0no keyword")) }
        #expect(try header(png.finished()).flaws.map(\.part) == ["tEXt", "zTXt", "iTXt"])
    }

    @Test func `compressed international texts are read like others`() throws {
        func png(_ keyword: String, _ text: [UInt8]) -> (plain: [UInt8], compressed: [UInt8]) {
            var (plain, compressed) = (PNGBuilder(), PNGBuilder())
            plain.add("iTXt", .ascii(keyword + "\0\0\0\0\0") + text)
            compressed.add("iTXt", .ascii(keyword + "\0\u{1}\0\0\0") + PNGBuilder.stored(text))
            return (plain.finished(), compressed.finished())
        }
        for (keyword, text, expected) in [
            ("Title", .ascii("é"), #""text":{"Title":"é"}"#), ("Title", [0xE9], #""text":{"Title":"é"}"#),
            (
                "XML:com.adobe.xmp", .ascii("<?xpacket?> <x:xmpmeta>a</x:xmpmeta>  "),
                #""xmp":"<x:xmpmeta>a</x:xmpmeta>""#
            ),
        ] as [(String, [UInt8], String)] {
            let (plain, compressed) = png(keyword, text)
            #expect(try facts(plain).contains(expected))
            #expect(try facts(compressed).contains(expected))
        }
        let (plain, compressed) = png("XML:com.adobe.xmp", [0xE9])
        for content in [plain, compressed] {
            let facts = try header(content)
            #expect(facts.xmp == nil && facts.flaws.count == 1)
        }
    }

    @Test func `tRNS after the image data has no effect`() throws {
        var png = PNGBuilder()
        png.add("IDAT", [1, 2, 3])
        png.add("tRNS", [0, 0, 0, 0, 0, 0])
        png.add("IEND")
        #expect(try header(png.bytes).color.alpha == false)
    }

    /// A text in ISO 8859-1 is converted in pieces of 4 096 bytes.
    @Test(arguments: [0, 4_095, 4_096, 4_097, 9_000])
    func `a text in ISO 8859-1 of any length is complete`(bytes: Int) throws {
        var png = PNGBuilder()
        png.add("tEXt", .ascii("a\0") + [UInt8](repeating: 0xE9, count: bytes))
        let text = String(repeating: "é", count: bytes)
        #expect(try facts(png.finished()).contains(#""text":{"a":"\#(text)"}"#))
    }
}
