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
        var whole = budget()
        let takes = [limit + 1, limit, 1].map { whole.take($0, of: cost) }
        #expect(takes == [false, true, false])
        var parts = budget()
        let partTakes = [limit - 1, 1, 1].map { parts.take($0, of: cost) }
        #expect(partTakes == [true, true, false])
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
}
