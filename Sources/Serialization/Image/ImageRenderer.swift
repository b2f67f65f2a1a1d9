/// What makes pixels of an image's content.
///
/// The library's own renderer calls C decoders, which a service lets run in sandboxed processes only; such a service
/// passes a renderer that sends the work there. Classes only: passed on by whoever handles a response, it costs a reference count.
public protocol ImageRenderer: AnyObject, Sendable {
    /// - Parameter content: the whole image, whose header was read and found sound.
    func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering
}

/// What is to be made of an image's pixels, all from one decode.
public struct RenderingRequest: Equatable, Sendable {
    public var format: ImageFormat
    /// EXIF orientation, 1 to 8. Everything that is made has it applied.
    public var orientation = 1
    public var decode = DecodePolicy.auto
    public var thumbnails: [ThumbnailRequest] = []
    public var placeholders: Placeholders = []
    /// Whether the perceptual hash is wanted.
    public var phash = false
    /// Whether content that ends early is used as far as it goes.
    public var allowsTruncated = false
    /// Most pixels of an image whose rows are streamed.
    public var maxPixels = 256 << 20
    /// Most scans of a progressive JPEG.
    public var maxScans = 100
    /// Most frames that are composed.
    public var maxFrames = 1_000
    /// Most memory that the decode may take, in bytes, beyond the content.
    public var maxMemoryBytes = 256 << 20

    public init(_ format: ImageFormat) {
        self.format = format
    }
}

/// What was made.
public struct Rendering: Equatable, Sendable {
    /// How many of the pixels were decoded.
    public enum Extent: UInt8, Sendable {
        /// At a fraction of the size, as a JPEG's DCT allows.
        case scaled
        /// Every one.
        case full
    }

    /// One thumbnail, in the order of the request's.
    public struct Thumbnail: Equatable, Sendable {
        public var width: Int
        public var height: Int
        public var format: ThumbnailFormat
        public var content: [UInt8]

        public init(width: Int, height: Int, format: ThumbnailFormat, content: [UInt8]) {
            self.width = width
            self.height = height
            self.format = format
            self.content = content
        }
    }

    public var extent: Extent
    /// What the decode proved of the content.
    public var integrity: ImageIntegrity
    /// Whether the image has a colour profile that could not be used; its colours were taken as sRGB then.
    public var ignoresProfile = false
    public var thumbnails: [Thumbnail] = []
    public var average: RGBA?
    public var dominant: RGBA?
    public var palette: [RGBA] = []
    public var blurhash: String?
    /// The hash's bytes.
    public var thumbhash: [UInt8]?
    public var phash: UInt64?

    public init(_ extent: Extent, integrity: ImageIntegrity) {
        self.extent = extent
        self.integrity = integrity
    }
}

/// Whether the content is whole, and how far that was looked at.
public struct ImageIntegrity: Equatable, Sendable {
    public enum Verdict: String, Sendable, CaseIterable {
        case unchecked
        case complete
        /// All pixels are there, and what the format ends with is not.
        case missingEnd = "missing-end"
        /// The content ends early.
        case truncated
        case corrupt
        /// The image is complete, and something follows it.
        case trailingBytes = "trailing-bytes"
    }

    public enum Check: String, Sendable, CaseIterable {
        case header
        /// Every segment or chunk, and no pixel.
        case structure
        case pixels
    }

    public var verdict: Verdict
    public var checked: Check
    /// Where it ends early, is corrupt, or where what follows it begins, in bytes from the content's start.
    public var byte: Int?
    /// The segment or chunk that is corrupt, by its name in the format.
    public var part: String?
    /// Whether a truncated or corrupt image is displayed whole all the same: the damage is outside of the picture, or behind
    /// the first frame of an animation.
    public var isPictureWhole = false

    public init(_ verdict: Verdict, checked: Check, byte: Int? = nil, part: String? = nil) {
        self.verdict = verdict
        self.checked = checked
        self.byte = byte
        self.part = part
    }
}

/// Why no pixels came.
public enum RenderingError: Error, Equatable, Sendable {
    /// The content ends early, at or before `byte`.
    case truncated(byte: Int)
    /// The content breaks its format.
    case corrupt(byte: Int?, part: String?)
    /// A feature of the format that the decoder does not have; `feature` is a short English noun phrase.
    case unsupported(feature: String)
    /// Decoding would take more than ``RenderingRequest/maxMemoryBytes``, or has more pixels than are allowed.
    case tooLarge(bytes: Int, max: Int)
    case tooManyPixels(max: Int)
    case tooManyScans(max: Int)
    case tooManyFrames(max: Int)
    /// The decode took longer than it may. Only a renderer in another process says so.
    case timedOut(seconds: Int)
    /// The process that decoded ended. Only a renderer in another process says so.
    case crashed
    /// There is no sandbox, so nothing is decoded.
    case sandboxUnavailable
    /// All renderers are busy and the queue is full.
    case saturated
    /// The caller must render elsewhere: this thread may not wait.
    case deferred
}
