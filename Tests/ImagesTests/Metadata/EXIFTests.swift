import Testing

@testable import Images
@testable import Serialization

@Suite struct EXIFTests {
    /// Returns the member `exif` of a JPEG with this EXIF, and the facts of the JPEG.
    private func read(_ exif: [UInt8], _ policy: EXIFPolicy = .typed) throws -> (json: String, facts: ImageFacts) {
        var jpeg = JPEGBuilder()
        jpeg.add(0xE1, .ascii("Exif\0\0") + exif)
        jpeg.addFrame()
        let content = jpeg.finished()
        let facts = try header(content) { $0.exif = policy }
        var writer = JSONWriter()
        if let exif = facts.exif { writer.exif(exif, policy, content.span) }
        return (String(decoding: [UInt8](writer.finish()), as: UTF8.self), facts)
    }

    private static let orders: [ByteOrder] = [.big, .little]

    @Test(arguments: orders)
    func `values are typed, in both byte orders`(order: ByteOrder) throws {
        var exif = EXIFBuilder(order)
        exif.image = [
            exif.text(0x010F, "Make  "), exif.short(0x0112, 6), exif.fractions(0x011A, 300, 1),
            exif.fractions(0x011B, 600, 2), exif.short(0x0128, 3),
        ]
        exif.exif = [
            exif.fractions(0x829A, 1, 120), exif.fractions(0x9204, -1, 3, signed: true), exif.short(0x9209, 16),
            exif.short(0x9207, 99), exif.fractions(0xA432, 24, 1, 70, 1, 28, 10, 0, 0),
            EXIFBuilder.Entry(tag: 0x9101, type: .undefined, count: 4, value: [1, 2, 3, 0]),
            EXIFBuilder.Entry(tag: 0x9000, type: .undefined, count: 4, value: .ascii("0232")),
            EXIFBuilder.Entry(tag: 0x927C, type: .undefined, count: 9, value: .ascii("anything!")),
            exif.short(0xBEEF, 1),
        ]
        let (json, facts) = try read(exif.bytes)
        #expect(
            json == """
                "exif":{"make":"Make","xResolution":{"numerator":300,"denominator":1,"value":300},\
                "yResolution":{"numerator":600,"denominator":2,"value":300},"resolutionUnit":{"value":3,"name":"cm"},\
                "exposureTime":{"numerator":1,"denominator":120,"value":0.008333},\
                "exposureBiasValue":{"numerator":-1,"denominator":3,"value":-0.333333},\
                "flash":{"value":16,"name":"Off, Did not fire"},"meteringMode":{"value":99},\
                "lensSpecification":[{"numerator":24,"denominator":1,"value":24},\
                {"numerator":70,"denominator":1,"value":70},{"numerator":28,"denominator":10,"value":2.8},\
                {"numerator":0,"denominator":0}],"componentsConfiguration":["Y","Cb","Cr","-"],\
                "exifVersion":"0232","makerNote":{"bytes":9}}
                """
        )
        #expect(facts.orientation == 6 && facts.orientedSize ?? (0, 0) == (9, 16))
        #expect(facts.density == ImageDensity(x: 300, y: 300, unit: .centimeter, source: .exif))
        #expect(facts.flaws == [])
    }

    @Test(arguments: orders)
    func `a position is in degrees, and its time in UTC`(order: ByteOrder) throws {
        var exif = EXIFBuilder(order)
        exif.gps = [
            exif.text(1, "S"), exif.fractions(2, 46, 1, 12, 1, 0, 1), exif.text(3, "E"),
            exif.fractions(4, 6, 1, 9, 1, 3_030, 100),
            EXIFBuilder.Entry(tag: 5, type: .byte, count: 1, value: [1]), exif.fractions(6, 3_752, 10),
            exif.fractions(7, 10, 1, 20, 1, 61, 2), exif.text(0x0C, "K"), exif.text(0x1D, "2024:05:01"),
        ]
        #expect(
            try read(exif.bytes).json == """
                "exif":{"gps":{"latitude":-46.2,"longitude":6.15841667,"altitude":-375.2,\
                "dateTime":"2024-05-01T10:20:30.5Z","speedRef":{"value":"K","name":"km/h"}}}
                """
        )
        #expect(try read(exif.bytes, .public).json == "")
    }

    @Test(
        arguments: [
            ([46, 1, 30, 0, 0, 1], "N", nil), ([46, 1, 30, 1, 0, 0], "N", nil), ([46, 0], "N", nil),
            ([46, 1], nil, nil),
            ([46, 1], "", nil), ([46, 1], "E", nil), ([91, 1], "N", nil), ([46, 1, 30, 1], "s", "-46.5"),
            ([46, 1, 0, 1, 0, 1], "North", "46"),
        ] as [([Int], String?, String?)]
    )
    func `a malformed position is omitted and reported`(numbers: [Int], side: String?, latitude: String?) throws {
        var exif = EXIFBuilder(.big)
        let value = numbers.flatMap { exif.four($0) }
        exif.gps = side.map { [exif.text(1, $0)] } ?? []
        exif.gps.append(EXIFBuilder.Entry(tag: 2, type: .rational, count: numbers.count / 2, value: value))
        let (json, facts) = try read(exif.bytes)
        #expect(json == (latitude.map { #""exif":{"gps":{"latitude":\#($0)}}"# } ?? ""))
        #expect(facts.flaws.map(\.part) == (latitude == nil ? ["EXIF"] : []))
        #expect(try read(exif.bytes, .public).facts.flaws == [])
    }

    @Test func `numbers that are not finite are omitted and reported`() throws {
        var exif = EXIFBuilder(.big)
        exif.exif = [
            EXIFBuilder.Entry(tag: 0x9201, type: .double, count: 1, value: exif.four(0x7FF8_0000) + exif.four(0)),
            EXIFBuilder.Entry(tag: 0x9202, type: .float, count: 1, value: exif.four(0x3FC0_0000)),
            EXIFBuilder.Entry(tag: 0x9400, type: .float, count: 1, value: exif.four(0xFF80_0000)),
        ]
        exif.gps = [EXIFBuilder.Entry(tag: 6, type: .float, count: 1, value: exif.four(0x7F80_0000))]
        let (json, facts) = try read(exif.bytes)
        #expect(json == #""exif":{"apertureValue":1.5}"#)
        #expect(facts.flaws.map(\.part) == ["EXIF", "EXIF", "EXIF"])
        // The temperature and the altitude are not reported in any case.
        #expect(try read(exif.bytes, .public).facts.flaws.count == 1)
    }

    @Test(arguments: [0, 1, 8, 9])
    func `an orientation that does not exist is reported`(orientation: Int) throws {
        var exif = EXIFBuilder(.big)
        exif.image = [exif.short(0x0112, orientation)]
        let (_, facts) = try read(exif.bytes, .public)
        #expect(facts.orientation == (1...8 ~= orientation ? orientation : nil))
        #expect(facts.flaws.map(\.part) == (1...8 ~= orientation ? [] : ["EXIF"]))
    }

    @Test func `a text in place of a number is omitted and reported`() throws {
        var exif = EXIFBuilder(.little)
        exif.exif = [
            exif.text(0x829A, "1/60"), exif.text(0x8827, "100"), exif.text(0x9207, "spot"), exif.text(0xA434, "lens"),
        ]
        let (json, facts) = try read(exif.bytes)
        #expect(json == #""exif":{"lensModel":"lens"}"#)
        #expect(facts.flaws.map(\.part) == ["EXIF", "EXIF", "EXIF"])
    }

    @Test(arguments: [
        ("photo\0editor\0", #"photo\neditor"#), ("photo \0", "photo"), ("photo", "photo"), (" \0editor", #"\neditor"#),
        ("photo\0 \0x", "photo"), ("\0\0", nil),
    ])
    func `a copyright has the texts of the photographer and of the editor`(text: String, expected: String?) throws {
        var exif = EXIFBuilder(.little)
        exif.image = [EXIFBuilder.Entry(tag: 0x8298, type: .ascii, count: text.utf8.count, value: .ascii(text))]
        #expect(try read(exif.bytes).json == (expected.map { #""exif":{"copyright":"\#($0)"}"# } ?? ""))
    }

    @Test(
        arguments: [
            ("2024:05:01 10:20:30", "123", "+02:00", "2024-05-01T10:20:30.123+02:00"),
            ("2024:05:01 10:20:30", nil, nil, "2024-05-01T10:20:30"),
            ("2024:05:01 10:20:30", "12x", "0200", "2024-05-01T10:20:30"),
            ("0000:00:00 00:00:00", nil, nil, nil),
            ("    :  :     :  :  ", nil, nil, nil),
            ("May 1st, 2024", nil, nil, "May 1st, 2024"),
        ] as [(String, String?, String?, String?)]
    )
    func `a date includes its fraction and offset if present`(
        date: String,
        fraction: String?,
        offset: String?,
        expected: String?
    ) throws {
        var exif = EXIFBuilder(.little)
        exif.exif = [exif.text(0x9003, date)]
        if let offset { exif.exif.append(exif.text(0x9011, offset)) }
        if let fraction { exif.exif.append(exif.text(0x9291, fraction)) }
        let json = try read(exif.bytes).json
        #expect(json.contains("dateTimeOriginal") == (expected != nil))
        if let expected { #expect(json.contains(#""dateTimeOriginal":"\#(expected)""#)) }
    }

    @Test func `public omits persons, places and times`() throws {
        var exif = EXIFBuilder(.little)
        exif.image = [exif.text(0x0110, "Model"), exif.text(0x013B, "Ann"), exif.text(0x0132, "2024:05:01 10:20:30")]
        exif.exif = [exif.text(0xA431, "serial"), exif.short(0x8827, 100), exif.text(0xA430, "Ann")]
        exif.gps = [exif.text(1, "N"), exif.fractions(2, 1, 1)]
        #expect(try read(exif.bytes, .public).json == #""exif":{"model":"Model","photographicSensitivity":100}"#)
        #expect(try read(exif.bytes, .none).json == "")
    }

    @Test func `an offset out of the content or backwards is omitted and reported`() throws {
        var exif = EXIFBuilder(.big)
        exif.image = [
            EXIFBuilder.Entry(tag: 0x010F, type: .ascii, count: 4_000_000_000, value: exif.four(0)),
            EXIFBuilder.Entry(tag: 0x8769, type: .long, count: 1, value: exif.four(8)),
            EXIFBuilder.Entry(tag: 0x8825, type: .long, count: 1, value: exif.four(0x7FFF_FFFF)),
            exif.text(0x0110, "X"),
        ]
        let (json, facts) = try read(exif.bytes)
        #expect(json == #""exif":{"model":"X"}"#)
        #expect(facts.flaws.allSatisfy { $0.part == "EXIF" } && facts.flaws.count >= 2)
        let none = try read(.ascii("garbage"))
        #expect(none.json == "" && none.facts.flaws.count == 1)
    }

    @Test(arguments: Array(1...8))
    func `eight orientations`(orientation: Int) throws {
        var exif = EXIFBuilder(.little)
        exif.image = [exif.short(0x0112, orientation)]
        let facts = try read(exif.bytes).facts
        #expect(facts.orientation == orientation)
        #expect(facts.orientedSize ?? (0, 0) == (orientation < 5 ? (16, 9) : (9, 16)))
    }

    @Test(arguments: [EXIFPolicy.typed, .public, .none])
    func `the density and the first orientation are used whatever the EXIF policy is`(policy: EXIFPolicy) throws {
        var first = EXIFBuilder(.little)
        first.image = [first.short(0x0112, 6), first.fractions(0x011A, 300, 1), first.fractions(0x011B, 300, 1)]
        var second = EXIFBuilder(.big)
        second.image = [second.short(0x0112, 3), second.fractions(0x011A, 9, 1), second.fractions(0x011B, 9, 1)]
        var jpeg = JPEGBuilder()
        jpeg.add(0xE1, .ascii("Exif\0\0") + first.bytes)
        jpeg.add(0xE1, .ascii("Exif\0\0") + second.bytes)
        jpeg.addFrame()
        var png = PNGBuilder()
        png.add("eXIf", first.bytes)
        png.add("eXIf", second.bytes)
        for content in [jpeg.finished(), png.finished()] {
            let facts = try header(content) { $0.exif = policy }
            #expect(facts.orientation == 6)
            #expect(facts.density == ImageDensity(x: 300, y: 300, unit: .inch, source: .exif))
        }
    }

    /// EXIF as written by ImageMagick: a name, the length, hexadecimal digits.
    @Test(arguments: [EXIFPolicy.typed, .public, .none])
    func `EXIF in a PNG text determines the orientation whatever the EXIF policy is`(policy: EXIFPolicy) throws {
        var exif = EXIFBuilder(.big)
        exif.image = [exif.short(0x0112, 8), exif.text(0x0110, "Model"), exif.text(0x013B, "Ann")]
        let bytes = .ascii("Exif\0\0") + exif.bytes
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var png = PNGBuilder()
        png.add("tEXt", .ascii("Raw profile type exif\0\nexif\n    \(bytes.count)\n\(digits)\n"))
        png.add("tEXt", .ascii("Author\0Ann"))
        let content = png.finished()
        let facts = try header(content) { $0.exif = policy }
        #expect(facts.orientation == 8)
        #expect(facts.texts.map(\.keyword) == (policy == .typed ? ["Author"] : []))
        #expect((facts.exif == nil) == (policy == .none))
    }

    @Test(arguments: orders)
    func `a BigTIFF has EXIF, too`(order: ByteOrder) throws {
        let exif = EXIFBuilder(order)
        func eight(_ value: Int) -> [UInt8] {
            order == .big ? exif.four(0) + exif.four(value) : exif.four(value) + exif.four(0)
        }
        func entry(_ tag: Int, _ type: TIFFType, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            exif.two(tag) + exif.two(Int(type.rawValue)) + eight(count)
                + value + [UInt8](repeating: 0, count: 8 - value.count)
        }
        // 16 bytes of header, 8 + 5 × 20 + 8 of the first directory, 8 + 2 × 20 + 8 of the Exif directory, then a text.
        let entries = [
            entry(0x0100, .long, 1, exif.four(3)), entry(0x0101, .long8, 1, eight(2)),
            entry(0x0110, .ascii, 10, eight(188)), entry(0x0112, .short, 1, exif.two(6)),
            entry(0x8769, .directory8, 1, eight(132)),
        ]
        let inner = [entry(0x829A, .rational, 1, exif.four(1) + exif.four(8)), entry(0x8827, .short, 1, exif.two(100))]
        let head: [UInt8] = .ascii(order == .big ? "MM" : "II") + exif.two(43) + exif.two(8) + exif.two(0) + eight(16)
        let content =
            head + eight(5) + entries.flatMap { $0 } + eight(0) + eight(2) + inner.flatMap { $0 } + eight(0)
            + .ascii("Big Model\0")
        let facts = try header(content)
        #expect((facts.width, facts.height, facts.orientation) == (3, 2, 6))
        var writer = JSONWriter()
        writer.exif(try #require(facts.exif), .typed, content.span)
        #expect(
            String(decoding: [UInt8](writer.finish()), as: UTF8.self) == """
                "exif":{"model":"Big Model","exposureTime":{"numerator":1,"denominator":8,"value":0.125},\
                "photographicSensitivity":100}
                """
        )
        for count in 16..<content.count { _ = try? header(Array(content[..<count])) }
    }

    @Test func `the embedded thumbnail has its size`() throws {
        let small = JPEGBuilder.small()
        let facts = try read(withThumbnail(small)).facts
        #expect(facts.embeddedThumbnail?.width == 16 && facts.embeddedThumbnail?.height == 9)
        #expect(facts.embeddedThumbnail?.range.count == small.count)
        #expect(try read(withThumbnail(small), .public).facts.embeddedThumbnail == nil)
    }

    /// It is read like any JPEG.
    @Test func `an embedded thumbnail has a complete frame header, and may have bytes between its segments`() throws {
        var jpeg = JPEGBuilder()
        jpeg.bytes += [0, 0xFF, 0]
        jpeg.addFrame()
        #expect(try read(withThumbnail(jpeg.finished())).facts.embeddedThumbnail?.width == 16)
        let frame = jpeg.bytes.count
        #expect(try read(withThumbnail(Array(jpeg.bytes[..<frame]))).facts.embeddedThumbnail?.width == 16)
        #expect(try read(withThumbnail(Array(jpeg.bytes[..<(frame - 1)]))).facts.embeddedThumbnail == nil)
        #expect(try read(withThumbnail([0xFF, 0xD8])).facts.embeddedThumbnail == nil)
    }

    private func withThumbnail(_ jpeg: [UInt8]) -> [UInt8] {
        let head: [UInt8] = .ascii("II") + .little16(42) + .little32(8) + .little16(0) + .little32(14)
        let directory: [UInt8] =
            .little16(2) + .little16(0x0201) + .little16(4) + .little32(1) + .little32(44) + .little16(0x0202)
            + .little16(4) + .little32(1) + .little32(jpeg.count) + .little32(0)
        return head + directory + jpeg
    }

    /// Returns EXIF in which all texts that the standard names are the same bytes.
    private func sharedTexts(_ bytes: Int) -> [UInt8] {
        let tags = [0x010D, 0x010E, 0x010F, 0x0110, 0x0131, 0x0132, 0x013B, 0x013C, 0x8298, 0x9C9B, 0x9C9C]
        let entries = tags.map { [UInt8].little16($0) + .little16(2) + .little32(bytes) + .little32(8) }
        let start = 8 + bytes
        return .ascii("II") + .little16(42) + .little32(start) + [UInt8](repeating: 0x41, count: bytes)
            + .little16(tags.count) + entries.flatMap { $0 } + .little32(0)
    }

    @Test func `texts together are at most as long as the data`() throws {
        let exif = sharedTexts(50_000)
        let (json, facts) = try read(exif)
        #expect(json.utf8.count < exif.count)
        #expect(json.hasPrefix(#""exif":{"documentName":"AAAA"#))
        #expect(facts.flaws.count + facts.unlistedFlawCount == 10)
        // Short texts are shared by some encoders.
        #expect(try read(sharedTexts(10)).facts.flaws == [])
    }

    @Test func `errors beyond the listed ones are counted`() throws {
        var exif = EXIFBuilder(.big)
        exif.image = (0..<30).map { EXIFBuilder.Entry(tag: 0x010D + $0, type: .ascii, count: 4_000_000_000, value: []) }
        let facts = try read(exif.bytes).facts
        #expect((facts.flaws.count, facts.unlistedFlawCount) == (16, 14))
    }

    @Test(
        arguments: [
            ((23, 1), (59, 1), (59_999, 1_000), "2024-05-01T23:59:59.999Z"), ((23, 1), (59, 1), (60, 1), nil),
            ((23_999, 1_000), (59, 1), (0, 1), nil), ((23, 1), (59, 1), (599_999_999, 10_000_000), nil),
        ] as [((Int, Int), (Int, Int), (Int, Int), String?)]
    )
    func `the time of a position is within its day`(
        hours: (Int, Int),
        minutes: (Int, Int),
        seconds: (Int, Int),
        expected: String?
    ) throws {
        var exif = EXIFBuilder(.little)
        exif.gps = [
            exif.fractions(7, hours.0, hours.1, minutes.0, minutes.1, seconds.0, seconds.1),
            exif.text(0x1D, "2024:05:01"),
        ]
        #expect(try read(exif.bytes).json == (expected.map { #""exif":{"gps":{"dateTime":"\#($0)"}}"# } ?? ""))
    }

    /// Exif 3.0 has texts in UTF-8, type 129. Types 14, 15, 19 and others are not defined.
    @Test(arguments: orders)
    func `a text may be in UTF-8, and an entry of an undefined type is omitted and reported`(order: ByteOrder) throws {
        var exif = EXIFBuilder(order)
        exif.image = [
            EXIFBuilder.Entry(tag: 0x010E, type: .utf8, count: 5, value: .ascii("é…")),
            EXIFBuilder.Entry(tag: 0x010F, type: .ascii, count: 3, value: .ascii("abc")),
            EXIFBuilder.Entry(tag: 0x0112, type: .utf8, count: 1, value: [6]),
            exif.short(0x0128, 3),
        ]
        // The type of the second entry.
        let place = 8 + 2 + 12 + (order == .big ? 3 : 2)
        for type: UInt8 in [0, 14, 15, 16, 18, 19, 128, 130, 255] {
            var bytes = exif.bytes
            bytes[place] = type
            let (json, facts) = try read(bytes)
            #expect(
                json == #""exif":{"imageDescription":"é…","resolutionUnit":{"value":3,"name":"cm"}}"#
            )
            // A text is not an orientation.
            #expect(facts.orientation == nil)
            // SOI, the marker and the length of APP1, "Exif\0\0", then the header, the count and the first entry; and
            // the value of the third one.
            let entries = 2 + 4 + 6 + 8 + 2
            #expect(facts.flaws == [entries + 12, entries + 24 + 8].map { ImageFlaw(byte: $0, part: "EXIF") })
        }
        // A type has 16 bits.
        var wide = exif.bytes
        wide[8 + 2 + 12 + (order == .big ? 2 : 3)] = 1
        #expect(try read(wide).facts.flaws.count == 2)
    }
}
