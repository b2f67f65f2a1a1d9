import Testing

@testable import Images
@testable import Serialization

@Suite struct WebPFactsTests {
    private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let head: [UInt8] = .ascii(name) + .little32(data.count)
        return head + data + (data.count % 2 == 1 ? [0] : [])
    }

    private func webp(_ chunks: [UInt8]...) -> [UInt8] {
        let body = chunks.flatMap { $0 }
        let head: [UInt8] = .ascii("RIFF") + .little32(4 + body.count) + .ascii("WEBP")
        return head + body
    }

    private func extended(_ flags: UInt8, width: Int, height: Int) -> [UInt8] {
        let sides: [[UInt8]] = [.little32(width - 1), .little32(height - 1)]
        return chunk("VP8X", [flags, 0, 0, 0] + sides.flatMap { $0.prefix(3) })
    }

    /// Returns the first bytes of a key frame: a tag of three bytes, the start code, two sides.
    private func lossy(width: Int, height: Int) -> [UInt8] {
        let head: [UInt8] = [0x10, 0, 0, 0x9D, 1, 0x2A]
        return chunk("VP8 ", head + .little16(width) + .little16(height))
    }

    /// Returns a signature, two sides minus one of 14 bits each, and an alpha flag.
    private func lossless(width: Int, height: Int, alpha: Bool) -> [UInt8] {
        let bits = width - 1 | (height - 1) << 14 | (alpha ? 1 << 28 : 0)
        return chunk("VP8L", [0x2F] + .little32(bits) + [0, 0])
    }

    @Test func `lossy and lossless files without anything else`() throws {
        #expect(
            try facts(webp(lossy(width: 40, height: 30))) == """
                {"format":"webp","mediaType":"image/webp","width":40,"height":30,"scale":1,"size":{"width":40,\
                "height":30},\
                "color":{"model":"ycbcr","channels":3,"bitsPerChannel":8,"alpha":false,"subsampling":"4:2:0"},\
                "coding":{"compression":"lossy"},"frames":1,\
                "integrity":{"verdict":"complete","checked":"structure"},"decoded":"header"}
                """
        )
        #expect(
            try facts(webp(lossless(width: 16_384, height: 1, alpha: true))) == """
                {"format":"webp","mediaType":"image/webp","width":16384,"height":1,"scale":1,"size":{"width":16384,\
                "height":1},"color":{"model":"rgb","channels":4,"bitsPerChannel":8,"alpha":true},\
                "coding":{"compression":"lossless"},"frames":1,\
                "integrity":{"verdict":"complete","checked":"structure"},"decoded":"header"}
                """
        )
    }

    @Test func `an animation with a profile, EXIF and XMP`() throws {
        var exif = EXIFBuilder(.big)
        exif.image = [exif.short(0x0112, 3), exif.fractions(0x011A, 72, 1), exif.fractions(0x011B, 72, 1)]
        func frame(_ delay: Int, _ image: [UInt8]) -> [UInt8] {
            let head: [UInt8] = [UInt8](repeating: 0, count: 12) + .little32(delay)
            return chunk("ANMF", head + image)
        }
        let content = webp(
            extended(0x3E, width: 100, height: 50),
            chunk("ICCP", profile()),
            chunk("ANIM", [0, 0, 0, 0] + .little16(3)),
            frame(40, lossy(width: 100, height: 50)),
            frame(65_536, lossless(width: 20, height: 10, alpha: true)),
            chunk("EXIF", exif.bytes),
            chunk("XMP ", .ascii("<x:xmpmeta>a</x:xmpmeta>"))
        )
        #expect(
            try facts(content) == """
                {"format":"webp","mediaType":"image/webp","width":100,"height":50,\
                "orientation":{"value":3,"name":"Rotate 180"},"oriented":{"width":100,"height":50},"scale":1,\
                "size":{"width":100,"height":50},"color":{"model":"ycbcr","channels":4,"bitsPerChannel":8,"alpha":true,\
                "subsampling":"4:2:0","icc":{"bytes":161,"description":"Test","space":"RGB","intent":"perceptual"}},\
                "density":{"x":72,"y":72,"unit":"inch","source":"exif"},"coding":{"compression":"mixed"},"frames":2,\
                "animation":{"loops":3,"durationMs":65576,"delaysMs":[40,65536]},\
                "exif":{"xResolution":{"numerator":72,"denominator":1,"value":72},\
                "yResolution":{"numerator":72,"denominator":1,"value":72}},"xmp":"<x:xmpmeta>a</x:xmpmeta>",\
                "integrity":{"verdict":"complete","checked":"structure"},"decoded":"header"}
                """
        )
        #expect(try header(content) { $0.maxFrames = 1 }.animation?.delaysMilliseconds == [40])
    }

    @Test func `an early end is truncated, and further bytes are trailing`() throws {
        let whole = webp(lossy(width: 40, height: 30), chunk("XMP ", .ascii("text")))
        for count in 30..<whole.count {
            let integrity = try header(Array(whole[..<count])).integrity
            #expect(integrity == ImageIntegrity(.truncated, checked: .structure, byte: count))
        }
        // Only the padding of the last chunk may be missing.
        let odd = webp(lossy(width: 40, height: 30), chunk("XMP ", .ascii("odd")))
        let cut = Array(odd.dropLast())
        #expect(try header(cut).integrity == ImageIntegrity(.missingEnd, checked: .structure, byte: cut.count))
        #expect(try header(Array(odd.dropLast(2))).integrity.verdict == .truncated)
        var long = whole
        long[34] = 200
        let corrupt = ImageIntegrity(.corrupt, checked: .structure, byte: 30, part: "chunk")
        #expect(try header(long).integrity == corrupt)
        let trailing = ImageIntegrity(.trailingBytes, checked: .structure, byte: whole.count)
        #expect(try header(whole + [1, 2]).integrity == trailing)
    }

    @Test(arguments: ["VP8X", "VP8 ", "VP8L"])
    func `a first chunk that is too short is corrupt, unless the content ends in it`(type: String) {
        let content = webp(chunk(type, [0x2F, 0]), lossy(width: 4, height: 4))
        let part = type == "VP8 " ? "VP8" : type
        #expect(throws: ImageError(.corrupt(part: part), at: 12)) { try header(content) }
        #expect(throws: ImageError(.truncated, at: 21)) { try header(Array(content[..<21])) }
    }

    @Test func `the first chunks of an animation may be longer than needed`() throws {
        let frame = chunk("ANMF", [UInt8](repeating: 0, count: 12) + .little32(40) + lossy(width: 1, height: 1))
        func content(_ more: Int) -> [UInt8] {
            let more = [UInt8](repeating: 0xEE, count: more)
            let sides: [UInt8] = [99, 0, 0, 49, 0, 0]
            return webp(
                chunk("VP8X", [0x12, 0, 0, 0] + sides + more),
                chunk("ANIM", [0, 0, 0, 0] + .little16(3) + more),
                frame
            )
        }
        for more in [0, 1, 6] {
            let facts = try header(content(more))
            #expect((facts.width, facts.height, facts.frames) == (100, 50, 1))
            #expect(facts.animation == ImageAnimation(loops: 3, durationMilliseconds: 40, delaysMilliseconds: [40]))
            #expect(facts.color.alpha == true && facts.integrity.verdict == .complete)
            let frames = try WebPFrames(content(more).span, maxFrames: 1)
            #expect(frames.canvas?.width == 100 && frames.isAnimated && frames.frameCount == 1)
        }
    }

    /// As for pixels.
    @Test func `frames count only if the canvas is animated`() throws {
        let frame = chunk("ANMF", [UInt8](repeating: 0, count: 12) + .little32(40) + lossy(width: 1, height: 1))
        let content = webp(extended(0, width: 1, height: 1), chunk("ANIM", [0, 0, 0, 0, 0, 0]), frame, frame)
        let facts = try header(content)
        #expect(facts.frames == 1 && facts.animation == nil)
        #expect(throws: RenderingError.self) { try WebPFrames(content.span, maxFrames: 1) }
    }
}
