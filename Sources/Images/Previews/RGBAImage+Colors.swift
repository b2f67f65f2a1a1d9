package import Serialization

// Colours of a picture as a whole. All arithmetic is in integers, and ties are resolved to the smaller colour, so that
// the same pixels have the same colours on every machine. Values are sRGB without linearization, as when a picture is
// scaled to one pixel.
extension RGBAImage {
    /// The side of the square into which a picture is fitted for placeholders and the perceptual hash, in pixels; more
    /// would cost time without benefit.
    static let maxSampleSide = 100

    package var pixelCount: Int { width * height }

    package subscript(_ index: Int) -> RGBA {
        RGBA(
            red: pixels[index * 4],
            green: pixels[index * 4 + 1],
            blue: pixels[index * 4 + 2],
            alpha: pixels[index * 4 + 3]
        )
    }

    /// Returns each pixel's red, green and blue in 0...255, blended with white, for results without transparency.
    func onWhite() -> [SIMD4<Int>] {
        (0..<pixelCount).map { index in
            let pixel = self[index]
            let alpha = Int(pixel.alpha)
            func blend(_ value: UInt8) -> Int { (Int(value) * alpha + 255 * (255 - alpha) + 127) / 255 }
            return SIMD4(blend(pixel.red), blend(pixel.green), blend(pixel.blue), 255)
        }
    }

    /// The mean colour, in which each pixel is weighted by its alpha. Its alpha is the mean alpha.
    package var average: RGBA {
        var sums = ColorSums()
        for index in 0..<pixelCount { sums.add(self[index], weight: Int(self[index].alpha)) }
        var color = sums.mean ?? RGBA(red: 0, green: 0, blue: 0, alpha: 0)
        color.alpha = UInt8((sums.weight + pixelCount / 2) / pixelCount)
        return color
    }

    /// The most frequent colour: the mean of the pixels in the fullest of 16 × 16 × 16 equal cells, each weighted by
    /// its alpha. `nil` if every pixel is fully transparent.
    package var dominant: RGBA? {
        var cells = [ColorSums](repeating: ColorSums(), count: 16 * 16 * 16)
        for index in 0..<pixelCount {
            let pixel = self[index]
            let cell = Int(pixel.red >> 4) << 8 | Int(pixel.green >> 4) << 4 | Int(pixel.blue >> 4)
            cells[cell].add(pixel, weight: Int(pixel.alpha))
        }
        var fullest = cells[0]
        for cell in cells where cell.weight > fullest.weight { fullest = cell }
        return fullest.mean
    }

    /// At most ``ColorPalette/maxColors`` representative colours, the most frequent first. Pixels with an alpha below
    /// one half are ignored.
    package var palette: [RGBA] { ColorPalette(of: self).colors }
}

/// Sums of colours for computing their mean.
struct ColorSums {
    private(set) var weight = 0
    private var red = 0
    private var green = 0
    private var blue = 0

    mutating func add(_ color: RGBA, weight: Int) {
        self.weight += weight
        red += Int(color.red) * weight
        green += Int(color.green) * weight
        blue += Int(color.blue) * weight
    }

    /// The mean, or `nil` if there are no colours.
    var mean: RGBA? {
        guard weight > 0 else { return nil }
        func rounded(_ sum: Int) -> UInt8 { UInt8((sum + weight / 2) / weight) }
        return RGBA(red: rounded(red), green: rounded(green), blue: rounded(blue))
    }
}
