import Testing

@testable import Images
@testable import Serialization

@Suite struct HEIFFactsTests {
    /// Returns a box, or a full box if `version` is not `nil`.
    private func box(_ type: String, _ data: [UInt8], version: UInt8? = nil, flags: UInt8 = 0) -> [UInt8] {
        let head: [UInt8] = version.map { [$0, 0, 0, flags] } ?? []
        return .big32(8 + head.count + data.count) + .ascii(type) + head + data
    }

    private func size(_ width: Int, _ height: Int) -> [UInt8] {
        box("ispe", .big32(width) + .big32(height), version: 0)
    }

    /// - Parameters:
    ///   - properties: The boxes of `ipco`.
    ///   - associations: For each item, the positions of its properties, from 1.
    private func heif(
        brand: String = "heic",
        _ properties: [[UInt8]],
        primary: Int? = nil,
        associations: [(item: Int, places: [UInt8])] = [],
        isWide: Bool = false
    ) -> [UInt8] {
        var inside: [UInt8] = []
        if let primary { inside += box("pitm", isWide ? .big32(primary) : .big16(primary), version: isWide ? 1 : 0) }
        var places: [UInt8] = .big32(associations.count)
        for (item, indices) in associations {
            places += isWide ? .big32(item) : .big16(item)
            places += [UInt8(indices.count)] + indices.flatMap { isWide ? [0x80, $0] : [0x80 | $0] }
        }
        let listed = box("ipco", properties.flatMap { $0 })
        let associated = associations.isEmpty ? [] : box("ipma", places, version: isWide ? 1 : 0, flags: isWide ? 1 : 0)
        inside += box("iprp", listed + associated)
        return box("ftyp", .ascii(brand) + [0, 0, 0, 0] + .ascii("mif1" + brand)) + box("meta", inside, version: 0)
    }

    @Test(arguments: [false, true])
    func `the size is the primary item's, not the largest`(isWide: Bool) throws {
        let properties = [
            size(4_000, 4_000), size(640, 480), box("irot", [1]), box("pixi", [3, 10, 10, 10], version: 0),
        ]
        let facts = try header(heif(properties, primary: 7, associations: [(1, [1]), (7, [2, 3, 4])], isWide: isWide))
        #expect((facts.width, facts.height) == (640, 480))
        #expect(facts.orientation == 8)
        #expect(facts.orientedSize ?? (0, 0) == (480, 640))
        #expect((facts.color.channels, facts.color.bitsPerChannel) == (3, 10))
    }

    @Test func `without a primary item, the largest size is reported without rotation`() throws {
        let properties = [size(512, 512), size(4_032, 3_024), box("irot", [3]), size(320, 240)]
        for facts in [
            try header(heif(properties)), try header(heif(properties, primary: 7, associations: [(1, [1])])),
            try header(heif(properties, primary: 7)),
        ] {
            #expect((facts.width, facts.height) == (4_032, 3_024))
            #expect(facts.orientation == nil)
        }
    }

    /// The boxes that libavif creates for EXIF orientations.
    @Test(
        arguments: [
            ([("irot", 0)], 1), ([("imir", 1)], 2), ([("irot", 2)], 3), ([("imir", 0)], 4),
            ([("irot", 1), ("imir", 0)], 5), ([("irot", 3)], 6), ([("irot", 3), ("imir", 0)], 7), ([("irot", 1)], 8),
            // In the order of the boxes.
            ([("imir", 0), ("irot", 1)], 7), ([("irot", 1), ("irot", 1)], 3), ([("imir", 1), ("imir", 0)], 3),
        ] as [([(String, UInt8)], Int)]
    )
    func `rotations and mirrorings are combined to an EXIF orientation`(steps: [(String, UInt8)], orientation: Int)
        throws
    {
        let properties = [size(640, 480)] + steps.map { box($0.0, [$0.1]) }
        let all = (1...properties.count).map { UInt8($0) }
        let facts = try header(heif(brand: "avif", properties, primary: 1, associations: [(1, all)]))
        #expect(facts.orientation == orientation)
        #expect(facts.orientedSize ?? (0, 0) == (orientation >= 5 ? (480, 640) : (640, 480)))
    }

    /// The fractions of `clap`: width, height, and the distances of the centres.
    private func clap(_ numbers: Int...) -> [UInt8] {
        box("clap", numbers.flatMap { [UInt8].big32($0 & 0xFFFF_FFFF) })
    }

