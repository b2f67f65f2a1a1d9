import Testing

@testable import Images
@testable import Serialization

@Suite struct JPEGFactsTests {
    @Test func `a single sequential scan is not searched if the content ends with EOI`() throws {
        let facts = try header(JPEGBuilder.small())
        #expect(facts.integrity == ImageIntegrity(.unchecked, checked: .header))
        #expect(facts.coding.scans == 1 && facts.coding.progressive == false)
        #expect(facts.density == ImageDensity(x: 72, y: 72, unit: .inch, source: .jfif))
    }

    @Test func `otherwise the scan is searched to its end`() throws {
        let whole = JPEGBuilder.small()
        let cut = Array(whole.dropLast(2))
        #expect(try header(cut).integrity == ImageIntegrity(.truncated, checked: .structure, byte: cut.count))
        let trailing = ImageIntegrity(.trailingBytes, checked: .structure, byte: whole.count)
        #expect(try header(whole + [1, 2, 3]).integrity == trailing)
    }

    @Test(arguments: [1, 7, 16, 31, 100])
    func `finds the end of a scan at any offset`(dataBytes: Int) throws {
        var jpeg = JPEGBuilder()
        jpeg.addFrame(0xC2)
        jpeg.addScan()
        jpeg.bytes += [UInt8](repeating: 0x55, count: dataBytes)
        jpeg.addScan([1])
        jpeg.bytes += [0xFF, 0x00, 0xFF, 0xD7]
        let facts = try header(jpeg.finished())
        #expect(facts.coding.scans == 3 && facts.coding.progressive == true)
        #expect(facts.integrity == ImageIntegrity(.complete, checked: .structure))
    }

