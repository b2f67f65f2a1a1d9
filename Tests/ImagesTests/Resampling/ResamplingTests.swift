import Testing

@testable import Images
@testable import Serialization

/// The effect of resampling on pixels.
@Suite struct ResamplingTests {
    @Test(arguments: [1, 7, 50, 99, 100, 130], [1, 3, 40, 75])
    func `a uniform picture stays uniform at any size`(width: Int, height: Int) throws {
        for color in [RGBA(red: 1, green: 128, blue: 254), RGBA(red: 200, green: 100, blue: 3, alpha: 255)] {
            let content = try PNGEncoder.encode(
                RGBAImage(width: 100, height: 75, filledWith: color),
                isGrey: false,
                quality: 80
            )
            let small = try thumbnail(of: content) {
                $0.width = width
                $0.height = height
                $0.fit = .fill
                $0.enlarge = true
            }
            #expect(small == RGBAImage(width: width, height: height, filledWith: color))
        }
    }

    @Test func `a linear gradient stays linear and in place`() throws {
        var picture = RGBAImage(width: 256, height: 4, filledWith: RGBA(red: 0, green: 0, blue: 0))
        for index in 0..<256 * 4 { picture.pixels[4 * index] = UInt8(index % 256) }
        let content = try PNGEncoder.encode(picture, isGrey: false, quality: 80)
        for width in [16, 20, 32, 64, 100, 128, 200] {
            let small = try thumbnail(of: content) {
                $0.width = width
                $0.height = 4
                $0.fit = .fill
            }
            let step = 256 / Double(width)
            // Not near the border, where the kernel is truncated.
            for x in 4..<width - 4 {
                let expected = (Double(x) + 0.5) * step - 0.5
                #expect(abs(Double(small[x, 1].red) - expected) <= 1, "\(width), \(x)")
            }
        }
    }

    @Test func `a picture does not depend on other requests`() throws {
        let sample = DrawnPicture.discs.sample(100, 80)
        let picture = RGBAImage(width: 100, height: 80, pixels: sample.pixels)
        let content = try PNGEncoder.encode(picture, isGrey: false, quality: 80)
        var request = RenderingRequest(.png)
        request.thumbnails = [7, 90, 33, 12].map { ThumbnailRequest(width: $0, height: $0) }
        let together = try PixelRenderer().render(content.span, request).thumbnails
        request.placeholders = .average
        for (index, thumbnail) in request.thumbnails.enumerated() {
            var alone = request
            alone.thumbnails = [thumbnail]
            #expect(try PixelRenderer().render(content.span, alone).thumbnails == [together[index]])
        }
    }

    @Test func `padding has the background's colour, and is transparent without one`() throws {
        let blue = RGBA(red: 0, green: 0, blue: 255)
        let content = try PNGEncoder.encode(
            RGBAImage(width: 40, height: 10, filledWith: blue),
            isGrey: false,
            quality: 80
        )
        let clear = try thumbnail(of: content) {
            $0.width = 20
            $0.height = 20
            $0.fit = .contain
        }
        #expect(clear[3, 0].alpha == 0 && clear[3, 10] == blue && clear[3, 19].alpha == 0)
        let red = RGBA(red: 255, green: 0, blue: 0)
        let colored = try thumbnail(of: content) {
            $0.width = 20
            $0.height = 20
            $0.fit = .contain
            $0.background = red
        }
        #expect(colored[3, 0] == red && colored[3, 10] == blue)
    }

    private func thumbnail(of content: [UInt8], _ configure: (inout ThumbnailRequest) -> Void) throws -> RGBAImage {
        try pixels(of: content) { configure(&$0.thumbnails[0]) }
    }
}