    @Test func `a clean aperture is applied in the order of the transformations`() throws {
        func facts(_ transforms: [UInt8]..., first: Bool = false) throws -> ImageFacts {
            let sized = [size(64, 70)]
            let properties = first ? transforms + sized : sized + transforms
            return try header(
                heif(properties, primary: 1, associations: [(1, (1...properties.count).map { UInt8($0) })])
            )
        }
        // 7 pixels are cut off at the top, and 13 at the bottom.
        let cut = clap(64, 1, 50, 1, 0, 1, -3, 1)
        let plain = try facts(cut)
        #expect((plain.width, plain.height, plain.orientation) == (64, 70, nil))
        #expect(plain.orientedSize ?? (0, 0) == (64, 50) && plain.flaws == [])
        #expect(try facts(cut, box("irot", [1])).orientedSize ?? (0, 0) == (50, 64))
        #expect(try facts(box("irot", [1]), clap(60, 1, 50, 1, 0, 1, 0, 1)).orientedSize ?? (0, 0) == (60, 50))
        #expect(try facts(box("irot", [2]), cut, box("imir", [0])).orientedSize ?? (0, 0) == (64, 50))
        #expect(try facts(cut, first: true).orientedSize ?? (0, 0) == (64, 50))
        // 63 pixels with half a pixel to each side; a second aperture applies to the first one.
        #expect(try facts(clap(63, 1, 70, 1, 1, 2, 0, 1)).orientedSize ?? (0, 0) == (63, 70))
        #expect(try facts(cut, clap(10, 1, 10, 1, 0, 1, 0, 1)).orientedSize ?? (0, 0) == (10, 10))
        #expect(
            try self.facts(heif([size(64, 70), cut], primary: 1, associations: [(1, [1, 2])])).contains(
                #""width":64,"height":70,"oriented":{"width":64,"height":50},"scale":1,"size":{"width":64,"height":50}"#
            )
        )
    }

    private func facts(_ content: [UInt8]) throws -> String { try ImagesTests.facts(content) }

    @Test func `a malformed clean aperture is ignored and reported`() throws {
        let apertures = [
            clap(65, 1, 50, 1, 0, 1, 0, 1), clap(64, 0, 50, 1, 0, 1, 0, 1), clap(64, 1, 0, 1, 0, 1, 0, 1),
            clap(64, 1, 50, 1, 1, 1, 0, 1), clap(64, 1, 50, 1, 0, 0, 0, 1), clap(64, 1, 50, 1, 0, 1, -11, 1),
            clap(64, 1, 50, 1, 0, 1, Int(Int32.min), 1), clap(-1, 1, -1, 1, -1, 1, -1, 1),
            clap(1, -1, 50, 1, 0, 1, 0, 1),
            box("clap", [1, 2, 3]),
        ]
        for aperture in apertures {
            let content = heif([size(64, 70), aperture], primary: 1, associations: [(1, [1, 2])])
            let facts = try header(content)
            #expect(facts.displayedSize == nil && facts.orientedSize ?? (0, 0) == (64, 70))
            #expect(facts.flaws.map(\.part) == ["clean aperture"])
        }
        // No size to which it could apply.
        #expect(try header(heif([clap(1, 1, 1, 1, 0, 1, 0, 1)], primary: 1, associations: [(1, [1])])).flaws.count == 1)
        let vast = heif(
            [size(Int(Int32.max), 9), clap(1, 1, 1, 1, -1, -1, 0, 1)],
            primary: 1,
            associations: [(1, [1, 2])]
        )
        #expect(try header(vast).orientedSize ?? (0, 0) == (1, 1))
    }

    /// The box `iloc` of one item, whose data has two extents.
    private func location(version: UInt8, method: Int) -> [UInt8] {
        let id: [UInt8] = version == 2 ? .big32(1) + .big32(7) : .big16(1) + .big16(7)
        let item = id + (version == 0 ? [] : .big16(method)) + .big16(0) + .big32(0) + .big16(2)
        let extents: [UInt8] = .big32(0) + .big32(9) + .big32(9) + .big32(9)
        return box("iloc", [0x44, 0x40] + item + extents, version: version)
    }

    @Test(arguments: [(0, 0, true), (1, 0, true), (2, 0, true), (1, 1, false), (2, 1, false)] as [(UInt8, Int, Bool)])
    func `a picture without the data that it refers to is truncated`(version: UInt8, method: Int, isOutside: Bool)
        throws
    {
        let inside = box("iprp", box("ipco", size(4, 3)))
        let located = box("meta", location(version: version, method: method) + inside, version: 0)
        let content = box("ftyp", .ascii("heic") + .big32(0)) + located
        let truncated = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        #expect(try header(content).integrity == (isOutside ? truncated : ImageIntegrity(.unchecked, checked: .header)))
        #expect(try header(content + box("mdat", [1])).integrity.verdict == .unchecked)
        #expect(try header(content).width == 4)
        #expect(try header(heif([size(4, 3)]) + box("moov", [])).integrity.verdict == .truncated)
    }

    @Test func `content truncated at any offset has no more facts than the whole`() throws {
        let properties = [size(640, 480), box("irot", [1]), box("pixi", [3, 8, 8, 8], version: 0)]
        let content = heif(properties, primary: 1, associations: [(1, [1, 2, 3, 77])])
        let whole = try header(content)
        for count in 16..<content.count {
            let facts = try header(Array(content[..<count]))
            #expect(facts.width == nil || facts.width == whole.width)
            #expect(facts.orientation == nil || facts.orientation == whole.orientation)
        }
    }

    @Test func `a malformed profile is reported`() throws {
        let whole = heif([size(4, 3), box("colr", .ascii("prof") + profile())])
        #expect(try header(whole).color.profile?.description == "Test" && header(whole).flaws == [])
        let broken = try header(heif([size(4, 3), box("colr", .ascii("prof") + [1, 2, 3])]))
        #expect(broken.width == 4 && broken.color.profile == nil && broken.flaws.map(\.part) == ["ICC profile"])
    }

    @Test func `all outermost boxes are examined`() throws {
        let many = (0..<5_000).flatMap { _ in box("free", []) }
        let content = heif([]).prefix(24) + many + heif([size(4, 3)]).dropFirst(24)
        #expect(try header(Array(content)).width == 4)
        let cut = Array(content.dropLast())
        #expect(try header(cut).integrity == ImageIntegrity(.truncated, checked: .structure, byte: cut.count))
        // A length of 64 bits must include its own.
        let short: [UInt8] = .big32(1) + .ascii("free") + .big32(0) + .big32(15)
        #expect(try header(heif([size(4, 3)]) + short).integrity.verdict == .truncated)
    }
}
