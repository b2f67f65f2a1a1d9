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