    @Test func `the height may follow the first scan`() throws {
        var jpeg = JPEGBuilder()
        jpeg.addFrame(height: 0)
        jpeg.addScan()
        jpeg.add(0xDC, .big16(77))
        #expect(try header(jpeg.bytes + [0xFF, 0xD9]).height == 77)
        var never = JPEGBuilder()
        never.addFrame(height: 0)
        #expect(throws: ImageError(.corrupt(part: "SOF"), at: never.finished().count - 2)) {
            try header(never.finished())
        }
    }

    @Test(
        arguments: [
            ([(1, 0x11)], nil, .gray, nil),
            ([(1, 0x22), (2, 0x11), (3, 0x11)], nil, .ycbcr, "4:2:0"),
            ([(1, 0x21), (2, 0x11), (3, 0x11)], 1, .ycbcr, "4:2:2"),
            ([(1, 0x12), (2, 0x11), (3, 0x11)], nil, .ycbcr, "4:4:0"),
            ([(1, 0x41), (2, 0x11), (3, 0x11)], nil, .ycbcr, "4:1:1"),
            ([(0x52, 0x11), (0x47, 0x11), (0x42, 0x11)], nil, .rgb, "4:4:4"),
            ([(1, 0x11), (2, 0x11), (3, 0x11)], 0, .rgb, "4:4:4"),
            ([(1, 0x11), (2, 0x11), (3, 0x11), (4, 0x11)], 0, .cmyk, nil),
            ([(1, 0x11), (2, 0x11), (3, 0x11), (4, 0x11)], 2, .ycck, nil),
        ] as [([(UInt8, UInt8)], UInt8?, ImageColor.Model, String?)]
    )
    func `reports the colour model and the subsampling`(
        components: [(UInt8, UInt8)],
        adobe: UInt8?,
        model: ImageColor.Model,
        subsampling: String?
    ) throws {
        var jpeg = JPEGBuilder()
        if let adobe { jpeg.add(0xEE, .ascii("Adobe") + [0, 100, 0, 0, 0, 0, adobe]) }
        jpeg.addFrame(0xC0, components)
        let color = try header(jpeg.finished()).color
        #expect(color.model == model && color.subsampling == subsampling && color.channels == components.count)
    }

    @Test(arguments: [1, 10, 49, 50, 75, 90, 95, 100])
    func `estimates the quality that libjpeg was given`(quality: Int) throws {
        // ITU-T T.81 table K.1 in zigzag order, scaled as jcparam.c does it.
        let standard = [
            16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58,
            51,
            61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62,
            77,
            113, 121, 112, 100, 120, 92, 101, 103, 99,
        ]
        let scale = quality < 50 ? 5_000 / quality : 200 - 2 * quality
        var jpeg = JPEGBuilder()
        jpeg.add(0xDB, [0] + standard.map { UInt8(min(max(($0 * scale + 50) / 100, 1), 255)) })
        jpeg.addFrame()
        #expect(try header(jpeg.finished()).coding.quality == quality)
    }

    @Test func `comments are UTF-8, otherwise ISO 8859-1`() throws {
        var jpeg = JPEGBuilder()
        jpeg.add(0xFE, .ascii("é"))
        jpeg.add(0xFE, [0xE9])
        jpeg.addFrame()
        let content = jpeg.finished()
        var writer = JSONWriter()
        writer.image(try header(content), .typed, content.span)
        let json = String(decoding: [UInt8](writer.finish()), as: UTF8.self)
        #expect(json.contains(#""comments":["é","é"]"#))
    }

    @Test(
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xC0], .truncated, 4),
            ([0xFF, 0xD8, 0xFF, 0xDB, 0, 1], .corrupt(part: "DQT"), 2),
            ([0xFF, 0xD8, 0xFF, 0x0F, 0, 1], .corrupt(part: "FF0F"), 2),
            ([0xFF, 0xD8, 0xFF, 0xC0, 0, 1], .corrupt(part: "SOF"), 2),
            ([0xFF, 0xD8, 0xFF, 0xF0, 0, 1], .corrupt(part: "JPG0"), 2),
            ([0xFF, 0xD8, 0xFF, 0xDE, 0, 1], .corrupt(part: "DHP"), 2),
            ([0xFF, 0xD8, 0xFF, 0xD9], .corrupt(part: "EOI"), 2),
            ([0xFF, 0xD8, 0xFF, 0xDA, 0, 2], .corrupt(part: "SOS"), 2),
            ([0xFF, 0xD8, 0xFF, 0xC0, 0, 8, 8, 0, 1, 0, 1, 0], .corrupt(part: "SOF"), 2),
        ] as [([UInt8], ImageError.Reason, Int)]
    )
    func `rejects content without a size`(content: [UInt8], reason: ImageError.Reason, byte: Int) {
        #expect(throws: ImageError(reason, at: byte)) { try header(content) }
    }

    @Test func `the first density counts`() throws {
        var jpeg = JPEGBuilder()
        jpeg.addJFIF(x: 300, y: 300)
        jpeg.addJFIF(unit: 2, x: 1, y: 1)
        jpeg.addFrame()
        #expect(
            try header(jpeg.finished()).density == ImageDensity(x: 300, y: 300, unit: .inch, source: .jfif)
        )
    }

    /// Adds parts of a profile with their numbers.
    private func jpeg(_ parts: [(number: UInt8, count: UInt8, bytes: ArraySlice<UInt8>)]) -> [UInt8] {
        var jpeg = JPEGBuilder()
        for part in parts { jpeg.add(0xE2, .ascii("ICC_PROFILE\0") + [part.number, part.count] + part.bytes) }
        jpeg.addFrame()
        return jpeg.finished()
    }

    @Test func `a profile in parts is read in the order of their numbers, and only if each occurs once`() throws {
        let whole = profile(description: "In parts")
        let (first, second) = (whole[..<140], whole[140...])
        let facts = try header(jpeg([(2, 2, second), (1, 2, first)]))
        #expect(facts.color.profile?.description == "In parts" && facts.color.profile?.bytes == whole.count)
        for parts in [
            [(1, 2, whole[...])], [(1, 1, whole[...]), (1, 1, whole[...])], [(0, 1, whole[...])],
            [(1, 2, first), (3, 2, second)], [(1, 2, first), (2, 3, second)],
        ] as [[(number: UInt8, count: UInt8, bytes: ArraySlice<UInt8>)]] {
            let facts = try header(jpeg(parts))
            #expect(facts.color.profile == nil && facts.flaws.map(\.part) == ["ICC profile"])
        }
    }

    /// Only what precedes the end of the description is copied.
    @Test(arguments: [(0, true), (1, false)])
    func `the description of a profile in parts may end within its first MiB`(more: Int, isRead: Bool) throws {
        let tag: [UInt8] = .ascii("desc") + .big32(0) + .big32(5) + .ascii("Test\0")
        // The first 1 024 bytes are copied before.
        let start = (1 << 20) - 1_024 - tag.count + more
        var whole = profile(description: "Test")
        whole.replaceSubrange(132..<144, with: .ascii("desc") + .big32(start) + .big32(tag.count))
        whole += [UInt8](repeating: 0, count: start - whole.count) + tag + [UInt8](repeating: 0, count: 100_000)
        let pieces = stride(from: 0, to: whole.count, by: 65_000).map { whole[$0..<min($0 + 65_000, whole.count)] }
        let count = UInt8(pieces.count)
        let facts = try header(jpeg(pieces.enumerated().map { (UInt8($0.offset + 1), count, $0.element) }))
        #expect(facts.color.profile?.description == (isRead ? "Test" : nil))
        #expect(facts.flaws.map(\.part) == (isRead ? [] : ["ICC profile"]))
    }

    @Test func `a corrupt segment after the size is reported with the facts before it`() throws {
        for (segment, part) in [([0xFF, 0xDB, 0, 1], "DQT"), ([0xFF, 0xC0, 0, 8, 8, 0, 1, 0, 1, 0], "SOF")]
            as [([UInt8], String)]
        {
            var jpeg = JPEGBuilder()
            jpeg.addFrame(0xC2)
            jpeg.addScan()
            let byte = jpeg.bytes.count
            jpeg.bytes += segment
            let facts = try header(jpeg.finished())
            #expect(facts.integrity == ImageIntegrity(.corrupt, checked: .structure, byte: byte, part: part))
            #expect((facts.width, facts.height, facts.coding.scans) == (16, 9, 1))
        }
    }
}
