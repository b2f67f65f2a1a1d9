package import Serialization

/// The facts in an image's header, before any pixel is decoded.
///
/// Texts and profiles are ranges of the content, which is needed to write the facts.
package struct ImageFacts: Equatable, Sendable {
    package var format: ImageFormat
    /// The number of pixels per row as stored, or `nil` if the header does not specify it.
    package var width: Int?
    /// The number of rows as stored, or `nil` if the header does not specify it.
    package var height: Int?
    /// The EXIF orientation, 1 to 8.
    package var orientation: Int?
    /// The size for display, if it does not follow from the stored size and ``orientation``: that of a clean aperture.
    package var displayedSize: ImageRecord.Size?
    package var color = ImageColor()
    package var density: ImageDensity?
    /// The density in EXIF, even if EXIF itself is not reported.
    package var exifDensity: ImageDensity?
    package var coding = ImageCoding()
    /// The number of pictures in the content: frames, pages or sizes. `nil` if the header does not specify it.
    package var frames: Int?
    package var animation: ImageAnimation?
    package var directory: [ImageDirectoryEntry] = []
    package var exif: EXIF?
    /// Whether EXIF was found, even if it is not reported. If there are several, the first one counts.
    package var hasEXIF = false
    /// The bytes from which ``exif`` was read, or `nil` for the content itself.
    package var exifContent: [UInt8]?
    package var texts: [ImageText] = []
    package var comments: [ImageTextSource] = []
    package var xmp: ImageTextSource?
    package var embeddedThumbnail: EmbeddedThumbnail?
    package var integrity = ImageIntegrity(.unchecked, checked: .header)
    /// Whether a truncated or corrupt image may contain all of its pixels, which only decoding shows.
    package var mayHaveAllPixels = false
    /// The feature of this image that the decoder of the format does not support, as a short noun phrase.
    package var undecodedFeature: String?
    /// Whether the first frame of a GIF has no colour table.
    package var lacksColors = false
    /// The first broken parts of the metadata, which were omitted. Each one produces a warning.
    package var flaws: [ImageFlaw] = []
    /// The number of broken parts beyond those that are listed.
    package var unlistedFlawCount = 0

    package init(_ format: ImageFormat) { self.format = format }

    /// Lists a broken part of the metadata, or only counts it.
    mutating func note(_ flaw: ImageFlaw, _ budget: inout HeaderBudget) {
        if budget.take(of: .flaws) {
            flaws.append(flaw)
        } else {
            unlistedFlawCount += 1
        }
    }

    /// Adds a comment, or notes that it is omitted.
    mutating func addComment(_ comment: ImageTextSource, at byte: Int, _ budget: inout HeaderBudget) {
        guard budget.take(of: .texts) else { return note(ImageFlaw(byte: byte, part: "comment"), &budget) }
        comments.append(comment)
    }

    /// The media type as registered by IANA, or else as it is usually written.
    package var mediaType: String { format.mediaType(isAnimated: animation != nil) }

    /// The texts with each keyword, in the order in which the keywords occur first.
    package var textsByKeyword: [(keyword: String, values: [ImageTextSource])] {
        var groups: [(keyword: String, values: [ImageTextSource])] = []
        // Keywords are ISO 8859-1, in which no two texts are canonically equivalent.
        var indices: [String: Int] = [:]
        for text in texts {
            if let index = indices[text.keyword] {
                groups[index].values.append(text.value)
            } else {
                indices[text.keyword] = groups.count
                groups.append((text.keyword, [text.value]))
            }
        }
        return groups
    }

    /// The width and height in the orientation for display. `nil` if the header does not specify them.
    package var orientedSize: (width: Int, height: Int)? {
        if let displayedSize { return (displayedSize.width, displayedSize.height) }
        guard let width, let height else { return nil }
        // Orientations from 5 exchange width and height.
        return orientation ?? 1 >= 5 ? (height, width) : (width, height)
    }
}

/// The colours of an image.
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
    /// The number of channels including alpha. In an image with a palette, only the index counts.
    package var channels: Int?
    package var bitsPerChannel: Int?
    package var alpha: Bool?
    /// The chroma subsampling, for example `4:2:0`.
    package var subsampling: String?
    package var profile: ICCProfile?

    /// Returns the usual name J:a:b of chroma that is reduced by these factors, or `nil` if it has none.
    static func subsampling(horizontal: Int, vertical: Int) -> String? {
        switch (horizontal, vertical) {
        case (1, 1): "4:4:4"
        case (1, 2): "4:4:0"
        case (1, 4): "4:4:1"
        case (2, 1): "4:2:2"
        case (2, 2): "4:2:0"
        case (2, 4): "4:2:1"
        case (4, 1): "4:1:1"
        case (4, 2): "4:1:0"
        default: nil
        }
    }
}

/// The number of pixels per unit of length.
package struct ImageDensity: Equatable, Sendable {
    package enum Unit: String, Sendable {
        case inch
        case centimeter
        case meter
        /// The two numbers are only the ratio of a pixel's sides.
        case aspect
    }

    /// The source of the density.
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

/// The coding of the pixels.
package struct ImageCoding: Equatable, Sendable {
    /// Whether the image is transmitted in several passes: a progressive JPEG, an interlaced PNG or GIF.
    package var progressive: Bool?
    package var scans: Int?
    /// The quality of a JPEG, 1 to 100, estimated from the quantization tables.
    package var quality: Int?
    /// The number of MCUs between restart markers; 0 if there are none.
    package var restartInterval: Int?
    package var compression: String?
}

package struct ImageAnimation: Equatable, Sendable {
    /// The number of repetitions as stored; 0 is for ever.
    package var loops: Int
    package var durationMilliseconds: Int
    /// The delay of each frame, for at most ``Limits/maxImageFrames`` frames.
    package var delaysMilliseconds: [Int]
}

/// One picture of an icon.
package struct ImageDirectoryEntry: Equatable, Sendable {
    package var width: Int
    package var height: Int
    package var bitsPerPixel: Int
    package var format: ImageFormat?
    /// The hotspot of a cursor, in pixels.
    package var hotspot: ImageHotspot?
}

package struct ImageHotspot: Equatable, Sendable {
    package var x: Int
    package var y: Int
}

/// A text in the content, or a decoded copy of it.
package enum ImageTextSource: Equatable, Sendable {
    /// UTF-8, or ISO 8859-1 if it is not valid, for formats and encoders that do not specify it.
    case utf8(Range<Int>)
    /// ISO 8859-1.
    case latin1(Range<Int>)
    /// A copy in valid UTF-8, already decompressed, joined or transcoded.
    case text(String)
}

/// A text with a keyword for its meaning.
package struct ImageText: Equatable, Sendable {
    package var keyword: String
    package var value: ImageTextSource
}

/// A thumbnail that is embedded in the image.
package struct EmbeddedThumbnail: Equatable, Sendable {
    package var width: Int
    package var height: Int
    package var range: Range<Int>
}

/// A broken part of the metadata that was omitted.
package struct ImageFlaw: Equatable, Sendable {
    package var byte: Int
    /// The name of the part: `EXIF`, `ICC profile`, `zTXt`.
    package var part: String
    /// An invalid calendar date, which is not omitted but reported as received.
    package var date: String?
}
