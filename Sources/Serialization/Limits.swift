/// The bounds of one serialization. Every value is inclusive and carries its unit in its name.
///
/// A request may lower a limit and never raise it; none can be switched off.
public struct Limits: Equatable, Sendable {
    /// Longest content accepted, in bytes, before its codings are undone. Default 32 MiB.
    public var maxContentBytes = 32 << 20

    /// Longest content after its codings are undone, in bytes. Default 128 MiB. In any case above 1 MiB no more than 1 000 times the
    /// encoded bytes that it was made from. Stops decompression bombs.
    public var maxDecodedBytes = 128 << 20

    /// Most content codings of one content. Default 4.
    public var maxContentCodings = 4

    /// Longest value written, in bytes. Default 256 MiB, eight times the longest content: the document form of XML can be six times as
    /// long as its source. Stops expansion.
    public var maxOutputBytes = 256 << 20

    /// Deepest nesting of JSON arrays and objects. Default 512, never above ``hardMaxNestingDepth``.
    public var maxNestingDepth = 512

    /// Longest JSON number, in bytes. Default 4 KiB.
    public var maxNumberBytes = 4 << 10

    /// Longest member name, in bytes as written (escapes count as written). Default 64 KiB.
    public var maxKeyBytes = 64 << 10

    /// What XML entities and default attributes may add to a text, in bytes. Default 1 MiB; in any case no more than 64 KiB
    /// or five times the content, whichever is more. Stops billion laughs and quadratic blow-up.
    public var maxXMLEntityExpansionBytes = 1 << 20

    /// Most attributes of one XML element, namespace declarations and defaults included. Default 1 000. Each is compared
    /// with all others.
    public var maxXMLAttributes = 1_000

    /// Most members of one object. Default 1 000 000. Bounds the table that finds duplicates.
    public var maxObjectMembers = 1_000_000

    /// Most pixels of an image whose pixels are decoded. Default 256 M.
    public var maxImagePixels = 256 << 20

    /// Longest side of an image whose pixels are decoded, in pixels. Default 65 535.
    public var maxImageSide = 65_535

    /// Most frames of an image that are listed. Default 10 000.
    public var maxImageFrames = 10_000

    /// Most scans of a JPEG whose pixels are decoded. Default 100. Each goes over all pixels.
    public var maxJPEGScans = 100

    /// Most thumbnails of one image. Default 8.
    public var maxThumbnails = 8

    /// Longest side of a thumbnail's box, in pixels. Default 2 048.
    public var maxThumbnailSide = 2_048

    /// Most warnings in one answer; one more says how many were left out. Default 100.
    public var maxWarnings = 100

    /// Longest JSON Pointer reported, in bytes. Default 1 KiB.
    public var maxPointerBytes = 1 << 10

    /// The depth that no configuration can raise: it bounds the reader's own stack.
    public static let hardMaxNestingDepth = 1024

    /// Deepest nesting of XML elements, where ``maxNestingDepth`` is not lower.
    public static let maxXMLNestingDepth = 256

    public init() {}
}

extension Limits {
    /// These limits, none beyond ``hardMaxima`` or below 0.
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

    /// The largest value of each limit, inclusive. No configuration exceeds it: what is set beyond it counts as this.
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
