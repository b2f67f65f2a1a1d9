import Testing

@testable import Images
@testable import Serialization

@Suite struct GIFFactsTests {
    private static let black: [[UInt8]] = [[0, 0, 0], [255, 255, 255]]

    @Test func `an animation with all features of GIF`() throws {
        var gif = GIFBuilder(3, 2, colors: Self.black + Self.black)
        gif.raw([0x21, 0xFF, 11] + .ascii("NETSCAPE2.0") + [3, 1] + .little16(5) + [0])
        gif.raw([0x21, 0xFE, 5] + .ascii("hello") + [0])
        gif.raw([0x21, 0xFF, 11] + .ascii("ICCRGBG1012") + GIFBuilder.subBlocks(profile()))
        // The packet is followed by 257 bytes that lead a reader of sub-blocks to the end.
        let magic: [UInt8] = [1] + (0...255).map { UInt8(255 - $0) }
        gif.raw([0x21, 0xFF, 11] + .ascii("XMP DataXMP<x:xmpmeta>a</x:xmpmeta>") + magic + [0])
        for (delay, index) in [(7, nil), (65_535, 1)] as [(Int, Int?)] {
            gif.raw([0x21, 0xF9, 4, index == nil ? 0 : 1] + .little16(delay) + [UInt8(index ?? 0), 0])
            gif.frame(0, 0, 3, 2, [0, 0, 0, 0, 0, 0], isInterlaced: index == nil)
        }
        #expect(
            try facts(gif.content) == """
                {"format":"gif","mediaType":"image/gif","width":3,"height":2,"scale":1,"size":{"width":3,"height":2},\
                "color":{"model":"palette","channels":1,"bitsPerChannel":2,"alpha":true,\
                "icc":{"bytes":161,"description":"Test","space":"RGB","intent":"perceptual"}},\
                "coding":{"progressive":true,"compression":"lzw"},"frames":2,\
                "animation":{"loops":5,"durationMs":655420,"delaysMs":[70,655350]},"comments":["hello"],\
                "xmp":"<x:xmpmeta>a</x:xmpmeta>","integrity":{"verdict":"complete","checked":"structure"},\
                "decoded":"header"}
                """
        )
        #expect(try header(gif.content) { $0.maxFrames = 1 }.animation?.delaysMilliseconds == [70])
        let open = try header(gif.content) { $0.exif = .public }
        #expect(open.comments == [] && open.xmp == nil)
    }

    @Test func `a screen without a size is as large as its first frame, and pixels may not be square`() throws {
        var gif = GIFBuilder(0, 0, colors: [])
        gif.frame(0, 0, 5, 4, [UInt8](repeating: 0, count: 20), colors: Self.black, codeSize: 2)
        var content = gif.content
        content[12] = 49
        #expect(
            try facts(content) == """
                {"format":"gif","mediaType":"image/gif","width":5,"height":4,"scale":1,"size":{"width":5,"height":4},\
                "color":{"model":"palette","channels":1,"bitsPerChannel":1,"alpha":false},\
                "density":{"x":1,"y":1,"unit":"aspect","source":"gif"},\
                "coding":{"progressive":false,"compression":"lzw"},"frames":1,\
                "integrity":{"verdict":"complete","checked":"structure"},"decoded":"header"}
                """
        )
    }

    @Test func `a side that neither the screen nor a frame specifies is omitted`() throws {
        let cut = try header(GIFBuilder(7, 0, colors: []).content)
        #expect(cut.width == 7 && cut.height == nil && cut.orientedSize == nil)
    }

    @Test func `an early end is truncated, further bytes are trailing, an unknown block is corrupt`() throws {
        var gif = GIFBuilder(3, 2, colors: Self.black)
        gif.frame(0, 0, 3, 2, [0, 0, 0, 0, 0, 0])
        let whole = gif.content
        for count in 0..<whole.count {
            let cut = Array(whole[..<count])
            if count < 13 {
                #expect(throws: ImageError(count < 6 ? .notAnImage : .truncated, at: count < 6 ? 0 : count)) {
                    try header(cut)
                }
            } else {
                let integrity = try header(cut).integrity
                let verdict: ImageIntegrity.Verdict = count == whole.count - 1 ? .missingEnd : .truncated
                #expect(integrity == ImageIntegrity(verdict, checked: .structure, byte: count))
            }
        }
        let trailing = ImageIntegrity(.trailingBytes, checked: .structure, byte: whole.count)
        #expect(try header(whole + [0]).integrity == trailing)
        let unknown = Array(whole.dropLast()) + [0x77]
        let corrupt = ImageIntegrity(.corrupt, checked: .structure, byte: whole.count - 1, part: "block")
        #expect(try header(unknown).integrity == corrupt.withWholePicture)
    }

    @Test(arguments: [(0, 0, 7, 6), (9, 0, 9, 6), (0, 9, 7, 9), (3, 3, 3, 3)])
    func `a side of the screen that is 0 ends where the first frame does, in facts and pixels`(
        width: Int,
        height: Int,
        expectedWidth: Int,
        expectedHeight: Int
    ) throws {
        var gif = GIFBuilder(width, height, colors: Self.black)
        gif.frame(2, 2, 5, 4, [UInt8](repeating: 0, count: 20))
        let facts = try header(gif.content)
        let pixels = try GIFPixels(gif.content.span, RenderingRequest(.gif))
        #expect((facts.width, facts.height) == (expectedWidth, expectedHeight))
        #expect((pixels.width, pixels.height) == (expectedWidth, expectedHeight))
    }

    /// A control, a comment, an application, and one of an unknown label.
    @Test(
        arguments: [
            [0x21, 0xF9, 4, 1, 7, 0, 0, 0], [0x21, 0xFE, 2, 0x61, 0x62, 0],
            [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 5, 0, 0], [0x21, 0x77, 1, 2, 0],
        ] as [[UInt8]]
    )
    func `an extension that is cut off is truncated, and the first frame is complete`(block: [UInt8]) throws {
        var gif = GIFBuilder(3, 2, colors: Self.black)
        gif.frame(0, 0, 3, 2, [0, 0, 0, 0, 0, 0])
        let start = gif.content.count - 1
        gif.raw(block)
        let whole = gif.content
        #expect(try header(whole).integrity == ImageIntegrity(.complete, checked: .structure))
        for count in start + 1..<start + block.count {
            let facts = try header(Array(whole[..<count]))
            let truncated = ImageIntegrity(.truncated, checked: .structure, byte: count)
            #expect(facts.integrity == truncated.withWholePicture && facts.frames == 1)
            #expect(facts.comments == [] && facts.flaws == [] && facts.animation == nil)
        }
    }
}
