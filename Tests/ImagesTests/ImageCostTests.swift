import Foundation
import TestSupport
import Testing

@testable import Images
@testable import Serialization

/// Every loop over the header of an image ends at a fixed bound, or advances in the content: whatever the content is,
/// the cost of its facts grows no faster than its length.
@Suite struct ImageCostTests {
    /// Content for one of the loops: as many pieces of one kind as fit.
    private struct Hostile: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Returns content of about `count` bytes.
        var content: @Sendable (_ count: Int) -> [UInt8]

        init(_ name: String, _ content: @escaping @Sendable (_ count: Int) -> [UInt8]) {
            testDescription = name
            self.content = content
        }
    }

    /// Reads and writes the facts.
    private func cost(_ content: [UInt8]) -> Duration {
        (0..<3).map { _ in processorTime { _ = try? facts(content) } }.min() ?? .zero
    }

    private static let all = pngs + jpegs + tiffs + webps + gifs + boxes + others

    @Test(arguments: all)
    private func `the cost of hostile content grows with its length`(hostile: Hostile) {
        let (small, large) = (hostile.content(40_000), hostile.content(320_000))
        #expect(large.count < 12 * small.count)
        let few = cost(small)
        let many = cost(large)
        // Eight times as long; a quadratic cost is 64 times as high.
        #expect(many < max(few, .microseconds(300)) * 28, "\(few) for \(small.count) bytes, \(many) for \(large.count)")
        // Broken parts are listed up to a maximum, and only counted beyond it.
        let listed = (try? header(large))?.flaws.count ?? 0
        #expect(listed <= 16)
    }

    /// Each reader takes a step before each part, and the facts of content are not read without it.
    @Test(arguments: all)
    private func `without steps, a reader ends with the error of the budget`(hostile: Hostile) throws {
        let content = hostile.content(4_000)
        // Some content is rejected by its first bytes.
        guard ImageFormat(of: content.span) != nil else { return }
        let limit = HeaderBudget.limit(.steps, contentBytes: content.count)
        func read(steps: Int) throws -> Int {
            var budget = HeaderBudget(content.span)
            budget.limit(.steps, to: steps)
            do {
                _ = try ImageHeader.read(content.span, ImageHeader.Options(), &budget)
            } catch {
                // The content may be broken.
                if budget.isOutOfSteps { throw error }
            }
            return steps - budget.rest(of: .steps)
        }
        let needed = try read(steps: limit)
        // Each part has at least one byte.
        #expect(1...content.count ~= needed)
        #expect(try read(steps: needed) == needed)
        for steps in [0, needed / 2, needed - 1] {
            #expect(throws: ImageError(.tooLargeToDecode(amount: "parts of the image", max: limit))) {
                try read(steps: steps)
            }
        }
    }

    /// Each keyword was compared with all keywords before it.
    @Test func `texts are grouped by keyword in linear time`() {
        func cost(_ count: Int) -> Duration {
            var facts = ImageFacts(.png)
            facts.texts = (0..<count).map { ImageText(keyword: "keyword \($0)", value: .text("")) }
            return processorTime { #expect(facts.textsByKeyword.count == count) }
        }
        let (few, many) = (cost(500), cost(4_000))
        // Eight times as long; a quadratic cost is 64 times as high.
        #expect(many < max(few, .milliseconds(1)) * 28, "\(few), \(many)")
    }

    // MARK: Pieces

    private static func times(_ count: Int, _ piece: [UInt8], max: Int = .max) -> [UInt8] {
        let copies = min(Swift.max(1, count / Swift.max(1, piece.count)), max)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(copies * piece.count)
        for _ in 0..<copies { bytes += piece }
        return bytes
    }

    private static func filled(_ count: Int, _ piece: (Int) -> [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while bytes.count < count {
            bytes += piece(index)
            index += 1
        }
        return bytes
    }

    /// 60 000 letters, compressed by zlib to less than 100 bytes.
    private static let bomb = [UInt8](
        Data(
            base64Encoded: """
                eNrtwTEBAAAAwqCs61/CGh5AAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
                AHwZ0nnTiQ==
                """
        ) ?? Data()
    )

    /// An ICC profile whose 200 tags are read, but whose description is missing.
    private static let brokenProfile: [UInt8] = {
        var bytes: [UInt8] = .big32(1 << 30) + [UInt8](repeating: 0, count: 32) + .ascii("acsp")
        bytes += [UInt8](repeating: 0, count: 88)
        bytes += .big32(200)
        bytes += [UInt8](repeating: 0, count: 12 * 199)
        return bytes + .ascii("desc") + .big32((1 << 31) - 1) + .big32(9)
    }()

    // MARK: Formats

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let checked = .ascii(type) + data
        return .big32(data.count) + checked + .big32(Int(ZlibStream.crc32(checked.span)))
    }

    private static func png(_ name: String, _ type: String, _ data: @escaping @Sendable (Int) -> [UInt8]) -> Hostile {
        Hostile("PNG: \(name)") { count in
            let end = chunk("IDAT", [1]) + chunk("IEND", [])
            return PNGBuilder().bytes + filled(count) { chunk(type, data($0)) } + end
        }
    }

    private static let pngs: [Hostile] = [
        png("empty chunks", "abCd") { _ in [] },
        png("texts of one keyword", "tEXt") { _ in .ascii("k\0v") },
        png("texts of many keywords", "tEXt") { .ascii("k\($0)\0v") },
        png("texts without a keyword", "tEXt") { _ in .ascii("v") },
        png("compressed texts", "zTXt") { .ascii("k\($0)\0\0") + bomb },
        png("truncated compressed texts", "zTXt") { _ in .ascii("k\0\0") + bomb.dropLast(6) },
        png("compressed texts with a wrong checksum", "zTXt") { _ in .ascii("k\0\0") + bomb.dropLast() + [0] },
        png("malformed compressed texts", "zTXt") { _ in .ascii("k\0\0x\u{1}") },
        png("international texts with a wrong checksum", "iTXt") { _ in .ascii("k\0\u{1}\0\0\0") + bomb.dropLast() + [0]
        },
        png("compressed XMP", "iTXt") { _ in .ascii("XML:com.adobe.xmp\0\u{1}\0\0\0") + bomb },
        png("XMP that is not UTF-8", "iTXt") { _ in .ascii("XML:com.adobe.xmp\0\0\0\0\0") + [0xFF] },
        png("profiles that are none", "iCCP") { _ in .ascii("k\0\0") + bomb },
        png("EXIF that is none", "eXIf") { _ in .ascii("none") },
        png("raw profiles that are none", "tEXt") { _ in .ascii("Raw profile type exif\0\nexif\n4\n00000000\n") },
        png("compressed raw profiles", "zTXt") { _ in .ascii("Raw profile type exif\0\0") + bomb },
        png("palettes", "PLTE") { _ in [1, 2, 3] },
        png("frames", "fcTL") { _ in [UInt8](repeating: 0, count: 26) },
    ]

    private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker] + .big16(body.count + 2) + body
    }

    private static func jpeg(_ name: String, _ piece: @escaping @Sendable (Int) -> [UInt8]) -> Hostile {
        Hostile("JPEG: \(name)") { count in
            var jpeg = JPEGBuilder()
            jpeg.bytes += filled(count, piece)
            jpeg.addFrame()
            return jpeg.finished()
        }
    }

    private static let jpegs: [Hostile] = [
        jpeg("comments") { _ in segment(0xFE, .ascii("a")) },
        jpeg("fill bytes") { _ in [0xFF] },
        jpeg("bytes between segments") { _ in [0] },
        jpeg("EXIF that is none") { _ in segment(0xE1, .ascii("Exif\0\0x")) },
        jpeg("XMP that is not UTF-8") { _ in segment(0xE1, .ascii("http://ns.adobe.com/xap/1.0/\0") + [0xFF]) },
        jpeg("parts of a profile") { segment(0xE2, .ascii("ICC_PROFILE\0") + [UInt8($0 % 255), 255, 1, 2]) },
        jpeg("quantization tables") { _ in segment(0xDB, [0] + [UInt8](repeating: 9, count: 64)) },
        jpeg("restart intervals") { _ in segment(0xDD, [0, 1]) },
        Hostile("JPEG: scans") { count in
            var jpeg = JPEGBuilder()
            jpeg.addFrame(0xC2)
            for _ in 0..<count / 22 { jpeg.addScan() }
            return jpeg.bytes
        },
    ]

    private static func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
        .little16(tag) + .little16(type) + .little32(count) + .little32(value)
    }

    /// Returns a TIFF: data, then a directory with entries whose values are all of the data.
    private static func tiff(
        _ name: String,
        type: Int = 1,
        data: [UInt8] = [0x41],
        _ tags: @escaping @Sendable (Int) -> Int
    )
        -> Hostile
    {
        Hostile("TIFF: \(name)") { count in
            let shared = times(count / 2, data)
            let number = min(count / 24, 60_000)
            var bytes: [UInt8] = .ascii("II") + .little16(42) + .little32(8 + shared.count)
            bytes += shared
            bytes += .little16(number + 2)
            bytes += entry(256, 3, 1, 8) + entry(257, 3, 1, 8)
            for index in 0..<number { bytes += entry(tags(index), type, shared.count, 8) }
            return bytes + .little32(0)
        }
    }

    private static let tiffs: [Hostile] = [
        tiff("XMP that many entries share") { _ in 700 },
        tiff("XMP that is not UTF-8", data: [0x41, 0xFF]) { _ in 700 },
        tiff("a profile that many entries share", data: profile()) { _ in 34_675 },
        tiff("a broken profile that many entries share", data: brokenProfile) { _ in 34_675 },
        tiff("a text that many entries share", type: 2) { _ in 270 },
        tiff("a text that entries of all tags share", type: 2) { $0 },
        tiff("a text of control characters", type: 2, data: [1]) { $0 },
        tiff("a text that is not ASCII", type: 2, data: [0xE9]) { $0 },
        tiff("UTF-16 that entries of all tags share", data: [0x41, 0]) { 0x9C00 + $0 % 256 },
        tiff("numbers", type: 3) { 256 + $0 },
        Hostile("TIFF: pages") { count in
            var bytes: [UInt8] = .ascii("II") + .little16(42) + .little32(8)
            for page in 0..<count / 18 {
                bytes += .little16(1)
                bytes += entry(page == 0 ? 256 : 257, 3, 1, 8)
                bytes += .little32(8 + 18 * (page + 1))
            }
            return bytes
        },
        Hostile("TIFF: EXIF directories that are one") { count in
            let number = min(count / 12, 60_000)
            var bytes: [UInt8] = .ascii("II") + .little16(42) + .little32(8) + .little16(number)
            for index in 0..<number { bytes += entry([256, 257, 0x8769, 0x8825, 0xA005][index % 5], 4, 1, 8) }
            return bytes + .little32(8)
        },
    ]

    private static func webp(_ name: String, _ chunk: @escaping @Sendable (Int) -> [UInt8]) -> Hostile {
        Hostile("WebP: \(name)") { count in
            let head = webPChunk("VP8X", [2, 0, 0, 0, 7, 0, 0, 7, 0, 0]) + webPChunk("ANIM", [0, 0, 0, 0, 0, 0])
            let body = .ascii("WEBP") + head + filled(count, chunk)
            return .ascii("RIFF") + .little32(body.count) + body
        }
    }

    private static func webPChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        .ascii(type) + .little32(data.count) + data + (data.count % 2 == 1 ? [0] : [])
    }

    private static let webps: [Hostile] = [
        webp("empty chunks") { _ in webPChunk("abcd", []) },
        webp("frames") { _ in webPChunk("ANMF", [UInt8](repeating: 0, count: 24)) },
        webp("EXIF that is none") { _ in webPChunk("EXIF", .ascii("none")) },
        webp("broken profiles") { _ in webPChunk("ICCP", brokenProfile) },
        webp("XMP that is not UTF-8") { _ in webPChunk("XMP ", [0xFF]) },
    ]

    private static func gif(_ name: String, _ piece: @escaping @Sendable (Int) -> [UInt8]) -> Hostile {
        Hostile("GIF: \(name)") { count in
            var gif = GIFBuilder(1, 1, colors: [[0, 0, 0], [9, 9, 9]])
            gif.raw(filled(count, piece))
            gif.frame(0, 0, 1, 1, [0])
            return gif.content
        }
    }

    private static let gifs: [Hostile] = [
        gif("frames") { _ in [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 0, 0] },
        gif("comments") { _ in [0x21, 0xFE, 1, 0x41, 0] },
        gif("broken profiles") { _ in [0x21, 0xFF, 11] + .ascii("ICCRGBG1012") + [1, 0, 0] },
        gif("XMP that is not UTF-8") { _ in
            [0x21, 0xFF, 11] + .ascii("XMP DataXMP") + [255] + [UInt8](repeating: 0xFF, count: 255) + [1, 1, 0]
        },
        gif("graphic controls") { _ in [0x21, 0xF9, 4, 0, 0, 0, 0, 0] },
        Hostile("GIF: a comment of short blocks") { count in
            var gif = GIFBuilder(1, 1, colors: [[0, 0, 0], [9, 9, 9]])
            gif.raw([0x21, 0xFE] + times(count, [1, 0x41]) + [0])
            return gif.content
        },
    ]

    private static func box(_ type: String, _ data: [UInt8]) -> [UInt8] {
        .big32(8 + data.count) + .ascii(type) + data
    }

    private static func heif(_ name: String, _ properties: @escaping @Sendable (Int) -> [UInt8]) -> Hostile {
        Hostile("HEIF: \(name)") { count in
            let full: [UInt8] = [0, 0, 0, 0]
            let places: [UInt8] = full + .big32(1) + .big16(1) + [255] + [UInt8](repeating: 0x81, count: 255)
            let all = box("iprp", box("ipco", filled(count, properties)) + box("ipma", places))
            let item = box("pitm", full + .big16(1))
            return box("ftyp", .ascii("heic") + full + .ascii("mif1heic")) + box("meta", full + item + all)
        }
    }

    private static let boxes: [Hostile] = [
        heif("sizes") { _ in box("ispe", .big32(0) + .big32(8) + .big32(8)) },
        heif("broken profiles") { _ in box("colr", .ascii("prof") + brokenProfile) },
        heif("empty boxes") { _ in box("abcd", []) },
        Hostile("HEIF: boxes before the first") { count in
            box("ftyp", .ascii("heic") + .big32(0) + .ascii("mif1heic")) + times(count, box("abcd", []))
        },
        Hostile("HEIF: brands") { count in box("ftyp", .ascii("xxxx") + .big32(0) + times(count, .ascii("mif1"))) },
        Hostile("JPEG 2000: boxes") { count in
            box("jP  ", .ascii("\r\n") + [0x87, 0x0A]) + times(count, box("abcd", []))
        },
        Hostile("JPEG XL: boxes") { count in
            box("JXL ", .ascii("\r\n") + [0x87, 0x0A]) + times(count, box("jxlp", .big32(0)))
        },
    ]

    private static let others: [Hostile] = [
        Hostile("ICO: pictures") { count in
            let number = min(count / 16, 65_535)
            var entry: [UInt8] = [8, 8, 0, 0] + .little16(1) + .little16(32)
            entry += .little32(99) + .little32(6)
            return [0, 0, 1, 0] + .little16(number) + times(16 * number, entry)
        },
        Hostile("BMP: a broken profile") { count in
            var bytes: [UInt8] = .ascii("BM") + .little32(0) + .little32(0) + .little32(138)
            bytes += .little32(124) + .little32(8) + .little32(8) + .little16(1) + .little16(24)
            bytes += [UInt8](repeating: 0, count: 40)
            bytes += .little32(0x4D42_4544)
            bytes += [UInt8](repeating: 0, count: 52)
            bytes += .little32(124) + .little32(count) + .little32(0)
            return bytes + times(count, brokenProfile)
        },
        Hostile("SVG: blanks") { .ascii("<svg") + times($0, .ascii(" ")) + .ascii("width='1' height='1'/>") },
        Hostile("SVG: digits") { .ascii("<svg width='") + times($0, .ascii("1")) + .ascii("' height='1'/>") },
        Hostile("SVG: numbers") { .ascii("<svg viewBox='") + times($0, .ascii("1 ")) + .ascii("'/>") },
        Hostile("SVG: attributes without a value") { .ascii("<svg ") + times($0, .ascii("width ")) + .ascii("/>") },
        Hostile("SVG: tags before the root") { times($0, .ascii("<!---->")) + .ascii("<svg width='1' height='1'/>") },
        Hostile("SVG: a name") { .ascii("<") + times($0, .ascii("a")) + .ascii(":svg b=''>") },
        Hostile("SVG: quotes") { .ascii("<svg ") + times($0, .ascii("'\"")) + .ascii("/>") },
        Hostile("SVG: comments without an end") { .ascii("<svg>") + times($0, .ascii("<!-- ->")) },
        Hostile("SVG: a DOCTYPE") {
            .ascii("<!DOCTYPE svg [") + times($0, .ascii("<!----><??>'['")) + .ascii("]><svg/>")
        },
        Hostile("SVG: end tags") { .ascii("<svg>") + times($0, .ascii("<svg></svg>")) },
        Hostile("SVG: the name of the root") { count in
            let prefix = times(count / 64, .ascii("s"))
            let tag = .ascii("<") + prefix + .ascii(":svg")
            let root = tag + .ascii(" xmlns:") + prefix + .ascii("='http://www.w3.org/2000/svg'>")
            return root + times(count, tag + .ascii(">"))
        },
        Hostile("SVG: ends of tags") { .ascii("<svg>") + times($0, .ascii("<")) },
        Hostile("XBM: definitions") {
            .ascii("#define a_width 8\n#define a_height 8\n") + times($0, .ascii("#define a_x 1\n")) + .ascii("{0};")
        },
        Hostile("XBM: comments") {
            times($0, .ascii("/**/")) + .ascii("#define a_width 8\n#define a_height 8\n{0};")
        },
        Hostile("XBM: comments without an end") {
            .ascii("#define a_width 8\n#define a_height 8\n") + times($0, .ascii("/*"))
        },
        Hostile("XBM: a long word") { .ascii("#define a_width 8\n#define a_height 8\n") + times($0, .ascii("a")) },
        Hostile("PSD: bytes after the header") { count in
            var bytes: [UInt8] = .ascii("8BPS") + [0, 1, 0, 0, 0, 0, 0, 0]
            bytes += .big16(3) + .big32(8) + .big32(8) + .big16(8) + .big16(3)
            return bytes + times(count, [0])
        },
    ]
}
