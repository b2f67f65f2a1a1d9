// The boundary between a response and the content of its image. This module knows the first bytes of an image, the
// options and the errors; everything else about the content is the task of an `ImageReader`: the module `Images` reads
// images in its process, and the service has them read by a worker.

/// Reads the content of images.
///
/// The protocol requires a class, so that passing a reader costs only a reference count.
public protocol ImageReader: AnyObject, Sendable {
    /// Reads one image for several orders, which share one decode of its pixels if they differ only in thumbnails.
    /// - Returns: one result per order, in the same order.
    func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [Result<ImageRecord, ImageRejection>]
}

/// The options and limits that affect what is read from an image.
public struct ImageOrder: Equatable, Sendable {
    public enum Form: Sendable, CaseIterable {
        /// The value of the serializer `image`.
        case value
        /// The first thumbnail. The JSON consists of the facts, without thumbnails.
        case thumbnail
    }

    public var form = Form.value
    /// ``SerializationOptions/thumbnails``; likewise the other options.
    public var thumbnails: [ThumbnailRequest]?
    public var exif = EXIFPolicy.typed
    public var scale = 1.0
    public var decode = DecodePolicy.auto
    public var placeholders: Placeholders = []
    public var fingerprints: Fingerprints = []
    public var truncated = TruncatedPolicy.reject
    /// Whether images that AFNetworking inflates are decoded completely.
    public var inflates = false
    /// ``Limits/maxImagePixels``; likewise the other limits, all of which are inclusive.
    public var maxPixels: Int
    public var maxSide: Int
    public var maxFrames: Int
    public var maxScans: Int
    public var maxThumbnails: Int
    public var maxThumbnailSide: Int
    public var maxOutputBytes: Int

    public init(_ form: Form, _ options: SerializationOptions, _ limits: Limits) {
        self.form = form
        thumbnails = options.thumbnails
        exif = options.exif
        scale = options.scale
        decode = options.decode
        placeholders = options.placeholders
        fingerprints = options.fingerprints
        truncated = options.truncated
        inflates = options.rules == .afnetworking
        maxPixels = limits.maxImagePixels
        maxSide = limits.maxImageSide
        maxFrames = limits.maxImageFrames
        maxScans = limits.maxJPEGScans
        maxThumbnails = limits.maxThumbnails
        maxThumbnailSide = limits.maxThumbnailSide
        maxOutputBytes = limits.maxOutputBytes
    }

    /// Whether the result needs no pixels, unless the header shows damage that may be outside the picture.
    public var needsOnlyHeader: Bool { decode == .header || (thumbnails == [] && !asksForPixels && !inflates) }

    /// The same order without the default thumbnail; `nil` if pixels are needed for anything else.
    public var withoutDefaultThumbnail: ImageOrder? {
        guard !asksForPixels else { return nil }
        var order = self
        order.decode = .header
        return order
    }

    /// Whether the caller requested a result that needs pixels, other than the default thumbnail.
    public var asksForPixels: Bool {
        thumbnails?.isEmpty == false || decode == .full || !placeholders.isEmpty || fingerprints.contains(.phash)
    }
}

/// What was read from an image for one order.
public struct ImageRecord: Equatable, Sendable {
    /// The maximum length of ``json``, in bytes.
    package static let maxJSONBytes = 8 << 20

    public struct Size: Equatable, Sendable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// One thumbnail, in the order of ``ImageOrder/thumbnails``.
    public struct Thumbnail: Equatable, Sendable {
        public var width: Int
        public var height: Int
        public var format: ThumbnailFormat
        /// A part of the bytes that the worker sent, which are not copied.
        public var content: ArraySlice<UInt8>

        public init(width: Int, height: Int, format: ThumbnailFormat, content: ArraySlice<UInt8>) {
            self.width = width
            self.height = height
            self.format = format
            self.content = content
        }
    }

