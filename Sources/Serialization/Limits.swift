/// The limits of one serialization. Every value is inclusive and has its unit in its name.
///
/// A request can lower a limit, but not raise it. No limit can be switched off.
public struct Limits: Equatable, Sendable {
    /// The maximum length of the content, in bytes, before its content codings are decoded. Default 32 MiB.
    public var maxContentBytes = 32 << 20

    /// The maximum length of the content after its content codings are decoded, in bytes. Default 128 MiB. Above 1 MiB,
    /// the content can also have at most 1 000 times the length of the encoded bytes from which it was made. Protects
    /// against decompression bombs.
    public var maxDecodedBytes = 128 << 20

    /// The maximum number of content codings of one content. Default 4.
    public var maxContentCodings = 4

    /// The maximum length of the value that is written, in bytes. Default 256 MiB, eight times the longest content: the
    /// document layout of XML can be six times as long as its source. Protects against expansion.
    public var maxOutputBytes = 256 << 20

    /// The maximum nesting depth of JSON arrays and objects. Default 512, never above ``hardMaxNestingDepth``.
    public var maxNestingDepth = 512

    /// The maximum length of a JSON number, in bytes. Default 4 KiB.
    public var maxNumberBytes = 4 << 10

    /// The maximum length of a member name, in bytes as written (escapes are not decoded). Default 64 KiB.
    public var maxKeyBytes = 64 << 10

    /// The maximum number of bytes that XML entities and default attributes add to a text. Default 1 MiB; in any case
    /// at most 64 KiB or five times the content, whichever is more. Protects against "billion laughs" and quadratic
    /// blow-up.
    public var maxXMLEntityExpansionBytes = 1 << 20

    /// The maximum number of attributes of one XML element, including namespace declarations and defaults. Default 1
    /// 000. Each is compared with all others.
    public var maxXMLAttributes = 1_000

    /// The maximum number of members of one object. Default 1 000 000. Bounds the table that finds duplicates.
    public var maxObjectMembers = 1_000_000

    /// The maximum number of pixels of an image whose pixels are decoded. Default 256 Mi.
    public var maxImagePixels = 256 << 20

    /// The maximum width and height of an image whose pixels are decoded, in pixels. Default 65 535.
    public var maxImageSide = 65_535

    /// The maximum number of frames of an image that are listed. Default 10 000.
    public var maxImageFrames = 10_000

    /// The maximum number of scans of a JPEG whose pixels are decoded. Default 100. Each scan covers all pixels.
    public var maxJPEGScans = 100

    /// The maximum number of thumbnails per image. Default 8.
    public var maxThumbnails = 8

    /// The maximum width and height of a thumbnail's box, in pixels. Default 2 048.
    public var maxThumbnailSide = 2_048

    /// The maximum number of warnings per response. One more reports how many were omitted. Default 100.
    public var maxWarnings = 100

    /// The maximum length of a reported JSON Pointer, in bytes. Default 1 KiB.
    public var maxPointerBytes = 1 << 10

    /// The maximum nesting depth that a configuration can set. It bounds the stack of the reader.
    public static let hardMaxNestingDepth = 1024

    /// The maximum nesting depth of XML elements, unless ``maxNestingDepth`` is lower.
    public static let maxXMLNestingDepth = 256

    public init() {}
}

extension Limits {
    /// These limits, clamped to the range from 0 to ``hardMaxima``.
    var bounded: Limits {
        var limits = self
        for limit in Self.all {
            limits[keyPath: limit] = max(0, min(limits[keyPath: limit], Self.hardMaxima[keyPath: limit]))
        }
        return limits
    }

    private static let all: [any WritableKeyPath<Limits, Int> & Sendable] = [
        \.maxContentBytes, \.maxDecodedBytes, \.maxContentCodings, \.maxOutputBytes, \.maxNestingDepth,
        \.maxNumberBytes, \.maxKeyBytes,
        \.maxXMLEntityExpansionBytes, \.maxXMLAttributes, \.maxObjectMembers, \.maxImagePixels, \.maxImageSide,
        \.maxImageFrames, \.maxJPEGScans, \.maxThumbnails, \.maxThumbnailSide, \.maxWarnings, \.maxPointerBytes,
    ]

    /// The largest value of each limit, inclusive. A configured value beyond it is reduced to it.
    public static let hardMaxima: Limits = {
        var limits = Limits()
        limits.maxContentBytes = 512 << 20
        limits.maxDecodedBytes = 2 << 30
        limits.maxContentCodings = 16
        limits.maxOutputBytes = 2 << 30
        limits.maxNestingDepth = hardMaxNestingDepth
        limits.maxNumberBytes = 1 << 20
        limits.maxKeyBytes = 1 << 20
        limits.maxXMLEntityExpansionBytes = 64 << 20
        limits.maxXMLAttributes = 10_000
        limits.maxObjectMembers = 16 << 20
        limits.maxImagePixels = 1 << 32
        limits.maxImageSide = 1 << 24
        limits.maxImageFrames = 1_000_000
        limits.maxJPEGScans = 10_000
        limits.maxThumbnails = 64
        limits.maxThumbnailSide = 16_384
        limits.maxWarnings = 10_000
        limits.maxPointerBytes = 64 << 10
        return limits
    }()
}
