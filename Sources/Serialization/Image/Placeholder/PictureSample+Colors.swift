// Colours of a picture as a whole. All arithmetic is in integers and ties go to the smaller colour, so that the same
// pixels give the same colours everywhere. Values are sRGB as they stand, as when a picture is scaled to one pixel.

extension PictureSample {
    /// Most colours of a palette.
    package static let maxPaletteColors = 6

    /// The mean colour: each pixel counts by its alpha. Alpha is the mean alpha.
    package var average: RGBA {
        var sums = ColorSums()
        for index in 0..<pixelCount { sums.add(self[index], weight: Int(self[index].alpha)) }
        var color = sums.mean ?? RGBA(red: 0, green: 0, blue: 0, alpha: 0)
        color.alpha = UInt8((sums.weight + pixelCount / 2) / pixelCount)
        return color
    }

    /// The commonest colour: the mean of the pixels in the fullest of 16 × 16 × 16 equal cells, each counting by its
    /// alpha.
    /// - Returns: nil if every pixel is fully transparent.
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

    /// Up to ``maxPaletteColors`` colours that stand for the picture, the commonest first. Pixels that are more
    /// transparent than not do not count.
    package var palette: [RGBA] {
        ColorPalette(of: self).colors
    }
}

/// Sums of colours, for their mean.
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

    /// Nil of nothing.
    var mean: RGBA? {
        guard weight > 0 else { return nil }
        func rounded(_ sum: Int) -> UInt8 { UInt8((sum + weight / 2) / weight) }
        return RGBA(red: rounded(red), green: rounded(green), blue: rounded(blue))
    }
}
