/// The extent to which an image is decoded.
public enum DecodePolicy: String, Sendable, CaseIterable {
    /// Only the pixels that the answer needs.
    case auto
    /// No pixels.
    case header
    /// All pixels, which checks that the content is complete.
    case full
}

/// The selection of EXIF facts, texts and previews in the answer.
public enum EXIFPolicy: String, Sendable, CaseIterable {
    /// All facts, with typed values.
    case typed
    case none
    /// Only facts that contain no information about persons, places and the owners of devices.
    case `public`
}

/// The way in which an image is fitted into a thumbnail's box.
public enum ThumbnailFit: String, Sendable, CaseIterable {
    /// The largest size that fits in the box.
    case inside
    /// The smallest size that covers the box; nothing is cropped.
    case outside
    /// Fills the box; the excess is cropped evenly on both sides.
    case cover
    /// Fits in the box, which is padded with the background.
    case contain
    /// Fills the box; the proportions change.
    case fill
}

public enum ThumbnailFormat: String, Sendable, CaseIterable {
    case jpeg
    case png
    case webp
}

extension ThumbnailFormat {
    public var mediaType: String { contentType.description }

    package var contentType: StaticString {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        }
    }
}

/// A colour in sRGB with straight alpha and 8 bits per channel.
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

public struct ThumbnailRequest: Hashable, Sendable {
    /// The width of the box, in pixels.
    public var width: Int
    /// The height of the box, in pixels.
    public var height: Int
    public var fit = ThumbnailFit.inside
    /// Whether the thumbnail may be larger than the image. Default `false`.
    public var enlarge = false
    /// The format. `nil` means JPEG if the image is opaque, else PNG.
    public var format: ThumbnailFormat?
    /// The quality of JPEG and WebP, 1 to 100. Default 80.
    public var quality = 80
    /// The colour outside the image in the box, and behind transparent pixels in a format without alpha. `nil` means
    /// transparent if the format supports it, else white.
    public var background: RGBA?

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

extension ThumbnailRequest {
    /// The thumbnail of an image if the caller requests nothing else.
    public static let byDefault = ThumbnailRequest(width: 256, height: 256)
}

/// Small placeholders for a picture while it is being loaded.
public struct Placeholders: NamedOptionSet, Hashable, Sendable {
    /// The mean colour.
    public static let average = Placeholders(rawValue: 1)
    /// The most frequent colour.
    public static let dominant = Placeholders(rawValue: 2)
    /// A few representative colours.
    public static let palette = Placeholders(rawValue: 4)
    /// BlurHash, 4 × 3 components.
    public static let blurhash = Placeholders(rawValue: 8)
    public static let thumbhash = Placeholders(rawValue: 16)

    /// Each placeholder with its name in the HTTP contract.
    public static let named: [(name: String, element: Placeholders)] = [
        ("average", .average),
        ("dominant", .dominant),
        ("palette", .palette),
        ("blurhash", .blurhash),
        ("thumbhash", .thumbhash),
    ]

    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// Fingerprints that identify a picture.
public struct Fingerprints: NamedOptionSet, Hashable, Sendable {
    /// A perceptual hash of 64 bits, which is similar for pictures that look similar.
    public static let phash = Fingerprints(rawValue: 1)
    /// SHA-256 of the content.
    public static let sha256 = Fingerprints(rawValue: 2)

    /// Each fingerprint with its name in the HTTP contract.
    public static let named: [(name: String, element: Fingerprints)] = [
        ("phash", .phash),
        ("sha256", .sha256),
    ]

    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }
}
