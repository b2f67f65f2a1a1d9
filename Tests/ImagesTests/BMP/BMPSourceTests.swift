import Testing

@testable import Images
@testable import Serialization

@Suite struct BMPSourceTests {
    private static let colors: [[UInt8]] = [[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]]
    /// Three by two pixels, as indices of colours.
    private static let indices = [[1, 2, 3], [0, 3, 1]]
    private static let pixels = ["ff0000", "00ff00", "0000ff", "000000", "0000ff", "ff0000"]

    @Test(arguments: [1, 2, 4, 8], [false, true])
    func `pixels of a few bits are indices of the colour table`(bits: Int, isTopDown: Bool) throws {
        let indices = Self.indices.map { $0.map { $0 % (1 << bits) } }
        let content = bitmap(
            height: isTopDown ? -2 : 2,
            bits: bits,
            colors: Array(Self.colors.prefix(1 << bits)),
            rows: (isTopDown ? indices : indices.reversed()).map { Self.packed($0, bits) }
        )
        let picture = try decode(content)
        let pixels = indices.flatMap { $0.map { index in Self.colors[index].map(Self.hex).joined() } }
        #expect(picture.pixels == pixels)
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .pixels))
    }

    @Test func `the first OS/2 header has colours of three bytes`() throws {
        let table = Self.colors.flatMap { $0.reversed() } + [UInt8](repeating: 0, count: 12 * 3)
        let head =
            littleEndian(12, 4) + littleEndian(3, 2) + littleEndian(2, 2) + littleEndian(1, 2) + littleEndian(4, 2)
        let rows = Self.indices.reversed().flatMap { Self.packed($0, 4) }
        let start = 14 + head.count + table.count
        #expect(try decode(file(head + table + rows, pixelStart: start)).pixels == Self.pixels)
    }

    @Test func `a bitmap without a file header is decoded`() throws {
        let content = bitmap(bits: 8, colors: Self.colors, rows: Self.indices.reversed().map { Self.packed($0, 8) })
        #expect(try decode(Array(content.dropFirst(14))).pixels == Self.pixels)
    }

    @Test(arguments: [
        ([0x7C00, 0x03E0, 0x001F], false, 16, 0x7C00, "ff0000"),
        ([0x7C00, 0x03E0, 0x001F], false, 16, 0x0200, "008400"),
        ([0xF800, 0x07E0, 0x001F], true, 16, 0x8410, "848284"),
        ([0xF800, 0x07E0, 0x001F], true, 16, 0xFFFF, "ffffff"),
        ([0x0F00, 0x00F0, 0x000F], true, 16, 0x0123, "112233"),
        ([0xFF, 0xFF00, 0xFF0000], true, 32, 0x332211, "112233"),
        ([0x3FF0_0000, 0x000F_FC00, 0x3FF], true, 32, 0x3FF0_0200, "ff0080"),
        ([0xFF_0000, 0, 0xFF], true, 32, 0x123456, "120056"),
        ([0xFF_0000, 0xFF00, 0xFF], false, 32, 0x80_112233, "112233"),
    ])
    func `masks determine the channels`(masks: [Int], given: Bool, bits: Int, value: Int, pixel: String) throws {
        let content = bitmap(
            width: 1,
            height: 1,
            bits: bits,
            compression: given ? 3 : 0,
            extra: given ? masks.flatMap { littleEndian($0, 4) } : [],
            rows: [littleEndian(value, 4)]
        )
        #expect(try decode(content).pixels == [pixel])
    }

    @Test(arguments: [
        ([0x8011_2233, 0x0044_5566], ["11223380", "44556600"]),
        // If alpha is zero in all pixels, there is no alpha.
        ([0x0011_2233, 0x0044_5566], ["112233", "445566"]),
    ])
    func `alpha is used if it has a mask and is not always zero`(values: [Int], pixels: [String]) throws {
        let masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000].flatMap { littleEndian($0, 4) }
        let content = bitmap(
            width: 2,
            height: 1,
            bits: 32,
            compression: 3,
            headerBytes: 108,
            inHeader: masks,
            rows: [values.flatMap { littleEndian($0, 4) }]
        )
        #expect(try decode(content).pixels == pixels)
    }

    @Test func `true colour begins with blue, and rows are padded to four bytes`() throws {
        let rows: [[UInt8]] = [[3, 2, 1, 6, 5, 4, 9, 8, 7, 0, 0, 0], [13, 12, 11, 16, 15, 14, 19, 18, 17, 0, 0, 0]]
        let content = bitmap(bits: 24, rows: rows)
        #expect(try decode(content).pixels == ["0b0c0d", "0e0f10", "111213", "010203", "040506", "070809"])
        // The padding of the last row may be missing.
        #expect(try decode(Array(content.dropLast(3))).integrity.verdict == .complete)
    }

    // MARK: Runs

    @Test(
        arguments: [
            // With an end marker: a run, then literal numbers, padded to two bytes.
            ([1, 0, 1, 3, 1, 1, 0, 0, 0, 3, 1, 2, 3, 0, 0, 1], 8, "complete"),
            ([1, 0, 1, 3, 1, 1, 0, 0, 0, 3, 1, 2, 3, 0], 8, "complete"),
            // With four bits per pixel: the two colours of a run alternate.
            ([3, 0x03, 0, 0, 0, 3, 0x12, 0x30, 0, 1], 4, "complete"),
        ] as [([UInt8], Int, String)]
    )
    func `runs are decoded`(runs: [UInt8], bits: Int, verdict: String) throws {
        let picture = try decode(bitmap(bits: bits, compression: bits == 8 ? 1 : 2, colors: Self.colors, rows: [runs]))
        let lower = bits == 8 ? ["000000", "0000ff", "ff0000"] : ["000000", "0000ff", "000000"]
        #expect(picture.pixels == ["ff0000", "00ff00", "0000ff"] + lower)
        #expect(picture.integrity.verdict.rawValue == verdict)
    }

    @Test func `pixels skipped by a delta have colour 0`() throws {
        let runs: [UInt8] = [1, 1, 0, 2, 1, 1, 1, 2, 0, 1]
        let picture = try decode(bitmap(bits: 8, compression: 1, colors: Self.colors, rows: [runs]))
        #expect(picture.pixels == ["000000", "000000", "00ff00", "ff0000", "000000", "000000"])
    }

    @Test(
        arguments: [
            [200, 1, 0, 0, 200, 1, 0, 0, 200, 1, 0, 1], [0, 2, 255, 255, 9, 1, 0, 1],
            [0, 200] + Array(repeating: 1, count: 200),
            [3, 1, 0], [], [0], [0, 2], [0, 2, 1], Array(repeating: 0, count: 600),
        ] as [[UInt8]]
    )
    func `runs beyond the line and the last row are harmless`(runs: [UInt8]) throws {
        let picture = try decode(bitmap(bits: 8, compression: 1, colors: Self.colors, rows: [runs]))
        #expect(picture.pixels.count == 6)
    }

    // MARK: Damage

    @Test func `missing rows are black and reported`() throws {
        let content = bitmap(bits: 8, colors: Self.colors, rows: Self.indices.reversed().map { Self.packed($0, 8) })
        let picture = try decode(Array(content.dropLast(2)))
        #expect(picture.pixels == ["ff0000", "00ff00", "000000"] + Self.pixels.suffix(3))
        #expect(picture.integrity == ImageIntegrity(.truncated, checked: .pixels, byte: content.count - 2))
        let headOnly = try decode(Array(content.dropLast(6)))
        #expect(headOnly.pixels == [])
    }

    @Test func `bytes after the pixels are reported`() throws {
        let content = bitmap(bits: 8, colors: Self.colors, rows: Self.indices.map { Self.packed($0, 8) })
        let integrity = try decode(content + [1, 2, 3]).integrity
        #expect(integrity == ImageIntegrity(.trailingBytes, checked: .pixels, byte: content.count))
    }

    @Test(arguments: [
        (24, 4, 40, RenderingError.unsupported(feature: "JPEG in a bitmap")),
        (24, 5, 40, .unsupported(feature: "PNG in a bitmap")),
        (24, 4, 64, .unsupported(feature: "bitmaps of run-length coded true colour")),
        (1, 3, 64, .unsupported(feature: "bitmaps in Huffman coding")),
        (32, 11, 40, .unsupported(feature: "CMYK bitmaps")),
        (64, 0, 40, .unsupported(feature: "bitmaps of 64 bits per pixel")),
        (24, 99, 40, .corrupt(byte: 14, part: "bitmap header")),
        (8, 2, 40, .corrupt(byte: 14, part: "bitmap header")),
    ])
    func `an unsupported feature is named`(bits: Int, compression: Int, headerBytes: Int, error: RenderingError) {
        let content = bitmap(bits: bits, compression: compression, headerBytes: headerBytes, rows: [])
        #expect(throws: error) { try decode(content) }
    }

    @Test(arguments: [
        (0, 1), (1, 0), (-5, 1), (Int(Int32.max), Int(Int32.max)), (1, Int(Int32.min)), (Int(Int32.max), 1),
    ])
    func `impossible sizes are rejected before memory is allocated`(width: Int, height: Int) {
        for compression in [0, 1] {
            let content = bitmap(
                width: width,
                height: height,
                bits: 8,
                compression: compression,
                colors: Self.colors,
                rows: []
            )
            var request = RenderingRequest(.bmp)
            request.placeholders = .average
            #expect(throws: RenderingError.self) { try PixelRenderer().render(content.span, request) }
        }
    }

    // MARK: Support

    private func bitmap(
        width: Int = 3,
        height: Int = 2,
        bits: Int,
        compression: Int = 0,
        headerBytes: Int = 40,
        inHeader: [UInt8] = [],
        extra: [UInt8] = [],
        colors: [[UInt8]] = [],
        rows: [[UInt8]]
    ) -> [UInt8] {
        var head = littleEndian(headerBytes, 4) + littleEndian(width, 4) + littleEndian(height, 4) + littleEndian(1, 2)
        head += littleEndian(bits, 2) + littleEndian(compression, 4) + littleEndian(0, 12)
        head += littleEndian(colors.count, 4) + littleEndian(0, 4) + inHeader
        head += [UInt8](repeating: 0, count: headerBytes - head.count) + extra
        let table: [UInt8] = colors.flatMap { [$0[2], $0[1], $0[0], 0] as [UInt8] }
        return file(head + table + rows.flatMap { $0 }, pixelStart: 14 + head.count + table.count)
    }

    private func file(_ rest: [UInt8], pixelStart: Int) -> [UInt8] {
        Array("BM".utf8) + littleEndian(14 + rest.count, 4) + littleEndian(0, 4) + littleEndian(pixelStart, 4) + rest
    }

    /// Returns a row of indices, padded to four bytes.
    private static func packed(_ indices: [Int], _ bits: Int) -> [UInt8] {
        var row = [UInt8](repeating: 0, count: (indices.count * bits + 31) / 32 * 4)
        for (x, index) in indices.enumerated() {
            row[x * bits / 8] |= UInt8(index << (8 - bits - x * bits % 8))
        }
        return row
    }

    private static func hex(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }

    private func decode(_ content: [UInt8]) throws(RenderingError) -> DecodedPicture {
        var source = try BMPSource(content.span)
        return try DecodedPicture(content, from: &source)
    }
}
