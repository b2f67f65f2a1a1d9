internal import Serialization

extension ImageRecord {
    func write(to writer: inout WireWriter) {
        findings.write(to: &writer)
        writer.block(json)
        writer.integer(thumbnails.count)
        for thumbnail in thumbnails {
            writer.integer(thumbnail.width)
            writer.integer(thumbnail.height)
            writer.choice(thumbnail.format)
            writer.block(thumbnail.content)
        }
        writer.integer(insertions.count)
        for offset in insertions { writer.integer(offset) }
        writer.optional(size) { writer, size in
            writer.integer(size.width)
            writer.integer(size.height)
        }
        writer.optional(damage) { $1.write(to: &$0) }
    }

    /// Reads a record, and rejects everything that `order` cannot produce. The service uses only what is checked here.
    init(from reader: inout WireReader, for order: ImageOrder, of content: Span<UInt8>) throws(WireError) {
        let findings = try ImageFindings(from: &reader, of: content)
        self.init(findings, json: Array(try reader.block(maxBytes: WireLimits.jsonBytes, "json")))
        let requests = order.thumbnails ?? [.byDefault]
        for index in 0..<(try reader.integer(order.thumbnailCounts(of: requests), "thumbnails")) {
            thumbnails.append(try Thumbnail(from: &reader, for: requests[index]))
        }
        let count = order.form == .thumbnail ? 0 : thumbnails.count
        for _ in 0..<(try reader.integer(count...count, "insertions")) {
            insertions.append(try reader.integer(0...Int.max, "insertion"))
        }
        guard hasValidJSON else { throw .invalid("json") }
        size = try reader.optional("size") { (reader) throws(WireError) in
            let sides = 0...WireLimits.imageSidePixels
            return Size(width: try reader.integer(sides, "width"), height: try reader.integer(sides, "height"))
        }
        damage = try reader.optional("damage") { (reader) throws(WireError) in
            try ImageWarning(from: &reader, contentBytes: content.count)
        }
    }
}

extension ImageOrder {
    /// Returns the possible numbers of thumbnails. A default thumbnail may be omitted, and all are if no pixel is
    /// decoded.
    fileprivate func thumbnailCounts(of requests: [ThumbnailRequest]) -> ClosedRange<Int> {
        let count =
            switch form {
            case .value: decode == .header ? 0 : requests.count
            case .thumbnail: min(1, requests.count)
            }
        return (form == .value && thumbnails == nil ? 0 : count)...count
    }
}

extension ImageRejection {
    func write(to writer: inout WireWriter) {
        error.reason.write(to: &writer)
        writer.optional(error.byte) { $0.integer($1) }
        findings.write(to: &writer)
        writer.flag(acceptsTruncated)
    }

    /// - Parameter mayDefer: whether the worker may report that pixels are needed.
    init(from reader: inout WireReader, of content: Span<UInt8>, mayDefer: Bool) throws(WireError) {
        let reason = try ImageError.Reason(from: &reader)
        guard reason != .deferred || mayDefer else { throw .invalid("error") }
        let byte = try reader.offset(contentBytes: content.count)
        let findings = try ImageFindings(from: &reader, of: content)
        self.init(ImageError(reason, at: byte), findings, acceptsTruncated: try reader.flag("acceptsTruncated"))
    }
}

extension ImageFindings {
    fileprivate func write(to writer: inout WireWriter) {
        writer.optional(format) { $0.choice($1) }
        writer.flag(isAnimated)
        writer.flag(isSuspect)
        writer.integer(warnings.count)
        for warning in warnings { warning.write(to: &writer) }
    }

    fileprivate init(from reader: inout WireReader, of content: Span<UInt8>) throws(WireError) {
        let format: ImageFormat? = try reader.optional("format") { (reader) throws(WireError) in
            try reader.choice("format")
        }
        guard format == nil || format == ImageFormat(of: content) else { throw .invalid("format") }
        self.init(format, isAnimated: try reader.flag("isAnimated"))
        isSuspect = try reader.flag("isSuspect")
        for _ in 0..<(try reader.integer(0...WireLimits.warnings, "warnings")) {
            warnings.append(try ImageWarning(from: &reader, contentBytes: content.count))
        }
    }
}

extension ImageWarning {
    fileprivate func write(to writer: inout WireWriter) {
        switch kind {
        case .metadata(let part):
            writer.byte(0)
            writer.text(part)
        case .invalidDate(let date):
            writer.byte(1)
            writer.unicode(date)
        case .missingColorTable: writer.byte(2)
        case .profile: writer.byte(3)
        case .withoutPixels(let reason):
            writer.byte(4)
            reason.write(to: &writer)
        case .damaged(let reason):
            writer.byte(5)
            reason.write(to: &writer)
        case .missingEnd: writer.byte(6)
        case .unlisted(let count):
            writer.byte(7)
            writer.integer(count)
        }
        writer.optional(byte) { $0.integer($1) }
    }

