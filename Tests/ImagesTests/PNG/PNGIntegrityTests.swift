import Testing

@testable import Images
@testable import Serialization

/// The verdicts on damaged PNGs, with the position of the damage.
@Suite struct PNGIntegrityTests {
    private static let content: [UInt8] = {
        var picture = RGBAImage(width: 40, height: 30, filledWith: RGBA(red: 1, green: 2, blue: 3))
        for index in 0..<40 * 30 { picture.pixels[4 * index] = UInt8(truncatingIfNeeded: index &* index) }
        return (try? PNGEncoder.encode(picture, isGrey: false, quality: 80)) ?? []
    }()
    /// The offset after the signature and the header chunk.
    private static let imageData = 33

    @Test(arguments: [9, 20, 40, 200])
    func `content that ends early is truncated there`(count: Int) {
        let content = Array(Self.content.prefix(count))
        #expect(throws: RenderingError.truncated(byte: count)) { try render(content) }
    }

    @Test func `an end without its chunk is missing, but all pixels are present`() throws {
        let content = Array(Self.content.dropLast(12))
        #expect(
            try render(content).integrity == ImageIntegrity(.missingEnd, checked: .pixels, byte: content.count)
        )
    }

    @Test func `the available part of a truncated image is used if allowed`() throws {
        let content = Array(Self.content.prefix(Self.content.count / 2))
        let rendering = try render(content, allowsTruncated: true)
        #expect(rendering.integrity == ImageIntegrity(.truncated, checked: .pixels, byte: content.count))
        let picture = try decodedPNG(#require(rendering.thumbnails.first).content)
        #expect((picture.width, picture.height) == (40, 30))
        #expect(picture[7, 0] == RGBA(red: 49, green: 2, blue: 3))
        #expect(picture[7, 29] == RGBA(red: 0, green: 0, blue: 0))
    }

    @Test func `the checksum detects a changed byte of image data`() {
        var content = Self.content
        content[Self.imageData + 100] ^= 1
        #expect(throws: RenderingError.corrupt(byte: Self.imageData, part: "IDAT")) { try render(content) }
    }

    @Test func `the checksum detects a changed byte of the header`() {
        var content = Self.content
        content[20] ^= 1
        #expect(throws: RenderingError.corrupt(byte: 8, part: "IHDR")) { try render(content) }
    }

    @Test func `a chunk that does not affect pixels is checked too`() throws {
        var content = Self.content
        // A text whose checksum is 0.
        content.insert(contentsOf: [0, 0, 0, 3] + Array("tEXtA\0b".utf8) + [0, 0, 0, 0], at: Self.imageData)
        let rendering = try render(content)
        let integrity = ImageIntegrity(.corrupt, checked: .pixels, byte: Self.imageData, part: "tEXt")
        #expect(rendering.integrity == integrity.withWholePicture)
        #expect(try decodedPNG(#require(rendering.thumbnails.first).content) == decodedPNG(Self.content))
    }

    @Test func `bytes after the image are recorded`() throws {
        let rendering = try render(Self.content + [1, 2, 3])
        #expect(rendering.integrity == ImageIntegrity(.trailingBytes, checked: .pixels, byte: Self.content.count))
    }

    @Test func `no byte can be changed undetected`() {
        for index in Self.content.indices {
            var content = Self.content
            content[index] ^= 0x40
            do throws(RenderingError) {
                // Data after the image data affects no pixel. With a larger length, the image data has no end.
                let integrity = try render(content).integrity
                let affectsPixels = index < content.count - 12 && !(Self.imageData..<Self.imageData + 4 ~= index)
                #expect(integrity.verdict != .complete && !affectsPixels, "byte \(index)")
            } catch {
                #expect(index < content.count - 12, "byte \(index)")
            }
        }
    }

    private func render(_ content: [UInt8], allowsTruncated: Bool = false) throws(RenderingError) -> Rendering {
        var thumbnail = ThumbnailRequest(width: 100, height: 100)
        thumbnail.format = .png
        var request = RenderingRequest(.png)
        request.thumbnails = [thumbnail]
        request.allowsTruncated = allowsTruncated
        return try PixelRenderer().render(content.span, request)
    }

    /// A palette of suggested colours may follow, but not precede, tRNS (ISO/IEC 15948 §5.6). libpng then ignores tRNS,
    /// and the rows had three bytes per pixel in place of four.
    @Test(arguments: [8, 16] as [UInt8], [false, true])
    func `a colour before its palette is not transparent`(depth: UInt8, isInterlaced: Bool) throws {
        let bytes = Int(depth / 8)
        let pixels: [[Int]] = [[1, 2, 3], [4, 5, 6], [200, 201, 202]]
        func png(_ chunks: [String]) -> [UInt8] {
            var png = PNGBuilder(width: 3, height: 1, depth: depth, colorType: 2, interlaced: isInterlaced)
            for chunk in chunks {
                png.add(chunk, chunk == "PLTE" ? [9, 9, 9] : pixels[0].flatMap { [0, UInt8($0)] })
            }
            func samples(_ pixel: [Int]) -> [UInt8] {
                pixel.flatMap { [UInt8](repeating: UInt8($0), count: bytes) }
            }
            // The three pixels of an interlaced row are in the first, the fourth and the sixth pass.
            let row: [UInt8] = [0] + samples(pixels.flatMap { $0 })
            let passes: [UInt8] = [0, 2, 1].flatMap { (x: Int) -> [UInt8] in [0] + samples(pixels[x]) }
            png.add("IDAT", PNGBuilder.stored(isInterlaced ? passes : row))
            png.add("IEND")
            return png.bytes
        }
        func decoded(_ chunks: [String]) throws -> [UInt8] {
            let content = png(chunks)
            var source = try PNGPixels(content.span)
            let (format, bytes) = try rows(of: &source, content)
            #expect(format.layout == (depth == 16 ? .rgba16 : .rgbx8))
            return bytes
        }
        let expected = pixels.flatMap { pixel -> [UInt8] in
            (pixel + [255]).flatMap { [UInt8](repeating: UInt8($0), count: bytes) }
        }
        #expect(try decoded(["tRNS", "PLTE"]) == expected)
        #expect(try decoded(["PLTE"]) == expected)
        #expect(try header(png(["tRNS", "PLTE"])).color.alpha == false)
        #expect(try header(png(["PLTE", "tRNS"])).color.alpha == true)
    }
}
