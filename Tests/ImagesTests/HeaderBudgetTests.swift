import Testing

@testable import Images
@testable import Serialization

/// Each limit of the cost of metadata, at the limit and beyond it.
@Suite struct HeaderBudgetTests {
    private func budget(_ contentBytes: Int = 100) -> HeaderBudget {
        HeaderBudget([UInt8](repeating: 0, count: contentBytes).span)
    }

    @Test(arguments: HeaderBudget.Cost.allCases)
    private func `the limit of each cost can be taken, and no more`(cost: HeaderBudget.Cost) {
        let limit = HeaderBudget.limit(cost, contentBytes: 100)
        var parts = budget()
        let takes = [limit - 1, 1, 1].map { parts.take($0, of: cost) }
        #expect(takes == [true, true, false])
        // More than is left uses up the rest.
        var beyond = budget()
        let takesBeyond = [limit + 1, 1].map { beyond.take($0, of: cost) }
        #expect(takesBeyond == [false, false])
        for other in HeaderBudget.Cost.allCases {
            let rest = other == cost ? 0 : HeaderBudget.limit(other, contentBytes: 100)
            #expect(parts.rest(of: other) == rest)
        }
    }

    @Test(arguments: [(0, true), (1, false)])
    func `a text is decompressed if its content is within the limit, and costs as much in any case`(
        more: Int,
        isRead: Bool
    ) {
        var budget = budget()
        _ = budget.take(budget.rest(of: .inflatedBytes) - 60_000, of: .inflatedBytes)
        let stream = PNGBuilder.stored([UInt8](repeating: 65, count: 60_000 + more))
        let text = budget.inflate(stream.span)
        #expect((text != nil) == isRead)
        #expect(budget.rest(of: .inflatedBytes) == 0)
    }

    @Test func `the beginning of a stream costs what it yields, or what was asked for if it is malformed`() {
        let limit = HeaderBudget.limit(.inflatedBytes, contentBytes: 100)
        var budget = budget()
        let stream = PNGBuilder.stored(.ascii("text"))
        let text = budget.inflate(stream.span, prefix: 1_000)
        #expect(text == .ascii("text"))
        #expect(budget.rest(of: .inflatedBytes) == limit - 4)
        let malformed = budget.inflate([UInt8].ascii("none").span, prefix: 1_000)
        #expect(malformed == nil)
        #expect(budget.rest(of: .inflatedBytes) == limit - 1_004)
        let long = budget.inflate(stream.span, prefix: limit)
        #expect(long == nil)
        #expect(budget.rest(of: .inflatedBytes) == limit - 1_004)
    }

    @Test(arguments: [(0, 1), (1, 0)])
    func `the comments of a GIF have at most 1 MiB together`(more: Int, comments: Int) throws {
        // The length and 255 bytes, 4 095 times; then the length, 254 bytes, and the end.
        let blocks = GIFBuilder.subBlocks([UInt8](repeating: 65, count: 4_095 * 255 + 254 + more))
        #expect(blocks.count == (1 << 20) + more)
        var gif = GIFBuilder(1, 1, colors: [[0, 0, 0], [9, 9, 9]])
        gif.raw([0x21, 0xFE] + blocks)
        gif.frame(0, 0, 1, 1, [0])
        let facts = try header(gif.content)
        #expect(facts.comments.count == comments)
        #expect(facts.flaws.map(\.part) == (comments == 1 ? [] : ["comment"]))
    }

    @Test(arguments: [(0, true), (1, false)])
    func `the checksums of ancillary chunks are checked up to 64 KiB`(more: Int, isChecked: Bool) throws {
        var png = PNGBuilder()
        png.add("abCd", [UInt8](repeating: 0, count: (64 << 10) - 4 + more))
        // A text whose checksum is 0.
        png.bytes += [0, 0, 0, 4] + .ascii("tEXtA\0bc") + [0, 0, 0, 0]
        let facts = try header(png.finished())
        #expect(facts.integrity.verdict == (isChecked ? .corrupt : .complete))
        #expect(facts.texts.count == (isChecked ? 0 : 1))
    }

    @Test(arguments: [16, 17])
    func `at most sixteen broken parts are listed, and the others are counted`(count: Int) throws {
        var png = PNGBuilder()
        for _ in 0..<count { png.add("zTXt", .ascii("a\0\0x")) }
        let facts = try header(png.finished())
        #expect((facts.flaws.count, facts.unlistedFlawCount) == (16, count - 16))
    }

    // MARK: Hostile content

    /// What the facts of hostile content cost and yield, in steps and bytes.
    private func spend(_ content: [UInt8]) throws -> (facts: ImageFacts, rest: HeaderBudget) {
        var budget = HeaderBudget(content.span)
        let facts = try ImageHeader.read(content.span, ImageHeader.Options(), &budget)
        return (facts, budget)
    }