    fileprivate init(from reader: inout WireReader, contentBytes: Int) throws(WireError) {
        let kind: Kind
        switch try reader.byte() {
        case 0: kind = .metadata(try reader.text(maxBytes: WireLimits.textBytes, "part"))
        case 1: kind = .invalidDate(try reader.unicode(maxBytes: WireLimits.textBytes, "date"))
        case 2: kind = .missingColorTable
        case 3: kind = .profile
        case 4: kind = .withoutPixels(try Self.reason(from: &reader))
        case 5: kind = .damaged(try Self.reason(from: &reader))
        case 6: kind = .missingEnd
        case 7: kind = .unlisted(count: try reader.integer(0...WireLimits.unlisted, "unlisted"))
        default: throw .invalid("warning")
        }
        self.init(kind, at: try reader.offset(contentBytes: contentBytes))
    }

    private static func reason(from reader: inout WireReader) throws(WireError) -> ImageError.Reason {
        let reason = try ImageError.Reason(from: &reader)
        guard reason != .deferred else { throw .invalid("error") }
        return reason
    }
}

extension ImageError.Reason {
    fileprivate func write(to writer: inout WireWriter) {
        switch self {
        case .notAnImage: writer.byte(0)
        case .truncated: writer.byte(1)
        case .corrupt(let part):
            writer.byte(2)
            writer.optional(part) { $0.text($1) }
        case .unsupportedPixels(let feature):
            writer.byte(3)
            writer.text(feature)
        case .tooLargeToDecode(let amount, let max):
            writer.byte(4)
            writer.text(amount)
            writer.integer(max)
        case .deferred: writer.byte(5)
        // Only the service produces these reasons; a worker has no reason to.
        case .decodeTime, .decoderCrashed, .pixelsUnavailable, .noDecoder, .saturated: writer.byte(.max)
        }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .notAnImage
        case 1: self = .truncated
        case 2:
            self = .corrupt(
                part: try reader.optional("part") { (reader) throws(WireError) in
                    try reader.text(maxBytes: WireLimits.textBytes, "part")
                }
            )
        case 3: self = .unsupportedPixels(feature: try reader.text(maxBytes: WireLimits.textBytes, "feature"))
        case 4:
            let amount = try reader.text(maxBytes: WireLimits.textBytes, "amount")
            self = .tooLargeToDecode(amount: amount, max: try reader.integer(0...Int.max, "max"))
        case 5: self = .deferred
        default: throw .invalid("error")
        }
    }
}

extension ImageRecord.Thumbnail {
    fileprivate init(from reader: inout WireReader, for request: ThumbnailRequest) throws(WireError) {
        let width = try reader.integer(1...WireLimits.sidePixels, "width")
        let height = try reader.integer(1...WireLimits.sidePixels, "height")
        guard request.admits(width: width, height: height) else { throw .invalid("size") }
        let format: ThumbnailFormat = try reader.choice("format")
        guard request.admits(format) else { throw .invalid("format") }
        let content = try reader.block(maxBytes: reader.count, "content")
        guard format.isSignature(of: content) else { throw .invalid("content") }
        self.init(width: width, height: height, format: format, content: content)
    }
}

extension ThumbnailRequest {
    /// Returns whether the request permits this size. Only `outside` may exceed the box, and in one dimension only.
    fileprivate func admits(width: Int, height: Int) -> Bool {
        switch fit {
        case .inside, .cover, .contain, .fill: width <= self.width && height <= self.height
        case .outside: width <= self.width || height <= self.height
        }
    }

    fileprivate func admits(_ format: ThumbnailFormat) -> Bool {
        guard let wanted = self.format else { return format == .jpeg || format == .png }
        return format == wanted
    }
}

extension ThumbnailFormat {
    /// Returns whether `content` begins with the signature of this format, so that no other data is sent with its media
    /// type.
    fileprivate func isSignature(of content: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .jpeg: content.starts(with: [0xFF, 0xD8, 0xFF])
        case .png: content.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .webp: content.starts(with: Array("RIFF".utf8)) && content.dropFirst(8).starts(with: Array("WEBP".utf8))
        }
    }
}

/// The limits of all answers, inclusive.
enum WireLimits {
    /// The length of the name of a part or a feature, and of a date.
    static let textBytes = 256
    /// The side of a thumbnail.
    static let sidePixels = 65_535
    /// The side of an image: the largest integer that JSON numbers of other programs represent exactly.
    static let imageSidePixels = 1 << 53
    /// The number of warnings about one image. Its metadata produces at most 17.
    static let warnings = 64
    /// The number of warnings that are only counted. Compressed metadata can contain more entries than the image has
    /// bytes.
    static let unlisted = 1 << 32
    /// The length of the JSON of one record. The service checks it in memory that is not charged to a request.
    static let jsonBytes = ImageRecord.maxJSONBytes
}
