import Foundation
import TestSupport
import Testing

@testable import Images
@testable import Serialization

/// Compares the facts in the header of an image with its decoded pixels.
@Suite struct FactsAndPixelsTests {
    /// The facts according to the decoders.
    private struct Decoded {
        var width: Int
        var height: Int
        var isGrey: Bool
        var bits: Int
        /// Whether any pixel is not opaque.
        var isTranslucent = false
        var integrity: ImageIntegrity?
    }

    private static let names: Set = [
        "png", "jpg", "jpeg", "gif", "bmp", "ico", "cur", "tif", "tiff", "webp", "xbm",
    ]

    /// Images of the project and, if they are here, of the public suites.
    private static let files: [URL] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let own = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.allObjects ?? []
        return (own.compactMap { $0 as? URL }.sorted { $0.path < $1.path } + Suites.allFiles(in: "images"))
            .filter { names.contains($0.pathExtension.lowercased()) }
    }()

    @Test(arguments: Self.files)
    func `facts agree with pixels`(file: URL) throws {
        try compare([UInt8](Data(contentsOf: file)), Comment(rawValue: file.path))
    }

    @Test(arguments: SmallJPEG.allCases)
    func `facts agree with the pixels of small JPEGs`(picture: SmallJPEG) throws {
        try compare(picture.content, Comment(rawValue: "\(picture)"))
    }

    @Test(arguments: ThumbnailFormat.allCases, [false, true])
    func `facts agree with the pixels of images from our encoders`(format: ThumbnailFormat, isTranslucent: Bool) throws
    {
        var thumbnail = ThumbnailRequest(width: 7, height: 5)
        thumbnail.format = format
        var picture = RGBAImage(width: 7, height: 5, filledWith: RGBA(red: 200, green: 20, blue: 3))
        if isTranslucent { picture.pixels[3] = 0 }
        let content = Array(try thumbnail.encode(picture, on: nil, isGrey: false).content)
        try compare(content, Comment(rawValue: "\(format)"))
    }

    @Test func `facts agree with the pixels of a GIF, a bitmap and an X bitmap`() throws {
        var gif = GIFBuilder(3, 2, colors: [[0, 0, 0], [9, 9, 9], [255, 0, 0], [1, 2, 3]])
        gif.transparent(1)
        gif.frame(0, 0, 3, 2, [0, 1, 2, 3, 2, 1])
        try compare(gif.content, "GIF")
        let info: [UInt8] = .little32(40) + .little32(2) + .little32(2) + .little16(1) + .little16(24)
        let rest = [UInt8](repeating: 0, count: 24) + [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 1, 2, 3, 0, 0]
        try compare(.ascii("BM") + .little32(70) + .little32(0) + .little32(54) + info + rest, "BMP")
        try compare(.ascii("#define a_width 0x9\n#define a_height 02\nstatic char a_bits[] = {1,2,3,4};"), "XBM")
    }

    // MARK: Comparison

    private func compare(_ content: [UInt8], _ name: Comment) throws {
        let facts: ImageFacts
        do {
            facts = try ImageHeader.read(content.span)
        } catch {
            // Then nothing is decoded.
            return
        }
        let decoded: Decoded
        do throws(RenderingError) {
            decoded = try decode(content, facts.format)
        } catch {
            switch error {
            case .truncated, .corrupt:
                // A header may be complete although the pixels are not, but not the other way round.
                return
            case .unsupported, .tooLarge, .tooManyPixels, .tooLongSide, .tooManyScans, .tooManyFrames, .deferred:
                return
            }
        }
        #expect(facts.width == decoded.width, name)
        #expect(facts.height == decoded.height, name)
        if facts.color.model == .gray || facts.color.model == .bilevel { #expect(decoded.isGrey, name) }
        if facts.format == .png, facts.color.model != .palette {
            #expect((facts.color.bitsPerChannel == 16) == (decoded.bits == 16), name)
        }
        // A GIF's frame need not cover its screen.
        if facts.color.alpha == false, facts.format != .gif { #expect(!decoded.isTranslucent, name) }
        guard let integrity = decoded.integrity else { return }
        switch facts.integrity.verdict {
        case .truncated, .corrupt:
            #expect(
                facts.mayHaveAllPixels || facts.integrity.isPictureWhole || integrity.verdict != .complete,
                name
            )
        case .missingEnd: #expect(integrity.verdict == .missingEnd || integrity.isDamage, name)
        case .unchecked, .complete, .trailingBytes: break
        }
    }

    private func decode(_ content: [UInt8], _ format: ImageFormat) throws(RenderingError) -> Decoded {
        switch format {
        case .png:
            var source = try PNGPixels(content.span)
            return try decode(content, &source)
        case .jpeg:
            var source = try JPEGSource(content.span, maxScans: 100, keepsGoing: false)
            return try decode(content, &source)
        case .gif:
            var source = try GIFPixels(content.span, RenderingRequest(.gif))
            return try decode(content, &source)
        case .bmp:
            var source = try BMPSource(content.span)
            return try decode(content, &source)
        case .xbm:
            var source = try XBMSource(content.span)
            return try decode(content, &source)
        case .webp:
            var source = try WebPPixels(content.span, RenderingRequest(.webp))
            return try decode(content, &source)
        case .tiff:
            var source = try TIFFSource(content.span, RenderingRequest(.tiff))
            return try decode(content, &source)
        case .ico, .cur:
            var budget = HeaderBudget(content.span)
            let directory = try ICODirectory(content.span, &budget)
            guard let best = directory.best(where: { $0.isDecodable(content.span) }) else {
                throw .truncated(byte: content.count)
            }
            let picture = directory.pictures[best]
            return Decoded(width: picture.width, height: picture.height, isGrey: false, bits: 8)
        case .avif, .heic, .jxl, .jp2, .psd, .svg: throw .unsupported(feature: "pixels")
        }
    }

    /// Decodes all rows, except for images that take too long in a debug build.
    private func decode<Source: PixelSource & ~Copyable>(
        _ content: [UInt8],
        _ source: inout Source
    ) throws(RenderingError) -> Decoded {
        let format = try source.begin(content.span, reduction: 1, maxMemoryBytes: 256 << 20)
        var decoded = Decoded(
            width: source.width,
            height: source.height,
            isGrey: format.isGrey,
            bits: format.layout == .rgba16 ? 16 : 8
        )
        guard format.width * format.height <= 1 << 18 else { return decoded }
        var row = 0
        while row < format.height {
            let wanted = min(64, format.height - row)
            var band = [UInt8](repeating: 0, count: wanted * format.rowBytes)
            var rows = band.mutableSpan
            let count = try source.readRows(content.span, into: &rows)
            switch format.layout {
            case .rgbx8, .cmyk8: break
            case .rgba8:
                for alpha in stride(from: 3, to: count * format.rowBytes, by: 4) where band[alpha] != 255 {
                    decoded.isTranslucent = true
                }
            case .rgba16:
                for alpha in stride(from: 6, to: count * format.rowBytes, by: 8) where band[alpha] != 255 {
                    decoded.isTranslucent = true
                }
            }
            row += count
            if count < wanted { break }
        }
        decoded.integrity = try source.finish(content.span)
        return decoded
    }
}