    public var findings: ImageFindings
    /// The value: one JSON object. The strings for the Base64 of thumbnails are empty.
    public var json: [UInt8]
    public var thumbnails: [Thumbnail]
    /// The offsets in ``json`` at which the Base64 of the thumbnails is inserted, in ascending order: one per
    /// thumbnail, or none with ``ImageOrder/Form/thumbnail``.
    public var insertions: [Int]
    /// The size for display, with the orientation applied; `nil` if the header does not specify it.
    public var size: Size?
    /// The damage of an image whose readable part was used; `nil` if the picture is not damaged.
    public var damage: ImageWarning?

    public init(_ findings: ImageFindings, json: [UInt8]) {
        self.findings = findings
        self.json = json
        thumbnails = []
        insertions = []
    }
}

extension ImageRecord {
    /// The length of what was received, in bytes.
    package var byteCount: Int { thumbnails.reduce(json.count) { $0 + $1.content.count } }

    /// Adds the warning that the default thumbnail is missing, unless there would be none, or another reason is known.
    package mutating func warnOfMissingThumbnail(_ reason: ImageError.Reason) {
        let box = ThumbnailRequest.byDefault
        if let size, size.width <= box.width, size.height <= box.height { return }
        let isKnown = findings.warnings.contains { if case .withoutPixels = $0.kind { true } else { false } }
        if !isKnown { findings.warnings.append(ImageWarning(.withoutPixels(reason))) }
    }
}

/// The reason why there is no record, and what was found before.
public struct ImageRejection: Error, Equatable, Sendable {
    public var error: ImageError
    public var findings: ImageFindings
    /// Whether there is a record of everything that was ordered with `truncated=allow`, which was tried.
    public var acceptsTruncated: Bool

    public init(_ error: ImageError, _ findings: ImageFindings = ImageFindings(), acceptsTruncated: Bool = false) {
        self.error = error
        self.findings = findings
        self.acceptsTruncated = acceptsTruncated
    }
}

/// What is reported about an image in addition to its value or its error.
public struct ImageFindings: Equatable, Sendable {
    /// The format; `nil` if the header could not be read.
    public var format: ImageFormat?
    public var isAnimated = false
    /// Whether a C library found the content corrupt, so that it may have changed the state of its process.
    public var isSuspect = false
    public var warnings: [ImageWarning] = []

    public init(_ format: ImageFormat? = nil, isAnimated: Bool = false) {
        self.format = format
        self.isAnimated = isAnimated
    }

    /// The media type as registered by IANA, or else as it is usually written; `nil` without ``format``.
    public var mediaType: String? { format?.mediaType(isAnimated: isAnimated) }

    /// Whether a warning already states that the image is truncated or corrupt, because it has no thumbnail.
    var reportDamage: Bool {
        warnings.contains { warning in
            switch warning.kind {
            case .withoutPixels(.truncated), .withoutPixels(.corrupt): true
            case .withoutPixels, .metadata, .invalidDate, .missingColorTable, .profile, .damaged, .missingEnd,
                .unlisted:
                false
            }
        }
    }
}

/// A warning about the content of an image.
public struct ImageWarning: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// ``Warning/Kind/imageMetadata(_:)``; likewise the following ones.
        case metadata(String)
        case invalidDate(String)
        case missingColorTable
        case profile
        case withoutPixels(ImageError.Reason)
        case damaged(ImageError.Reason)
        case missingEnd
        /// Warnings that were not created.
        case unlisted(count: Int)
    }

    public var kind: Kind
    /// The offset in bytes from the start of the content; `nil` if there is none.
    public var byte: Int?

    public init(_ kind: Kind, at byte: Int? = nil) {
        self.kind = kind
        self.byte = byte
    }
}

extension WarningList {
    mutating func append(_ warning: ImageWarning) {
        let kind: Warning.Kind
        switch warning.kind {
        case .metadata(let part): kind = .imageMetadata(part)
        case .invalidDate(let date): kind = .imageInvalidDate(date)
        case .missingColorTable: kind = .imageMissingColorTable
        case .profile: kind = .imageProfile
        case .withoutPixels(let reason): kind = .imageWithoutPixels(reason)
        case .damaged(let reason): kind = .imageDamaged(reason)
        case .missingEnd: kind = .imageMissingEnd
        case .unlisted(let count): return append(unlisted: count)
        }
        append(Warning(kind, at: warning.byte.map { SourceLocation(byte: $0) }))
    }
}
