import Testing

@testable import Images
@testable import Serialization

@Suite struct PlainImageTests {
    private static let sizes = [
        (1, 1), (1, 2), (7, 1), (8, 8), (9, 3), (15, 17), (16, 16), (17, 16), (64, 64), (256, 256), (2_048, 3),
    ]

    private static let colors = [
        RGBA(red: 0, green: 0, blue: 0), RGBA(red: 255, green: 255, blue: 255), RGBA(red: 128, green: 128, blue: 128),
        RGBA(red: 255, green: 0, blue: 0), RGBA(red: 0, green: 255, blue: 0), RGBA(red: 0, green: 0, blue: 255),
        RGBA(red: 12, green: 200, blue: 77), RGBA(red: 255, green: 0, blue: 255),
    ]

    /// The pixels of a file, all of which are decoded.
    private func pixels(_ file: [UInt8], _ format: ImageFormat, _ image: PlainImage) throws -> RGBAImage {
        let header = try ImageHeader.read(file.span)
        #expect(header.format == format && header.width == image.width && header.height == image.height)
        var thumbnail = ThumbnailRequest(width: image.width, height: image.height)
        thumbnail.format = .png
        var request = RenderingRequest(format)
        request.thumbnails = [thumbnail]
        request.decode = .full
        let rendering = try PixelRenderer().render(file.span, request)
        #expect(rendering.integrity.verdict == .complete)
        return try decodedPNG(try #require(rendering.thumbnails.first).content)
    }

    @Test(arguments: sizes, colors)
    func `the decoders of all formats read the colour in every pixel`(size: (Int, Int), color: RGBA) throws {
        let image = PlainImage(width: size.0, height: size.1, color: color)
        let expected = RGBAImage(width: size.0, height: size.1, filledWith: color)
        #expect(try pixels(image.encoded(as: .png), .png, image) == expected)
        #expect(try pixels(image.encoded(as: .webp), .webp, image) == expected)
        let lossy = try pixels(image.encoded(as: .jpeg), .jpeg, image)
        #expect(zip(lossy.pixels, expected.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    }

    @Test(arguments: [0, 1, 128, 254] as [UInt8])
    func `alpha is kept, and JPEG shows the colour on white`(alpha: UInt8) throws {
        let color = RGBA(red: 200, green: 10, blue: 100, alpha: alpha)
        let image = PlainImage(width: 20, height: 10, color: color)
        for format in [ThumbnailFormat.png, .webp] {
            let decoded = try pixels(image.encoded(as: format), format == .png ? .png : .webp, image)
            #expect(decoded[19, 9].alpha == alpha)
            // The colour of an invisible pixel is of no importance.
            if alpha == 254 { #expect(decoded[0, 0] == color) }
        }
        let jpeg = try pixels(image.encoded(as: .jpeg), .jpeg, image)[10, 5]
        #expect(jpeg.alpha == 255)
        #expect(abs(Int(jpeg.green) - Int(color.onWhite.green)) <= 2)
    }

    @Test func `the largest image is short`() throws {
        let image = PlainImage(width: PlainImage.maxSide, height: PlainImage.maxSide, color: Self.colors[6])
        for (format, bytes) in [(ThumbnailFormat.png, 256 << 10), (.jpeg, 2 << 20), (.webp, 40)] {
            let file = image.encoded(as: format)
            let header = try ImageHeader.read(file.span)
            #expect(header.width == PlainImage.maxSide && header.height == PlainImage.maxSide)
            #expect(file.count <= bytes)
        }
    }
}
