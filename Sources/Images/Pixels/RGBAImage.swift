package import Serialization

/// A small picture in memory: 8 bits per channel, straight alpha, sRGB.
package struct RGBAImage: Equatable, Sendable {
    package var width: Int
    package var height: Int
    /// The pixels with four bytes each, row by row.
    package var pixels: [UInt8]

    package init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == 4 * width * height, "every pixel has four bytes")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    package init(width: Int, height: Int, filledWith color: RGBA) {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(4 * width * height)
        for _ in 0..<width * height {
            pixels.append(color.red)
            pixels.append(color.green)
            pixels.append(color.blue)
            pixels.append(color.alpha)
        }
        self.init(width: width, height: height, pixels: pixels)
    }

    package subscript(x: Int, y: Int) -> RGBA {
        self[y * width + x]
    }

    /// Whether all pixels are opaque.
    package var isOpaque: Bool {
        var all: UInt8 = 255
        for index in 0..<width * height { all &= pixels[4 * index + 3] }
        return all == 255
    }

    /// Returns the picture with its EXIF orientation applied.
    /// - Parameter orientation: 1 to 8; any other value is treated as 1 (EXIF 2.32 §4.6.4).
    package func oriented(_ orientation: Int) -> RGBAImage {
        // The position in this picture of the first pixel of the result, and the steps to its right and down.
        let origin: Int
        let right: Int
        let down: Int
        let lastColumn = width - 1
        let lastRow = (height - 1) * width
        switch orientation {
        case 2: (origin, right, down) = (lastColumn, -1, width)
        case 3: (origin, right, down) = (lastRow + lastColumn, -1, -width)
        case 4: (origin, right, down) = (lastRow, 1, -width)
        case 5: (origin, right, down) = (0, width, 1)
        case 6: (origin, right, down) = (lastRow, -width, 1)
        case 7: (origin, right, down) = (lastRow + lastColumn, -width, -1)
        case 8: (origin, right, down) = (lastColumn, width, -1)
        default: return self
        }
        let isTurned = orientation >= 5
        var turned: [UInt8] = []
        turned.reserveCapacity(pixels.count)
        for y in 0..<(isTurned ? width : height) {
            var at = origin + y * down
            for _ in 0..<(isTurned ? height : width) {
                turned.append(pixels[4 * at])
                turned.append(pixels[4 * at + 1])
                turned.append(pixels[4 * at + 2])
                turned.append(pixels[4 * at + 3])
                at += right
            }
        }
        return RGBAImage(width: isTurned ? height : width, height: isTurned ? width : height, pixels: turned)
    }

    /// Returns the picture blended with an opaque colour, whose alpha is ignored.
    package func flattened(on color: RGBA) -> RGBAImage {
        if isOpaque { return self }
        var flat = self
        for at in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = Int(pixels[at + 3])
            if alpha == 255 { continue }
            func blend(_ value: UInt8, _ behind: UInt8) -> UInt8 {
                UInt8((Int(value) * alpha + Int(behind) * (255 - alpha) + 127) / 255)
            }
            flat.pixels[at] = blend(pixels[at], color.red)
            flat.pixels[at + 1] = blend(pixels[at + 1], color.green)
            flat.pixels[at + 2] = blend(pixels[at + 2], color.blue)
            flat.pixels[at + 3] = 255
        }
        return flat
    }

    /// Returns the picture in the middle of a larger canvas, blended with the colour of the canvas.
    package func centered(width canvasWidth: Int, height canvasHeight: Int, on color: RGBA) -> RGBAImage {
        var canvas = RGBAImage(width: canvasWidth, height: canvasHeight, filledWith: color)
        let left = (canvasWidth - width) / 2
        let top = (canvasHeight - height) / 2
        let picture = color.alpha == 255 ? flattened(on: color) : self
        for y in 0..<height {
            let target = 4 * ((top + y) * canvasWidth + left)
            canvas.pixels.replaceSubrange(
                target..<target + 4 * width,
                with: picture.pixels[4 * y * width..<4 * (y + 1) * width]
            )
        }
        return canvas
    }
}
