/// How much of an image is decoded.
public enum DecodePolicy: String, Sendable, CaseIterable {
    /// As little as the answer needs.
    case auto
    /// No pixel.
    case header
    /// Every pixel, which proves that the content is whole.
    case full
}

/// Which EXIF facts, texts and previews the answer has.
public enum EXIFPolicy: String, Sendable, CaseIterable {
    /// All, with typed values.
    case typed
    case none
    /// Only names that say nothing of persons, places and devices' owners.
    case `public`
}

/// How an image is fitted into a thumbnail's box.
public enum ThumbnailFit: String, Sendable, CaseIterable {
    /// As large as fits in the box.
    case inside
    /// As small as covers the box; nothing is cut.
    case outside
    /// Fills the box; what stands out is cut evenly on both sides.
    case cover
    /// Fits in the box, which is padded with the background.
    case contain
    /// Fills the box; proportions change.
    case fill
}

/// A format that thumbnails are written in.
public enum ThumbnailFormat: String, Sendable, CaseIterable {
    case jpeg
    case png
    case webp
}

/// A colour in sRGB with straight alpha, 8 bits a channel.
public struct RGBA: Hashable, Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
}

/// One thumbnail that was asked for.
public struct ThumbnailRequest: Hashable, Sendable {
    /// Width of the box, in pixels.
    public var width: Int
    /// Height of the box, in pixels.
    public var height: Int
    public var fit = ThumbnailFit.inside
    /// Whether it may be larger than the image. Default false.
    public var enlarge = false
    /// Nil: JPEG where the image is opaque, else PNG.
    public var format: ThumbnailFormat?
    /// Of JPEG and WebP, 1 to 100. Default 80.
    public var quality = 80
    /// What shows where the thumbnail has no pixel of the image, or where transparency meets a format without it.
    /// Nil: transparent where the format can, else white.
    public var background: RGBA?

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// Small stand-ins for a picture that is still loading.
public struct Placeholders: OptionSet, Hashable, Sendable {
    /// The mean colour.
    public static let average = Placeholders(rawValue: 1)
    /// The commonest colour.
    public static let dominant = Placeholders(rawValue: 2)
    /// A few colours that stand for the picture.
    public static let palette = Placeholders(rawValue: 4)
    /// BlurHash, 4 × 3 components.
    public static let blurhash = Placeholders(rawValue: 8)
    public static let thumbhash = Placeholders(rawValue: 16)

    /// Each with its name in the HTTP contract.
    public static let named: [(name: String, placeholder: Placeholders)] = [
        ("average", .average),
        ("dominant", .dominant),
        ("palette", .palette),
        ("blurhash", .blurhash),
        ("thumbhash", .thumbhash),
    ]

    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// What tells a picture again.
public struct Fingerprints: OptionSet, Hashable, Sendable {
    /// A perceptual hash of 64 bits: alike for pictures that look alike.
    public static let phash = Fingerprints(rawValue: 1)
    /// SHA-256 of the content.
    public static let sha256 = Fingerprints(rawValue: 2)

    /// Each with its name in the HTTP contract.
    public static let named: [(name: String, fingerprint: Fingerprints)] = [
        ("phash", .phash),
        ("sha256", .sha256),
    ]

    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}
