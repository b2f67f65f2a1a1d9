/// What an image's header says, before any pixel is decoded.
///
/// Texts and profiles are places in the content, which whoever writes the facts has at hand.
package struct ImageFacts: Equatable, Sendable {
    package var format: ImageFormat
    /// Pixels a row as stored; nil where the header does not say.
    package var width: Int?
    /// Rows as stored; nil where the header does not say.
    package var height: Int?
    /// EXIF's orientation, 1 to 8.
    package var orientation: Int?
    package var color = ImageColor()
    package var density: ImageDensity?
    /// What EXIF says of it, whether or not EXIF itself is told.
    package var exifDensity: ImageDensity?
    package var coding = ImageCoding()
    /// Pictures in the content: frames, pages or sizes. Nil where the header does not say.
    package var frames: Int?
    package var animation: ImageAnimation?
    package var directory: [ImageDirectoryEntry] = []
    package var exif: EXIF?
    /// Whether EXIF was found, told or not: the first of several counts.
    package var hasEXIF = false
    /// What ``exif`` was read from; nil where that is the content itself.
    package var exifContent: [UInt8]?
    package var texts: [ImageText] = []
    package var comments: [ImageTextPlace] = []
    package var xmp: ImageTextPlace?
    package var embeddedThumbnail: EmbeddedThumbnail?
    package var integrity = ImageIntegrity(.unchecked, checked: .header)
    /// Whether an image that counts as truncated or corrupt may have all of its pixels, which only decoding them tells.
    package var mayHaveAllPixels = false
    /// What the decoder of the format lacks to decode this image, as a short noun phrase.
    package var undecodedFeature: String?
    /// Whether a GIF has no colour table for its first frame.
    package var lacksColors = false
    /// What of the metadata is broken and was left out; each is a warning.
    package var flaws: [ImageFlaw] = []

    package init(_ format: ImageFormat) {
        self.format = format
    }

    /// As IANA registers it, or else as it is usually written.
    package var mediaType: String {
        format == .png && animation != nil ? "image/apng" : format.mediaType
    }

    /// Width and height as they are to be seen. Nil where the header does not say.
    package var orientedSize: (width: Int, height: Int)? {
        guard let width, let height else { return nil }
        // Orientations from 5 on lie on their side.
        return orientation ?? 1 >= 5 ? (height, width) : (width, height)
    }
}

/// How the pixels are coloured.
package struct ImageColor: Equatable, Sendable {
    package enum Model: String, Sendable {
        case bilevel
        case gray
        case palette
        case rgb
        case ycbcr
        case cmyk
        case ycck
        case lab
        case multichannel
    }

    package var model: Model?
    /// Alpha included; of a palette its index alone.
    package var channels: Int?
    package var bitsPerChannel: Int?
    package var alpha: Bool?
    /// `4:2:0` and kin.
    package var subsampling: String?
    package var profile: ICCProfile?
}

/// Pixels a unit of length.
package struct ImageDensity: Equatable, Sendable {
    package enum Unit: String, Sendable {
        case inch
        case centimeter
        case meter
        /// The two numbers are only the ratio of a pixel's sides.
        case aspect
    }

    /// Where the density is stated.
    package enum Source: String, Sendable {
        case jfif
        case exif
        case phys = "pHYs"
        case bmp
        case gif
        case tiff
    }

    package var x: Double
    package var y: Double
    package var unit: Unit
    package var source: Source
}

/// How the pixels are coded.
package struct ImageCoding: Equatable, Sendable {
    /// Whether the picture comes in passes: a progressive JPEG, an interlaced PNG or GIF.
    package var progressive: Bool?
    package var scans: Int?
    /// Of a JPEG, 1 to 100, estimated from the quantization tables.
    package var quality: Int?
    /// MCUs between restart markers; 0 where there are none.
    package var restartInterval: Int?
    package var compression: String?
}

package struct ImageAnimation: Equatable, Sendable {
    /// How often it is played, as stored; 0 is for ever.
    package var loops: Int
    package var durationMilliseconds: Int
    /// Of each frame, at most ``Limits/maxImageFrames`` of them.
    package var delaysMilliseconds: [Int]
}

/// One picture of an icon.
package struct ImageDirectoryEntry: Equatable, Sendable {
    package var width: Int
    package var height: Int
    package var bitsPerPixel: Int
    package var format: ImageFormat?
    /// Where a cursor points, in pixels.
    package var hotspot: ImageHotspot?
}

package struct ImageHotspot: Equatable, Sendable {
    package var x: Int
    package var y: Int
}

/// Text in the content, or taken out of it.
package enum ImageTextPlace: Equatable, Sendable {
    /// UTF-8; ISO 8859-1 where it is not valid, for formats and writers that do not say.
    case utf8(Range<Int>)
    /// ISO 8859-1.
    case latin1(Range<Int>)
    /// Already decompressed, joined or transcoded: valid UTF-8.
    case text(String)
}

/// A text with the keyword that says what it is.
package struct ImageText: Equatable, Sendable {
    package var keyword: String
    package var value: ImageTextPlace
}

/// A small picture of the picture.
package struct EmbeddedThumbnail: Equatable, Sendable {
    package var width: Int
    package var height: Int
    package var place: Range<Int>
}

/// Metadata that is broken, and was left out.
package struct ImageFlaw: Equatable, Sendable {
    package var byte: Int
    /// What it is part of: `EXIF`, `ICC profile`, `zTXt`.
    package var part: String
    /// A date that is none of the calendar, which is not left out but kept.
    package var date: String?
}
