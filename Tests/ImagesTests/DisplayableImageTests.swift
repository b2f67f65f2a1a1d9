import SerializationSupport
import Testing

@testable import Images
@testable import Serialization

/// Images that every browser displays completely are not rejected, whatever surrounds their pixels.
@Suite struct DisplayableImageTests {
    private func serialize(
        _ content: [UInt8],
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> Serialized {
        var options = SerializationOptions()
        options.view = .value
        options.serializer = .one(.image)
        configure(&options)
        return SerializationSupport.serialize(
            UpstreamResponse(status: 200),
            content: content,
            options: options,
            reader: ImageContentReader()
        )
    }

    private func codes(_ result: Serialized) -> [String] { result.warnings.map(\.code) }

    // MARK: Missing ends

    @Test(arguments: SmallJPEG.allCases.filter { $0 != .arithmetic })
    func `a JPEG without its end is complete if all pixels are present`(picture: SmallJPEG) {
        let content = Array(picture.content.dropLast(2))
        let result = serialize(content)
        #expect(
            result.json?.contains(
                #""integrity":{"verdict":"missing-end","checked":"pixels","at":{"byte":\#(content.count)}}"#
            ) == true
        )
        #expect(codes(result) == ["image.missing_end"])
    }

    @Test(arguments: SmallJPEG.allCases)
    func `a JPEG without its last pixels is truncated`(picture: SmallJPEG) {
        let content = Array(picture.content.dropLast(picture.content.count / 12))
        #expect(serialize(content).chain == [.init(ImageError(.truncated, at: content.count))])
    }

    @Test func `a progressive JPEG without its last scan is truncated`() throws {
        let whole = SmallJPEG.progressive.content
        let last = try #require(
            whole.indices.last { $0 + 1 < whole.count && whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
        )
        let content = Array(whole[..<last])
        #expect(serialize(content).chain == [.init(ImageError(.truncated, at: content.count))])
    }

    private static let png: [UInt8] = {
        var picture = RGBAImage(width: 40, height: 30, filledWith: RGBA(red: 1, green: 2, blue: 3))
        for index in 0..<40 * 30 { picture.pixels[4 * index] = UInt8(truncatingIfNeeded: index &* index) }
        return (try? PNGEncoder.encode(picture, isGrey: false, quality: 80)) ?? []
    }()

