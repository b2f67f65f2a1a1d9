import Testing

@testable import Images
@testable import Serialization

/// From content to thumbnails, with the simplest pictures.
@Suite struct PixelRendererTests {
    /// A picture that differs from all its rotations and reflections.
    private static let picture = RGBAImage(
        width: 3,
        height: 2,
        pixels: [
            255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255,
            10, 20, 30, 255, 200, 100, 50, 128, 0, 0, 0, 0,
        ]
    )

    @Test(arguments: [false, true])
    func `a thumbnail of the picture's own size has its pixels`(isOpaque: Bool) throws {
        let picture = isOpaque ? Self.picture.flattened(on: RGBA(red: 9, green: 90, blue: 200)) : Self.picture
        let content = try PNGEncoder.encode(picture, isGrey: false, quality: 80)
        #expect(try pixels(of: content) == picture)
    }

    @Test(arguments: [
        (1, [0, 1, 2, 3, 4, 5]), (2, [2, 1, 0, 5, 4, 3]), (3, [5, 4, 3, 2, 1, 0]), (4, [3, 4, 5, 0, 1, 2]),
        (5, [0, 3, 1, 4, 2, 5]), (6, [3, 0, 4, 1, 5, 2]), (7, [5, 2, 4, 1, 3, 0]), (8, [2, 5, 1, 4, 0, 3]),
    ])
    func `an orientation moves each pixel`(orientation: Int, order: [Int]) throws {
        let content = try PNGEncoder.encode(Self.picture, isGrey: false, quality: 80)
        let seen = try pixels(of: content) { $0.orientation = orientation }
        let isUpright = orientation < 5
        #expect(seen.width == (isUpright ? 3 : 2))
        #expect(seen.height == (isUpright ? 2 : 3))
        let moved = order.flatMap { pixel -> ArraySlice<UInt8> in Self.picture.pixels[4 * pixel..<4 * pixel + 4] }
        #expect(seen.pixels == moved)
    }

    @Test func `an image is at most as large as allowed`() throws {
        let content = try PNGEncoder.encode(Self.picture, isGrey: false, quality: 80)
        #expect(throws: RenderingError.tooManyPixels(max: 5)) { try pixels(of: content) { $0.maxPixels = 5 } }
        #expect(try pixels(of: content) { $0.maxPixels = 6 } == Self.picture)
        #expect(throws: RenderingError.self) { try pixels(of: content) { $0.maxMemoryBytes = 1_000 } }
    }

    @Test func `transparent pixels do not affect the colour of others`() throws {
        // The left half is opaque white, the right half transparent black.
        var picture = RGBAImage(width: 64, height: 64, filledWith: RGBA(red: 255, green: 255, blue: 255))
        for y in 0..<64 {
            let right = 4 * (y * 64 + 31)
            picture.pixels.replaceSubrange(right..<right + 4 * 33, with: [UInt8](repeating: 0, count: 4 * 33))
        }
        let content = try PNGEncoder.encode(picture, isGrey: false, quality: 80)
        let small = try pixels(of: content, side: 8)
        for x in 0..<8 where small[x, 3].alpha > 0 {
            #expect(small[x, 3].red >= 254, "\(x)")
        }
        #expect(small[0, 0].alpha == 255)
        #expect(small[7, 7].alpha == 0)
    }

    @Test func `the average is that of the visible pixels`() throws {
        let picture = RGBAImage(width: 2, height: 1, pixels: [200, 100, 0, 255, 0, 0, 0, 0])
        let content = try PNGEncoder.encode(picture, isGrey: false, quality: 80)
        var request = RenderingRequest(.png)
        request.placeholders = .average
        let rendering = try PixelRenderer().render(content.span, request)
        #expect(rendering.average == RGBA(red: 200, green: 100, blue: 0, alpha: 128))
        #expect(rendering.extent == .full)
        #expect(rendering.integrity == ImageIntegrity(.complete, checked: .pixels))
    }
}

/// Returns the pixels of a PNG thumbnail of `content` at its own size, or at most `side`.
func pixels(
    of content: [UInt8],
    side: Int = 2048,
    _ configure: (inout RenderingRequest) -> Void = { _ in }
) throws -> RGBAImage {
    var thumbnail = ThumbnailRequest(width: side, height: side)
    thumbnail.format = .png
    var request = RenderingRequest(.png)
    request.thumbnails = [thumbnail]
    configure(&request)
    let rendering = try PixelRenderer().render(content.span, request)
    let picture = try #require(rendering.thumbnails.first)
    return try decodedPNG(picture.content)
}

/// Returns the pixels of a PNG from the decoder.
func decodedPNG(_ bytes: some Collection<UInt8>) throws -> RGBAImage {
    let content = Array(bytes)
    var source = try PNGPixels(content.span)
    let (format, pixels) = try rows(of: &source, content)
    try #require(format.layout != .rgba16)
    return RGBAImage(width: format.width, height: format.height, pixels: pixels)
}

/// Returns all rows that a decoder returns for a complete image.
func rows<Source: PixelSource & ~Copyable>(
    of source: inout Source,
    _ content: [UInt8]
) throws -> (format: RowFormat, bytes: [UInt8]) {
    let format = try source.begin(content.span, reduction: 1, maxMemoryBytes: 64 << 20)
    var bytes = [UInt8](repeating: 0, count: format.height * format.rowBytes)
    var rows = bytes.mutableSpan
    let count = try source.readRows(content.span, into: &rows)
    try #require(count == format.height)
    let integrity = try source.finish(content.span)
    try #require(integrity.verdict == .complete)
    return (format, bytes)
}
