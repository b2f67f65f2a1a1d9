import Testing

@testable import Images
@testable import Serialization

@Suite struct ICOFactsTests {
    private struct Picture {
        var width: Int
        var height: Int
        var planes = 1
        var bits = 32
        var content: [UInt8]
    }

    private func icon(kind: UInt8 = 1, _ pictures: [Picture]) -> [UInt8] {
        var head: [UInt8] = [0, 0, kind, 0] + .little16(pictures.count)
        var body: [UInt8] = []
        let start = 6 + 16 * pictures.count
        for picture in pictures {
            head += [UInt8(picture.width & 255), UInt8(picture.height & 255), 0, 0]
            head += .little16(picture.planes) + .little16(picture.bits)
            head += .little32(picture.content.count) + .little32(start + body.count)
            body += picture.content
        }
        return head + body
    }

    private func bitmap(_ side: Int, bits: Int) -> [UInt8] {
        .little32(40) + .little32(side) + .little32(2 * side) + .little16(1) + .little16(bits)
            + [UInt8](repeating: 0, count: 24 + side * side * bits / 8)
    }

    @Test func `pictures have the sizes in their own headers; the largest is that of the icon`() throws {
        let png = PNGBuilder(width: 512, height: 512, depth: 8, colorType: 6).finished()
        let content = icon([
            Picture(width: 16, height: 16, bits: 4, content: bitmap(16, bits: 4)),
            // The directory cannot represent 256 and more; it contains 0 instead.
            Picture(width: 256, height: 256, content: png),
            Picture(width: 48, height: 48, content: bitmap(32, bits: 32)),
        ])
        #expect(
            try facts(content) == """
                {"format":"ico","mediaType":"image/x-icon","width":512,"height":512,"scale":1,\
                "size":{"width":512,"height":512},"color":{"model":"rgb","channels":4,"bitsPerChannel":8,"alpha":true},\
                "frames":3,"directory":[{"width":16,"height":16,"bitsPerPixel":4,"format":"bmp"},\
                {"width":512,"height":512,"bitsPerPixel":32,"format":"png"},\
                {"width":32,"height":32,"bitsPerPixel":32,"format":"bmp"}],\
                "integrity":{"verdict":"complete","checked":"structure"},"decoded":"header"}
                """
        )
        #expect(try header(content) { $0.maxFrames = 2 }.directory.count == 2)
    }

    @Test func `a cursor has a hotspot`() throws {
        let content = icon(kind: 2, [Picture(width: 32, height: 32, planes: 5, bits: 7, content: bitmap(32, bits: 1))])
        #expect(
            try facts(content) == """
                {"format":"cur","mediaType":"image/x-win-bitmap","width":32,"height":32,"scale":1,\
                "size":{"width":32,"height":32},"color":{"model":"palette","channels":1,"bitsPerChannel":1,\
                "alpha":true},\
                "frames":1,"directory":[{"width":32,"height":32,"bitsPerPixel":1,"format":"bmp","hotspot":{"x":5,\
                "y":7}}],"integrity":{"verdict":"complete","checked":"structure"},"decoded":"header"}
                """
        )
    }

    /// Facts and pixels are read from the same header.
    @Test func `a bitmap has the size in any header that is decoded, and only if the header is in the picture`() throws
    {
        let core: [UInt8] = .little32(12) + .little16(20) + .little16(40) + .little16(1) + .little16(24)
        let content = icon([Picture(width: 16, height: 16, content: core + [UInt8](repeating: 0, count: 2_000))])
        let read = try header(content).directory
        #expect(read == [ImageDirectoryEntry(width: 20, height: 20, bitsPerPixel: 24, format: .bmp)])
        #expect(try directory(content).pictures.map { $0.isDecodable(content.span) } == [true])
        var short = content
        short[14] = 11
        short[15] = 0
        #expect(try header(short).directory == [ImageDirectoryEntry(width: 16, height: 16, bitsPerPixel: 32)])
        #expect(try directory(short).best { $0.isDecodable(short.span) } == nil)
    }

    private func directory(_ content: [UInt8]) throws -> ICODirectory {
        var budget = HeaderBudget(content.span)
        return try ICODirectory(content.span, &budget)
    }

    @Test func `a missing picture is reported`() throws {
        let whole = icon([Picture(width: 16, height: 16, content: bitmap(16, bits: 32))])
        let cut = Array(whole.dropLast())
        #expect(try header(cut).integrity == ImageIntegrity(.truncated, checked: .structure, byte: cut.count))
        #expect(throws: ImageError(.truncated, at: 20)) { try header(Array(whole[..<20])) }
    }

    /// The depth of each colour type.
    @Test(arguments: [(0, 8, 8), (2, 8, 24), (3, 4, 4), (4, 8, 16), (6, 16, 64)] as [(UInt8, UInt8, Int)])
    func `a PNG has the size and depth in its own header`(colorType: UInt8, depth: UInt8, bits: Int) throws {
        let png = PNGBuilder(width: 300, height: 9, depth: depth, colorType: colorType).finished()
        let content = icon([Picture(width: 16, height: 16, bits: 1, content: png)])
        let facts = try header(content)
        #expect(facts.directory == [ImageDirectoryEntry(width: 300, height: 9, bitsPerPixel: bits, format: .png)])
        #expect((facts.width, facts.height) == (300, 9))
    }

    @Test func `the colours are those of the picture that is displayed`() throws {
        let coarse = Picture(width: 16, height: 16, content: bitmap(16, bits: 4))
        let fine = Picture(width: 16, height: 16, content: bitmap(16, bits: 32))
        let facts = try header(icon([coarse, fine]))
        #expect(facts.color.model == .rgb && facts.color.bitsPerChannel == 8)
        // 64 bits per pixel are not decoded.
        let huge = Picture(width: 64, height: 64, content: bitmap(64, bits: 64))
        #expect(try header(icon([coarse, huge])).width == 16)
        #expect(try header(icon([huge])).width == 64)
    }
}