    @Test(arguments: [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 5, 1])
    func `a PNG without its end is complete if all pixels are present`(missing: Int) {
        let content = Array(Self.png.dropLast(missing))
        let result = serialize(content)
        #expect(
            result.json?.contains(
                #""integrity":{"verdict":"missing-end","checked":"pixels","at":{"byte":\#(content.count)}}"#
            ) == true
        )
        #expect(codes(result) == ["image.missing_end"])
    }

    @Test func `a PNG without its last pixels is truncated`() {
        let content = Array(Self.png.prefix(Self.png.count / 2))
        #expect(serialize(content).chain == [.init(ImageError(.truncated, at: content.count))])
    }

    @Test(arguments: [DecodePolicy.auto, .header, .full])
    func `a GIF without its trailer is complete`(decode: DecodePolicy) {
        var gif = GIFBuilder(2, 2, colors: [[0, 0, 0], [255, 255, 255]])
        gif.frame(0, 0, 2, 2, [0, 1, 1, 0])
        let content = Array(gif.content.dropLast())
        let result = serialize(content) { $0.decode = decode }
        #expect(result.json?.contains(#""verdict":"missing-end""#) == true)
        #expect(codes(result) == ["image.missing_end"])
    }

    @Test func `a WebP without its last padding is complete`() throws {
        let picture = RGBAImage(width: 3, height: 3, filledWith: RGBA(red: 1, green: 2, blue: 3))
        let image = try Array(WebPEncoder.encode(picture, isGrey: false, quality: 80)[12...])
        let body = [UInt8].ascii("WEBP") + image + .ascii("XMP ") + .little32(3) + .ascii("odd") + [0]
        let content = [UInt8].ascii("RIFF") + .little32(body.count) + body
        let result = serialize(Array(content.dropLast()))
        #expect(result.json?.contains(#""verdict":"missing-end""#) == true)
        #expect(codes(result) == ["image.missing_end"])
    }

    // MARK: Damage that affects no pixel

    @Test(arguments: ["tEXt", "gAMA", "iCCP", "acTL"])
    func `a bad checksum of an ancillary PNG chunk is a warning`(type: String) {
        var content = Self.png
        content.insert(contentsOf: [0, 0, 0, 3] + Array("\(type)A\0b".utf8) + [0, 0, 0, 0], at: 33)
        let result = serialize(content) { $0.thumbnails = [ThumbnailRequest(width: 9, height: 9)] }
        #expect(
            result.json?.contains(#""verdict":"corrupt","checked":"pixels","at":{"byte":33,"part":"\#(type)"}"#) == true
        )
        #expect(codes(result) == ["image.corrupt"])
        #expect(result.warnings.map(\.location) == [SourceLocation(byte: 33)])
    }

    @Test func `the facts and pixels of a PNG ignore a chunk with a bad checksum`() throws {
        var png = PNGBuilder(width: 1, height: 1, colorType: 2)
        png.bytes += [0, 0, 0, 6] + Array("tRNS".utf8) + [0, 1, 0, 2, 0, 3, 9, 9, 9, 9]
        #expect(try facts(png.finished()).contains(#""alpha":false"#))
    }

    @Test func `an image in Apple's variant of PNG has facts`() {
        var content = PNGBuilder(width: 300, height: 300).finished()
        content.insert(
            contentsOf: [0, 0, 0, 4] + Array("CgBI".utf8) + [0x50, 0, 0x20, 6, 0x2B, 0xD5, 0xB3, 0x7F],
            at: 8
        )
        let result = serialize(content)
        #expect(result.json?.contains(#""format":"png","mediaType":"image/png","width":300,"height":300"#) == true)
        #expect(codes(result) == ["image.unsupported_pixels"])
        let asked = serialize(content) { $0.thumbnails = [ThumbnailRequest(width: 9, height: 9)] }
        #expect(asked.chain == [.init(ImageError(.unsupportedPixels(feature: "Apple's CgBI variant of PNG")))])
    }

    @Test func `a GIF without any colour table is grey`() throws {
        var gif = GIFBuilder(4, 1, colors: [])
        gif.frame(0, 0, 4, 1, [0, 1, 2, 3])
        let result = serialize(gif.content)
        #expect(codes(result) == ["image.missing_color_table"])
        var source = try GIFPixels(gif.content.span, RenderingRequest(.gif))
        let picture = try DecodedPicture(gif.content, from: &source)
        #expect(picture.pixels == ["000000", "555555", "aaaaaa", "ffffff"])
    }

    private func animation(damage: [UInt8]) -> [UInt8] {
        var gif = GIFBuilder(2, 2, colors: [[0, 0, 0], [255, 255, 255]])
        gif.frame(0, 0, 2, 2, [0, 1, 1, 0])
        gif.raw(damage)
        return gif.content
    }

    @Test(
        arguments: [
            ([0x99, 0x98], "corrupt"), ([0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 9, 1], "truncated"),
            ([0x21, 0xFE, 200, 1], "truncated"),
        ] as [([UInt8], String)]
    )
    func `a GIF with a complete first frame is displayed despite later damage`(damage: [UInt8], verdict: String) {
        let content = animation(damage: damage)
        let result = serialize(content) { $0.thumbnails = [ThumbnailRequest(width: 9, height: 9)] }
        #expect(result.json?.contains(#""integrity":{"verdict":"\#(verdict)""#) == true)
        #expect(codes(result) == ["image.\(verdict)"])
        // All frames were requested, and one of them is missing.
        #expect(serialize(content) { $0.decode = .full }.json == nil)
    }

    @Test func `a GIF whose only frame is cut off is truncated`() {
        var gif = GIFBuilder(20, 20, colors: [[0, 0, 0], [255, 255, 255]])
        gif.frame(0, 0, 20, 20, (0..<400).map { UInt8($0 * $0 / 7 & 1) })
        let content = Array(gif.content.dropLast(20))
        #expect(serialize(content).chain == [.init(ImageError(.truncated, at: content.count))])
    }

    // MARK: The default thumbnail

    @Test func `the default thumbnail is made only if it is smaller than the image`() throws {
        func thumbnails(_ width: Int, _ height: Int) throws -> Bool {
            let picture = RGBAImage(width: width, height: height, filledWith: RGBA(red: 9, green: 2, blue: 3))
            let result = serialize(try PNGEncoder.encode(picture, isGrey: false, quality: 80))
            #expect(result.warnings == [])
            return result.json?.contains(#""thumbnails""#) == true
        }
        #expect(try !thumbnails(1, 1))
        #expect(try !thumbnails(256, 256))
        #expect(try thumbnails(257, 1))
        #expect(try thumbnails(1, 257))
    }

    @Test func `a requested thumbnail is also created from a small image`() throws {
        let result = serialize(SmallJPEG.baseline.content) { $0.thumbnails = [.byDefault] }
        #expect(result.json?.contains(#""thumbnails":[{"width":24,"height":16"#) == true)
    }

    @Test func `a format without a decoder has no warning for the default thumbnail`() {
        let svg = Array(#"<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"></svg>"#.utf8)
        let result = serialize(svg)
        #expect(result.json?.contains(#""width":300,"height":300"#) == true)
        #expect(result.warnings == [])
    }

    // MARK: Recognized formats that are truncated

    @Test(arguments: [
        #"<svg xmlns="http://www.w3.org/2000/svg" wid"#, #"<svg width="3" height="3">"#,
        #"<svg width="3" height="3"><g></g>"#,
        #"<?xml version="1.0"?><svg width="3" height="3"><a"#, #"<svg width="3" height="3"><g><!-- </svg> -->"#,
        #"<svg width="3" height="3"><g a="</svg>""#, #"<svg width="3" height="3"><svg></svg>"#,
        #"<svg width="3" height="3"><![CDATA[</svg>]]>"#, #"<svg width="3" height="3"></svg"#,
    ])
    func `an SVG that is cut off is truncated`(text: String) {
        let content = Array(text.utf8)
        #expect(serialize(content).chain == [.init(ImageError(.truncated, at: content.count))])
    }

    @Test(arguments: [
        #"<svg width="3" height="3"/>"#, #"<svg width="3" height="3"><g></g></svg> <!-- end -->"#,
        #"<?xml version="1.0"?><svg width="3" height="3"></svg>"#, #"<!-- was: <svg> --><svg width="3" height="3"/>"#,
        #"<svg aria-label="a > b" width="3" height="3"/>"#, #"<svg aria-label="a > b" width="3" height="3"></svg>"#,
        #"<s:svg xmlns:s="http://www.w3.org/2000/svg" width="3" height="3"><s:svg/></s:svg>"#,
        #"<!DOCTYPE svg [<!ENTITY a "<svg width='9'>">]><svg width="3" height="3"><svg></svg></svg >"#,
        #"<svg data-width="9" title="width='9'" width="3" height=" 3px "/>"#,
    ])
    func `a complete SVG is not truncated`(text: String) {
        #expect(serialize(Array(text.utf8)).json?.contains(#""width":3,"height":3"#) == true)
    }

    @Test(
        arguments: [
            ("width='60' viewBox='0 0 30 40'", 60, 80), ("height='60' viewBox='0,0,30,40'", 45, 60),
            ("width='100%' height='60' viewBox='0 0 30 40'", 45, 60), ("viewBox='0 0 30 40'", 30, 40),
            ("width='1in' height='2' viewBox='0 0 30 40'", 96, 2), ("width='60'", nil, nil),
            ("width='60' viewBox='0 0 0 40'", nil, nil), ("width='9' viewBox='0 0 1e-9 1e9'", nil, nil),
        ] as [(String, Int?, Int?)]
    )
    func `a missing side of an SVG follows from its view box`(attributes: String, width: Int?, height: Int?) throws {
        let text = [UInt8].ascii("<svg \(attributes)/>")
        let wide: [UInt8] = [0xFE, 0xFF] + text.flatMap { [UInt8(0), $0] }
        for content: [UInt8] in [text, [0xEF, 0xBB, 0xBF] + text, wide] {
            let facts = try header(content)
            #expect((facts.width, facts.height) == (width, height))
        }
        let cut = try header(Array(wide.dropLast(3)))
        #expect(cut.integrity == ImageIntegrity(.truncated, checked: .structure, byte: wide.count - 3))
    }

    @Test func `an AVIF or HEIC that is cut off is truncated`() {
        for brand in ["avif", "heic"] {
            let file: [UInt8] = .big32(16) + .ascii("ftyp\(brand)") + .big32(0)
            let picture = file + .big32(100) + .ascii("meta") + [UInt8](repeating: 0, count: 20)
            for content in [file, picture] {
                #expect(serialize(content).chain == [.init(ImageError(.truncated, at: content.count))])
            }
        }
    }

    @Test func `a JPEG XL or JPEG 2000 whose boxes are cut off is truncated`() {
        for signature in ["JXL ", "jP  "] {
            let content: [UInt8] =
                .big32(12) + .ascii(signature) + [0x0D, 0x0A, 0x87, 0x0A] + .big32(100) + .ascii("jxlc") + [0xFF, 0x0A]
            #expect(serialize(content).chain == [.init(ImageError(.truncated, at: content.count))])
        }
    }

    /// A box of JPEG XL or JPEG 2000.
    private static func box(_ type: String, _ data: [UInt8]) -> [UInt8] { .big32(8 + data.count) + .ascii(type) + data }

    /// The pieces of complete images, each of which ends with a box, or within the header of a codestream.
    private static let pieces: [(name: String, pieces: [[UInt8]])] = {
        let mark: [UInt8] = [0x0D, 0x0A, 0x87, 0x0A]
        let jxl = box("JXL ", mark) + box("ftyp", .ascii("jxl ") + .big32(0) + .ascii("jxl "))
        // 8 × 8 pixels.
        let small: [UInt8] = [0xFF, 0x0A, 0x41, 0x00]
        let header = box("ihdr", .big32(9) + .big32(8) + .big16(3) + [7, 7, 0, 0])
        let siz: [UInt8] = [UInt8].big32(0xFF4F_FF51) + .big16(41) + .big16(0) + .big32(8) + .big32(9) + .big32(0)
        return [
            ("JXL", [[0xFF, 0x0A], [0x41], [0x00]]),
            ("JXL in a box", [box("JXL ", mark), Array(jxl.dropFirst(12)), box("jxlc", small)]),
            (
                "JXL in parts",
                [jxl, box("jxlp", [0, 0, 0, 0] + small[..<2]), box("jxlp", [0x80, 0, 0, 1] + small[2...])]
            ),
            ("JPEG 2000 in boxes", [box("jP  ", mark), box("jp2h", header), box("jp2c", [1])]),
            ("JPEG 2000", [siz, .big32(0) + .big32(8) + .big32(9), .big32(0) + .big32(0) + .big16(3), [7]]),
        ]
    }()

    @Test(arguments: pieces)
    func `a JPEG XL or JPEG 2000 that ends with a box or in a header is truncated`(name: String, pieces: [[UInt8]])
        throws
    {
        for count in 1..<pieces.count {
            let content = Array(pieces[..<count].joined())
            #expect(serialize(content).chain == [.init(ImageError(.truncated, at: content.count))], "\(name), \(count)")
        }
        let facts = try header(Array(pieces.joined()))
        #expect(facts.integrity.verdict == .unchecked && facts.height == (name.hasPrefix("JXL") ? 8 : 9))
        #expect(facts.width == 8)
    }

    // MARK: Labelled and unlabelled

    private static let images: [(type: String, content: [UInt8])] = [
        ("image/avif", [UInt8].big32(20) + .ascii("ftypmif1") + .big32(0) + .ascii("avif")),
        ("image/heic", [UInt8].big32(20) + .ascii("ftyphevc") + .big32(0) + .ascii("hevc")),
        ("image/heic", [UInt8].big32(16) + .ascii("ftypmsf1") + .big32(0)),
        (
            "image/bmp",
            .ascii("BM") + [70, 0, 0, 0, 1, 0, 2, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]
                + [UInt8](repeating: 0, count: 28)
        ),
    ]

    @Test(arguments: images)
    func `an image without a label is detected as with one`(type: String, content: [UInt8]) {
        func serialize(_ type: String?) -> Serialized {
            var response = UpstreamResponse(status: 200)
            if let type { response.fields.append(name: "Content-Type", value: type) }
            var options = SerializationOptions()
            options.view = .value
            options.truncated = .allow
            options.thumbnails = []
            return SerializationSupport.serialize(
                response,
                content: content,
                options: options,
                reader: ImageContentReader(renderer: DeferringRenderer.shared)
            )
        }
        let labelled = serialize(type)
        let unlabelled = serialize(nil)
        #expect(labelled.json == unlabelled.json)
        #expect(labelled.chain == unlabelled.chain)
        #expect(unlabelled.json?.contains(#""mediaType":"\#(type)""#) == true)
    }

    // MARK: Facts

    @Test(arguments: [("010", "0x10", 8, 16), ("10", "16", 10, 16)])
    func `the sides of an X bitmap are C numbers in facts and pixels`(
        width: String,
        height: String,
        columns: Int,
        rows: Int
    ) throws {
        let text = "#define a_width \(width)\n#define a_height \(height)\nstatic char a_bits[] = {"
        let content = [UInt8].ascii(text + (0..<64).map { _ in "0" }.joined(separator: ",") + "};")
        let read = try header(content)
        let source = try XBMSource(content.span)
        #expect(read.width == columns && read.height == rows)
        #expect(source.width == columns && source.height == rows)
    }

    @Test(arguments: [(3, 1, "huffman1d"), (4, 24, "rle24"), (1, 8, "rle8"), (0, 24, "none")])
    func `compressions of OS/2 bitmaps have their own names`(compression: Int, depth: Int, name: String) throws {
        let info: [UInt8] =
            .little32(64) + .little32(1) + .little32(1) + .little16(1) + .little16(depth)
            + .little32(compression) + [UInt8](repeating: 0, count: 44)
        let content: [UInt8] = .ascii("BM") + .little32(100) + .little32(0) + .little32(78) + info + [0, 0, 0, 0]
        #expect(try header(content).coding.compression == name)
    }

    @Test func `an invalid date is reported as received, with a warning`() throws {
        var exif = EXIFBuilder(.big)
        exif.exif = [exif.text(0x9003, "2024:13:45 25:61:61"), exif.text(0x9004, "2024:02:29 23:59:60")]
        exif.gps = [exif.text(0x1D, "2023:02:29"), exif.fractions(0x07, 1, 1, 2, 1, 3, 1)]
        var png = PNGBuilder()
        png.add("eXIf", exif.bytes)
        let content = png.finished()
        let json = try facts(content)
        #expect(json.contains(#""dateTimeOriginal":"2024:13:45 25:61:61""#))
        #expect(json.contains(#""dateTimeDigitized":"2024-02-29T23:59:60""#))
        #expect(json.contains(#""gps":{"dateTime":"2023:02:29"}"#))
        let result = serialize(content) { $0.thumbnails = [] }
        #expect(codes(result) == ["image.invalid_date", "image.invalid_date"])
    }

    /// The last eight bytes of the data of an image are two checksums: of the pixels, and of the chunk.
    @Test(arguments: [1, 2], 0...24)
    func `a PNG is truncated if and only if compressed pixels are missing`(chunks: Int, missing: Int) throws {
        let rows = (0..<30).flatMap { row -> [UInt8] in
            let pixels = (0..<40).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ row) }
            return [0] + pixels + [UInt8(row)]
        }
        var png = PNGBuilder(width: 41, height: 30, colorType: 0)
        let data = PNGBuilder.stored(rows)
        if chunks == 2 { png.add("IDAT", Array(data[..<(data.count - 20)])) }
        png.add("IDAT", chunks == 2 ? Array(data[(data.count - 20)...]) : data)
        let result = serialize(Array(png.bytes.dropLast(missing))) {
            $0.thumbnails = [ThumbnailRequest(width: 9, height: 9)]
        }
        #expect(codes(result) == (missing <= 8 ? ["image.missing_end"] : []))
        #expect((result.json == nil) == (missing > 8))
    }
}
