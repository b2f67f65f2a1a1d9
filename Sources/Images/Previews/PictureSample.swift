package import Serialization

/// A reduced picture for placeholders and the perceptual hash: sRGB with straight alpha.
package struct PictureSample: Equatable, Sendable {
    /// The side of the square into which a picture is fitted, in pixels; more would cost time without benefit.
    package static let maxSide = 100

    package let width: Int
    package let height: Int
    /// Red, green, blue and alpha of each pixel, row by row from the top.
    package let bytes: [UInt8]

    /// - Precondition: Sides of 1 to ``maxSide``, and four bytes per pixel.
    package init(width: Int, height: Int, bytes: [UInt8]) {
        precondition(1...Self.maxSide ~= width && 1...Self.maxSide ~= height, "a sample is small and not empty")
        precondition(bytes.count == width * height * 4, "a pixel has four bytes")
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    package var pixelCount: Int { width * height }

    package subscript(_ index: Int) -> RGBA {
        RGBA(
            red: bytes[index * 4],
            green: bytes[index * 4 + 1],
            blue: bytes[index * 4 + 2],
            alpha: bytes[index * 4 + 3]
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
}