    @Test func `the texts of a PNG are decompressed up to the limit`() throws {
        var png = PNGBuilder()
        let text = PNGBuilder.stored([UInt8](repeating: 65, count: 4_000))
        for index in 0..<300 { png.add("zTXt", .ascii("k\(index)\0\0") + text) }
        let (facts, rest) = try spend(png.finished())
        let limit = HeaderBudget.limit(.inflatedBytes, contentBytes: png.finished().count)
        #expect(facts.texts.count == limit / 4_000 && limit / 4_000 < 300)
        #expect(rest.rest(of: .inflatedBytes) == 0)
        #expect(facts.flaws.count + facts.unlistedFlawCount == 300 - facts.texts.count)
    }

    @Test func `broken texts of a PNG cost as much as others`() throws {
        var png = PNGBuilder()
        for index in 0..<2_000 { png.add(["tEXt", "zTXt", "iTXt"][index % 3], .ascii("k\0\u{1}x")) }
        let (facts, rest) = try spend(png.finished())
        // Every third one, up to the limit, is a valid text.
        #expect(facts.texts.count == 334 && rest.rest(of: .texts) == 0)
        #expect(facts.flaws.count + facts.unlistedFlawCount == 2_000 - 334)
    }

    @Test func `the comments of a JPEG are reported up to the limit`() throws {
        var jpeg = JPEGBuilder()
        for _ in 0..<3_000 { jpeg.add(0xFE, .ascii("a")) }
        jpeg.addFrame()
        let (facts, rest) = try spend(jpeg.finished())
        #expect(facts.comments.count == 1_000 && rest.rest(of: .texts) == 0)
        #expect(facts.flaws.count + facts.unlistedFlawCount == 2_000)
    }

    @Test func `the comments of a GIF are copied up to the limit`() throws {
        var gif = GIFBuilder(1, 1, colors: [[0, 0, 0], [9, 9, 9]])
        let comment = GIFBuilder.subBlocks([UInt8](repeating: 65, count: 100_000))
        for _ in 0..<20 { gif.raw([0x21, 0xFE] + comment) }
        gif.frame(0, 0, 1, 1, [0])
        let (facts, rest) = try spend(gif.content)
        #expect(facts.comments.count == (1 << 20) / comment.count && rest.rest(of: .copiedBytes) == 0)
        #expect(facts.flaws.count + facts.unlistedFlawCount == 20 - facts.comments.count)
    }

    @Test func `broken profiles of a WebP are listed up to the limit`() throws {
        let chunk = [UInt8].ascii("ICCP") + .little32(4) + [0, 0, 0, 0]
        let canvas = [UInt8].ascii("VP8X") + .little32(10) + [0, 0, 0, 0, 4, 0, 0, 3, 0, 0]
        let body = canvas + (0..<1_000).flatMap { _ in chunk }
        let (facts, rest) = try spend(.ascii("RIFF") + .little32(body.count + 4) + .ascii("WEBP") + body)
        #expect(facts.flaws.count == 16 && facts.unlistedFlawCount == 984 && rest.rest(of: .flaws) == 0)
    }

    @Test func `texts of a TIFF that share bytes are at most as long as the content`() throws {
        let shared = [UInt8](repeating: 65, count: 10_000)
        var content: [UInt8] = .ascii("II") + .little16(42) + .little32(8 + shared.count) + shared
        let tags = [256, 257, 269, 270, 271, 272, 305, 315, 316, 33_432]
        content += .little16(tags.count)
        for tag in tags {
            let isSide = tag < 258
            content += .little16(tag) + .little16(isSide ? 3 : 2) + .little32(isSide ? 1 : shared.count)
            content += .little32(8)
        }
        let (facts, rest) = try spend(content + .little32(0))
        let texts = facts.exif?.entries.filter { $0.count == shared.count } ?? []
        #expect(texts.count == 1 && rest.rest(of: .textBytes) == 0)
    }

    @Test(arguments: [((4 << 20) - 1, true), (4 << 20, false)])
    func `the texts of EXIF have at most 4 MiB together`(bytes: Int, isRead: Bool) throws {
        var tiff = EXIFBuilder(.little)
        let text = EXIFBuilder.Entry(
            tag: 0x010E,
            type: .ascii,
            count: bytes,
            value: [UInt8](repeating: 65, count: bytes)
        )
        // The text of the maker has one byte.
        let maker = EXIFBuilder.Entry(tag: 0x010F, type: .ascii, count: 1, value: [66])
        tiff.image = [tiff.short(256, 4), tiff.short(257, 3), text, maker]
        let facts = try header(tiff.bytes)
        #expect((facts.exif?.entry(.image, 0x010F) != nil) == isRead)
        #expect(facts.flaws.map(\.part) == (isRead ? [] : ["EXIF"]))
    }
}
