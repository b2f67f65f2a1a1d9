import Testing

@testable import Images
@testable import Serialization

@Suite struct TIFFFactsTests {
    // Tags: 256 width, 257 height, 258 bits, 259 compression, 262 photometric, 270 description, 274 orientation,
    // 277 samples, 282 and 283 density, 296 its unit, 338 extra samples, 530 subsampling, 700 XMP, 34 675 ICC profile.

    @Test(arguments: [false, true])
    func `colours with alpha, density, EXIF, XMP and a colour profile`(isBigEndian: Bool) throws {
        let order: ByteOrder = isBigEndian ? .big : .little
        var tiff = EXIFBuilder(order)
        func bytes(_ tag: Int, _ value: [UInt8]) -> EXIFBuilder.Entry {
            EXIFBuilder.Entry(tag: tag, type: .undefined, count: value.count, value: value)
        }
        tiff.image = [
            tiff.short(256, 40), tiff.short(257, 30),
            EXIFBuilder.Entry(tag: 258, type: .short, count: 4, value: (0..<4).flatMap { _ in tiff.two(16) }),
            tiff.short(259, 5), tiff.short(262, 2), tiff.text(0x010F, "Maker"), tiff.short(274, 6), tiff.short(277, 4),
            tiff.fractions(282, 300, 1), tiff.fractions(283, 600, 2), tiff.short(296, 3), tiff.short(338, 2),
            bytes(700, .ascii("<x:xmpmeta>a</x:xmpmeta>")), bytes(34_675, profile("RGB ", description: "Wide")),
        ]
        tiff.exif = [tiff.short(0x8827, 400)]
        #expect(
            try facts(tiff.bytes) == """
                {"format":"tiff","mediaType":"image/tiff","width":40,"height":30,\
                "orientation":{"value":6,"name":"Rotate 90 CW"},"oriented":{"width":30,"height":40},"scale":1,\
                "size":{"width":30,"height":40},"color":{"model":"rgb","channels":4,"bitsPerChannel":16,"alpha":true,\
                "icc":{"bytes":161,"description":"Wide","space":"RGB","intent":"perceptual"}},\
                "density":{"x":300,"y":300,"unit":"centimeter","source":"tiff"},"coding":{"compression":"lzw"},\
                "frames":1,"exif":{"make":"Maker","xResolution":{"numerator":300,"denominator":1,"value":300},\
                "yResolution":{"numerator":600,"denominator":2,"value":300},"resolutionUnit":{"value":3,"name":"cm"},\
                "photographicSensitivity":400},"xmp":"<x:xmpmeta>a</x:xmpmeta>",\
                "integrity":{"verdict":"unchecked","checked":"header"},"decoded":"header"}
                """
        )
    }

    @Test(
        arguments: [
            ([258: [1], 262: [0]], #""model":"bilevel","channels":1,"bitsPerChannel":1,"alpha":false"#),
            ([258: [8], 262: [1]], #""model":"gray","channels":1,"bitsPerChannel":8,"alpha":false"#),
            ([258: [4], 262: [3]], #""model":"palette","channels":1,"bitsPerChannel":4,"alpha":false"#),
            (
                [258: [8, 8, 8, 8], 262: [5], 277: [4]],
                #""model":"cmyk","channels":4,"bitsPerChannel":8,"alpha":false"#
            ),
            (
                [258: [8, 8, 8], 262: [6], 277: [3], 530: [2, 1]],
                #""model":"ycbcr","channels":3,"bitsPerChannel":8,"alpha":false,"subsampling":"4:2:2""#
            ),
            (
                [258: [8, 8, 8], 262: [6], 277: [3], 530: [1, 4]],
                #""model":"ycbcr","channels":3,"bitsPerChannel":8,"alpha":false,"subsampling":"4:4:1""#
            ),
            ([258: [8, 8, 8], 262: [8], 277: [3]], #""model":"lab","channels":3,"bitsPerChannel":8,"alpha":false"#),
        ] as [([Int: [Int]], String)]
    )
    func `colour models`(tags: [Int: [Int]], color: String) throws {
        let tiff = TIFFBuilder(tags: tags.merging([256: [2], 257: [2]]) { first, _ in first }, data: [[0, 0, 0, 0]])
        #expect(
            try facts(tiff.content) == """
                {"format":"tiff","mediaType":"image/tiff","width":2,"height":2,"scale":1,"size":{"width":2,"height":2},\
                "color":{\(color)},"frames":1,"integrity":{"verdict":"unchecked","checked":"header"},"decoded":"header"}
                """
        )
    }

    /// Returns a directory with only the sides, and the offset of the next one.
    private func directory(next: Int, width: Int = 2) -> [UInt8] {
        let sides: [UInt8] =
            .little16(256) + .little16(3) + .little32(1) + .little32(width) + .little16(257) + .little16(3)
        return .little16(2) + sides + .little32(1) + .little32(2) + .little32(next)
    }

    @Test func `pages are counted up to the end of the chain`() throws {
        let head: [UInt8] = .ascii("II") + .little16(42) + .little32(8)
        // Each directory has 30 bytes.
        #expect(try header(head + directory(next: 38) + directory(next: 0, width: 9)).frames == 2)
        let circle = try header(head + directory(next: 38) + directory(next: 8))
        #expect(circle.frames == 2 && circle.width == 2)
        let out = head + directory(next: 5_000)
        #expect(try header(out).integrity == ImageIntegrity(.truncated, checked: .structure, byte: out.count))
        #expect(throws: ImageError(.corrupt(part: "directory"), at: 8)) { try header(head + [0, 0, 0, 0, 0, 0]) }
        #expect(throws: ImageError(.truncated, at: 8)) { try header(head) }
    }

    @Test func `a number of entries that is impossible is corrupt, whatever it is`() {
        let head: [UInt8] = .ascii("II") + .little16(43) + .little16(8) + .little16(0) + .little64(16)
        for count in [[UInt8].little64(0), .little64(65_536), [UInt8](repeating: 0xFF, count: 8)] {
            #expect(throws: ImageError(.corrupt(part: "directory"), at: 16)) { try header(head + count) }
        }
    }

    /// The bytes of an entry before its value. Tags whose value is cut out of the content: XMP and the profile.
    @Test(arguments: [700, 34_675, 282, 256], [false, true])
    func `an entry is omitted if the content ends in its value`(tag: Int, isBig: Bool) {
        let head: [UInt8] =
            isBig
            ? .ascii("II") + .little16(43) + .little16(8) + .little16(0) + .little64(16) + .little64(1)
            : .ascii("II") + .little16(42) + .little32(8) + .little16(1)
        for type in [1, 3, 5, 7] {
            for count in 0...9 {
                let entry: [UInt8] = .little16(tag) + .little16(type) + (isBig ? .little64(count) : .little32(count))
                for valueBytes in 0...(isBig ? 8 : 4) {
                    let content = head + entry + [UInt8](repeating: 0, count: valueBytes)
                    #expect(throws: ImageError(.corrupt(part: "directory"), at: isBig ? 8 : 4)) {
                        try header(content)
                    }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `the first entry with a tag counts, also if its value is out of the content`(isFirstValid: Bool) throws {
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
            .little16(tag) + .little16(type) + .little32(count) + .little32(value)
        }
        let wide = profile(description: "First")
        let texts: [UInt8] =
            wide + profile(description: "Other") + .ascii("<x:xmpmeta>1</x:xmpmeta><x:xmpmeta>2</x:xmpmeta>")
        let start = 8 + 2 + 12 * 8 + 4
        let xmp = start + 2 * wide.count
        let beyond = 1 << 20
        let content: [UInt8] =
            .ascii("II") + .little16(42) + .little32(8) + .little16(8)
            + entry(256, 3, 1, 40) + entry(257, 3, 1, 30) + entry(256, 3, 1, 99)
            + entry(700, 1, 24, isFirstValid ? xmp : beyond) + entry(700, 1, 24, xmp + 24)
            + entry(34_675, 7, wide.count, isFirstValid ? start : beyond)
            + entry(34_675, 7, wide.count, start + wide.count) + entry(34_675, 7, wide.count, start + wide.count)
            + .little32(0) + texts
        let facts = try header(content)
        #expect((facts.width, facts.height) == (40, 30))
        #expect(facts.color.profile?.description == (isFirstValid ? "First" : nil))
        #expect(facts.xmp == (isFirstValid ? .utf8(xmp..<xmp + 24) : nil))
        #expect(facts.flaws.map(\.part) == (isFirstValid ? [] : ["TIFF tag 700", "TIFF tag 34675"]))
    }

    @Test func `errors in the Exif directory and invalid dates are reported`() throws {
        var tiff = EXIFBuilder(.little)
        tiff.image = [tiff.short(256, 40), tiff.short(257, 30), tiff.text(0x0132, "May 1st, 2024")]
        tiff.exif = [
            EXIFBuilder.Entry(tag: 0x829A, type: .rational, count: 1_000, value: tiff.four(0)), tiff.short(0x8827, 400),
        ]
        let facts = try header(tiff.bytes)
        let exif = try #require(facts.exif)
        #expect(exif.number(.exif, 0x8827, tiff.bytes.span) == 400)
        #expect(facts.flaws.map(\.date) == [nil, "May 1st, 2024"])
        #expect(facts.flaws.map(\.part) == ["EXIF", "EXIF"])
        #expect(try header(tiff.bytes) { $0.exif = .none }.exif == nil)
    }

    private func entry(_ tag: Int, _ type: Int, _ count: [UInt8], _ value: [UInt8]) -> [UInt8] {
        .little16(tag) + .little16(type) + count + value
    }

    @Test func `a value longer than the content is reported`() throws {
        let content: [UInt8] =
            .ascii("II") + .little16(42) + .little32(8) + .little16(3) + entry(256, 3, .little32(1), .little32(2))
            + entry(257, 3, .little32(1), .little32(2)) + entry(700, 1, .little32(5_000), .little32(8)) + .little32(0)
        #expect(try header(content).flaws == [ImageFlaw(byte: 8 + 2 + 24, part: "TIFF tag 700")])
    }

    @Test func `a number of 64 bits that is impossible ends neither its directory nor the chain silently`() throws {
        let head: [UInt8] = .ascii("II") + .little16(43) + .little16(8) + .little16(0)
        let impossible = [UInt8](repeating: 0xFF, count: 8)
        let entries: [UInt8] =
            entry(270, 2, impossible, .little64(16)) + entry(256, 3, .little64(1), .little64(4))
            + entry(257, 3, .little64(1), .little64(3))
        let content = head + .little64(16) + .little64(3) + entries + impossible
        let facts = try header(content)
        #expect((facts.width, facts.height) == (4, 3))
        #expect(facts.flaws == [ImageFlaw(byte: 24, part: "TIFF tag 270")])
        #expect(facts.integrity == ImageIntegrity(.truncated, checked: .structure, byte: content.count))
        #expect(throws: ImageError(.truncated, at: 16)) { try header(head + impossible) }
        #expect(throws: ImageError(.corrupt(part: "header"), at: 8)) { try header(head + .little64(0)) }
    }

    @Test func `a directory that is cut off is truncated`() throws {
        let content: [UInt8] =
            .ascii("II") + .little16(42) + .little32(8) + .little16(3) + entry(256, 3, .little32(1), .little32(2))
            + entry(257, 3, .little32(1), .little32(2))
        let facts = try header(content)
        #expect((facts.width, facts.height) == (2, 2))
        #expect(facts.integrity == ImageIntegrity(.truncated, checked: .structure, byte: content.count))
    }
}
