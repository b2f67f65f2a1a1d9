public import Serialization

/// Renders pixels from the content of an image.
///
/// The protocol requires a class, so that passing a renderer costs only a reference count.
public protocol ImageRenderer: AnyObject, Sendable {
    /// - Parameter content: The complete image, whose header was read without an error.
    func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering
}

/// The results to render from an image's pixels, all in one decode.
public struct RenderingRequest: Equatable, Sendable {
    public var format: ImageFormat
    /// The EXIF orientation, 1 to 8. It is applied to all results.
    public var orientation = 1
    public var decode = DecodePolicy.auto
    public var thumbnails: [ThumbnailRequest] = []
    public var placeholders: Placeholders = []
    /// Whether the perceptual hash is requested.
    public var phash = false
    /// Whether the available part of truncated content is used.
    public var allowsTruncated = false
    /// The maximum number of pixels of an image whose rows are streamed.
    public var maxPixels = 256 << 20
    /// The maximum number of scans of a progressive JPEG.
    public var maxScans = 100
    /// The maximum number of frames that are composed.
    public var maxFrames = 1_000
    /// The maximum memory for the decode in addition to the content, in bytes.
    public var maxMemoryBytes = 256 << 20

    public init(_ format: ImageFormat) { self.format = format }
}

/// The results of rendering.
public struct Rendering: Equatable, Sendable {
    /// The extent to which the pixels were decoded.
    public enum Extent: UInt8, Sendable {
        /// Decoded at a fraction of the size, as the DCT of a JPEG allows.
        case scaled
        /// All pixels were decoded.
        case full
    }

    public var extent: Extent
    /// The integrity of the content according to the decode.
    public var integrity: ImageIntegrity
    /// Whether the image has a colour profile that could not be used; its colours were then interpreted as sRGB.
    public var ignoresProfile = false
    /// One thumbnail per request, in their order.
    public var thumbnails: [ImageRecord.Thumbnail] = []
    public var average: RGBA?
    public var dominant: RGBA?
    public var palette: [RGBA] = []
    public var blurhash: String?
    /// The bytes of the ThumbHash.
    public var thumbhash: [UInt8]?
    public var phash: UInt64?

    public init(_ extent: Extent, integrity: ImageIntegrity) {
        self.extent = extent
        self.integrity = integrity
    }
}

/// The integrity of the content, and the extent to which it was checked.
public struct ImageIntegrity: Equatable, Sendable {
    public enum Verdict: String, Sendable, CaseIterable {
        case unchecked
        case complete
        /// All pixels are present, but the end marker of the format is missing.
        case missingEnd = "missing-end"
        /// The content ends early.
        case truncated
        case corrupt
        /// The image is complete, but more bytes follow it.
        case trailingBytes = "trailing-bytes"
    }

    public enum Check: String, Sendable, CaseIterable {
        case header
        /// All segments or chunks were checked, but no pixels.
        case structure
        case pixels
    }

    public var verdict: Verdict
    public var checked: Check
    /// The offset, in bytes from the start of the content, at which it ends early or is corrupt, or at which the bytes
    /// after it begin.
    public var byte: Int?
    /// The name of the corrupt segment or chunk in the format.
    public var part: String?
    /// Whether a truncated or corrupt image is still displayed completely: the damage is outside the picture, or after
    /// the first frame of an animation.
    public var isPictureWhole = false

    public init(_ verdict: Verdict, checked: Check, byte: Int? = nil, part: String? = nil) {
        self.verdict = verdict
        self.checked = checked
        self.byte = byte
        self.part = part
    }

    /// The integrity of a complete image that ends at `end`.
    init(endingAt end: Int, of content: Span<UInt8>, checked: Check) {
        let isLast = end >= content.count
        self.init(isLast ? .complete : .trailingBytes, checked: checked, byte: isLast ? nil : end)
    }
}

/// The reason why pixels were not rendered.
public enum RenderingError: Error, Equatable, Sendable {
    /// The content ends early, at or before `byte`.
    case truncated(byte: Int)
    /// The content violates its format.
    case corrupt(byte: Int?, part: String?)
    /// The decoder does not support a feature of the format; `feature` is a short English noun phrase.
    case unsupported(feature: String)
    /// Decoding would need more memory than ``RenderingRequest/maxMemoryBytes``.
    case tooLarge(bytes: Int, max: Int)
    case tooManyPixels(max: Int)
    case tooLongSide(max: Int)
    case tooManyScans(max: Int)
    case tooManyFrames(max: Int)
    /// Another process decodes pixels.
    case deferred
}
