// Images of one colour.
//
// They are written directly, without the libraries that encode thumbnails: nothing is decoded, no pixel is stored, and
// the time and the memory depend only on the size of the result. All three formats can state "the same again" briefly:
//
//     PNG   a palette with one entry, and matches of 258 bytes in the compressed rows: 13 bits per 2 064 pixels
//     JPEG  one bit for "the same mean" and one for "no more coefficients" in each block: 12 bits per 256 pixels
//     WebP  prefix codes with a single symbol, which has no bits: the length does not depend on the size
//
// Example: an image of 256 × 256 pixels has 229 bytes as PNG, 564 bytes as JPEG and 32 bytes as WebP.

/// An image all of whose pixels have the same colour.
public struct PlainImage: Hashable, Sendable {
    /// The maximum width and height in pixels, inclusive: that of WebP.
    public static let maxSide = 16_384

    /// The width in pixels, 1 to ``maxSide``.
    public let width: Int
    /// The height in pixels, 1 to ``maxSide``.
    public let height: Int
    public let color: RGBA

    /// - Precondition: The sides are 1 to ``maxSide``.
    public init(width: Int, height: Int, color: RGBA) {
        precondition(1...Self.maxSide ~= width && 1...Self.maxSide ~= height, "the sides are those of every format")
        self.width = width
        self.height = height
        self.color = color
    }

    /// Returns the image as a file. A colour that is not opaque is shown on white in JPEG, which has no alpha.
    public func encoded(as format: ThumbnailFormat) -> [UInt8] {
        switch format {
        case .png: png
        case .jpeg: jpeg
        case .webp: webp
        }
    }
}

extension RGBA {
    /// The colour on a white background.
    var onWhite: RGBA {
        let opacity = Int(alpha)
        let background = 255 * (255 - opacity)
        func blended(_ channel: UInt8) -> UInt8 { UInt8((Int(channel) * opacity + background + 127) / 255) }
        return RGBA(red: blended(red), green: blended(green), blue: blended(blue))
    }
}
