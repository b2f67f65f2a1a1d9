import Testing

@testable import Images
@testable import Serialization

/// The bounds of docs/images.md on what is reported. What exceeds them is omitted with a warning.
@Suite struct ImageBoundsTests {
    @Test(arguments: [1_000, 1_001, 1_100])
    func `at most a thousand texts and comments are reported, and the others are counted`(count: Int) throws {
        var png = PNGBuilder()
        for index in 0..<count { png.add("tEXt", .ascii("k\(index)\0v")) }
        var jpeg = JPEGBuilder()
        for _ in 0..<count { jpeg.add(0xFE, .ascii("a")) }
        jpeg.addFrame()
        var gif = GIFBuilder(1, 1, colors: [[0, 0, 0], [9, 9, 9]])
        for _ in 0..<count { gif.raw([0x21, 0xFE, 1, 0x41, 0]) }
        gif.frame(0, 0, 1, 1, [0])
        for content in [png.finished(), jpeg.finished(), gif.content] {
            let facts = try header(content)
            #expect(facts.texts.count + facts.comments.count == 1_000)
            #expect(facts.flaws.count == min(count - 1_000, 16))
            #expect(facts.flaws.count + facts.unlistedFlawCount == count - 1_000)
        }
    }

    @Test(arguments: [
        (100, 64 << 10), (10_000, 80_000), (100_000, 256 << 10), (500_000, 500_000), (5_000_000, 1 << 20),
    ])
    func `the length of decompressed texts is limited by that of the content`(contentBytes: Int, bytes: Int) {
        #expect(HeaderBudget.limit(.inflatedBytes, contentBytes: contentBytes) == bytes)
    }

    /// The image itself has one entry more, which points to the others.
    @Test(arguments: [(2_559, true), (2_560, false)])
    func `at most 2 560 entries of EXIF are read`(count: Int, isRead: Bool) throws {
        var exif = EXIFBuilder(.big)
        exif.exif = (1..<count).map { exif.short(0xC000 + $0, 1) } + [exif.short(0x9209, 16)]
        var jpeg = JPEGBuilder()
        jpeg.add(0xE1, .ascii("Exif\0\0") + exif.bytes)
        jpeg.addFrame()
        let content = jpeg.finished()
        #expect(try facts(content).contains("\"flash\"") == isRead)
        #expect(try header(content).flaws.map(\.part) == (isRead ? [] : ["EXIF"]))
    }

    @Test(arguments: [(1 << 10, 8), ((1 << 10) + 1, nil)])
    func `an attribute of an SVG has at most 1 KiB`(bytes: Int, width: Int?) throws {
        let value = String(repeating: "0", count: bytes - 1) + "8"
        #expect(try header(.ascii("<svg width='\(value)' height='9'/>")).width == width)
    }
}
