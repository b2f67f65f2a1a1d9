import Foundation
import TestSupport
import Testing

@testable import Images
@testable import Serialization

/// Decodes the pixels of the public suites.
@Suite(.needs("images"))
struct PixelCorpusTests {
    private static let suite = Suites.files(in: "images/pngsuite").filter { $0.pathExtension == "png" }

    @Test func `PngSuite's broken files are rejected, and all others are complete`() throws {
        #expect(Self.suite.count > 150)
        for file in Self.suite {
            if file.lastPathComponent.hasPrefix("x") {
                let content = try [UInt8](Data(contentsOf: file))
                #expect(throws: RenderingError.self, "\(file.lastPathComponent)") { try pixels(of: content) }
            } else {
                _ = try png(file)
            }
        }
    }

    @Test func `an interlaced file of PngSuite has the pixels of its sequential counterpart`() throws {
        for file in Self.suite where file.lastPathComponent.hasPrefix("basi") {
            let plain = file.deletingLastPathComponent()
                .appending(path: file.lastPathComponent.replacing("basi", with: "basn"))
            let (interlaced, direct) = try (png(file), png(plain))
            #expect(interlaced.format == direct.format && interlaced.bytes == direct.bytes, "\(file.lastPathComponent)")
        }
    }

    /// The references come from another decoder, whose transform and upsampling round differently.
    @Test func `JPEGs equal their references up to two steps`() throws {
        // The references differ from the output of every decoder that was tried. The suite itself disables `ycck`.
        let left = ["grayscale_16x24_sampling2x2", "grayscale_24x16_sampling2x2", "ycck"]
        // The data of a scan is corrupt or ends early, which is reported.
        let damaged = ["partial_progressive", "mjpeg"]
        var compared = 0
        for folder in ["", "/mozilla"] {
            for file in Suites.files(in: "images/jpeg-decoder/reftest/images" + folder) {
                let name = file.deletingPathExtension().lastPathComponent
                let reference = file.deletingPathExtension().appendingPathExtension("png")
                guard FileManager.default.fileExists(atPath: reference.path), !left.contains(name) else { continue }
                let content = try [UInt8](Data(contentsOf: file))
                // One of them is a PNG.
                guard content.starts(with: [0xFF, 0xD8]) else { continue }
                if damaged.contains(name) {
                    #expect(throws: RenderingError.self) { try jpeg(content) }
                    continue
                }
                let found = try jpeg(content)
                let expected = try png(reference)
                try #require(expected.bytes.count == found.pixels.count, "\(name)")
                var worst = 0
                for index in found.pixels.indices where index % 4 != 3 {
                    worst = max(worst, abs(Int(found.pixels[index]) - Int(expected.bytes[index])))
                }
                #expect(worst <= 2, "\(name)")
                compared += 1
            }
        }
        #expect(compared > 30)
    }

    @Test(arguments: ["Landscape", "Portrait"])
    func `all eight orientations result in the same picture`(kind: String) throws {
        let upright = try oriented(kind, 1)
        for orientation in 2...8 {
            let picture = try oriented(kind, orientation)
            #expect((picture.width, picture.height) == (upright.width, upright.height))
            // Each was compressed separately.
            let error = zip(picture.pixels, upright.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(Double(error) / Double(picture.pixels.count) < 2, "orientation \(orientation)")
        }
    }

    @Test func `files that crashed other decoders are handled`() throws {
        var count = 0
        for folder in ["", "/imagetestsuite"] {
            for file in Suites.files(in: "images/jpeg-decoder/crashtest/images" + folder)
            where file.pathExtension == "jpg" {
                let content = try [UInt8](Data(contentsOf: file))
                for allowsTruncated in [false, true] {
                    _ = try? picture(of: content, side: 64) {
                        $0.allowsTruncated = allowsTruncated
                        $0.maxPixels = 1 << 20
                    }
                }
                count += 1
            }
        }
        #expect(count > 50)
    }

    private func oriented(_ kind: String, _ orientation: Int) throws -> RGBAImage {
        let path = "images/exif-orientation-examples/\(kind)_\(orientation).jpg"
        let content = try [UInt8](Data(contentsOf: Suites.url(path)))
        return try picture(of: content, side: 60) { $0.orientation = orientation }
    }

    private func picture(
        of content: [UInt8],
        side: Int,
        _ configure: (inout RenderingRequest) -> Void
    ) throws -> RGBAImage {
        try pixels(of: content, side: side) {
            $0.format = .jpeg
            configure(&$0)
        }
    }

    private func png(_ file: URL) throws -> (format: RowFormat, bytes: [UInt8]) {
        let content = try [UInt8](Data(contentsOf: file))
        var source = try PNGPixels(content.span)
        return try rows(of: &source, content)
    }

    private func jpeg(_ content: [UInt8]) throws -> RGBAImage {
        var source = try JPEGSource(content.span, maxScans: 100, keepsGoing: false)
        let (format, bytes) = try rows(of: &source, content)
        return ColorConversion(format).convert(RGBAImage(width: format.width, height: format.height, pixels: bytes))
    }
}
