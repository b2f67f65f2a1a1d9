internal import Images
internal import Serialization

extension Rendering {
    func write(to writer: inout WireWriter) {
        writer.byte(extent.rawValue)
        writer.choice(integrity.verdict)
        writer.choice(integrity.checked)
        writer.optional(integrity.byte) { $0.integer($1) }
        writer.optional(integrity.part) { $0.text($1) }
        writer.flag(integrity.isPictureWhole)
        writer.flag(ignoresProfile)
        writer.integer(thumbnails.count)
        for thumbnail in thumbnails {
            writer.integer(thumbnail.width)
            writer.integer(thumbnail.height)
            writer.choice(thumbnail.format)
            writer.block(thumbnail.content)
        }
        writer.optional(average) { $0.color($1) }
        writer.optional(dominant) { $0.color($1) }
        writer.integer(palette.count)
        for color in palette {
            writer.color(color)
        }
        writer.optional(blurhash) { $0.text($1) }
        writer.optional(thumbhash) { $0.block($1) }
        writer.optional(phash) { $0.word($1) }
    }

    /// Reads a rendering, and rejects everything that `request` cannot produce.
    init(from reader: inout WireReader, for request: RenderingRequest, contentBytes: Int) throws(WireError) {
        guard let extent = Extent(rawValue: try reader.byte()) else { throw .invalid("extent") }
        let verdict: ImageIntegrity.Verdict = try reader.choice("verdict")
        let checked: ImageIntegrity.Check = try reader.choice("checked")
        let byte = try reader.optional("byte") { (reader) throws(WireError) in
            try reader.integer(0...contentBytes, "byte")
        }
        let part = try reader.optional("part") { (reader) throws(WireError) in
            try reader.text(maxBytes: WireLimits.textBytes, "part")
        }
        self.init(extent, integrity: ImageIntegrity(verdict, checked: checked, byte: byte, part: part))
        integrity.isPictureWhole = try reader.flag("isPictureWhole")
        ignoresProfile = try reader.flag("ignoresProfile")
        let count = try reader.integer(request.thumbnails.count...request.thumbnails.count, "thumbnails")
        for index in 0..<count {
            thumbnails.append(try ImageRecord.Thumbnail(from: &reader, for: request.thumbnails[index]))
        }
        average = try reader.optional("average") { (reader) throws(WireError) in try reader.color() }
        dominant = try reader.optional("dominant") { (reader) throws(WireError) in try reader.color() }
        for _ in 0..<(try reader.integer(0...WireLimits.paletteColors, "palette")) {
            palette.append(try reader.color())
        }
        blurhash = try reader.optional("blurhash") { (reader) throws(WireError) in
            try reader.text(maxBytes: WireLimits.hashBytes, "blurhash")
        }
        thumbhash = try reader.optional("thumbhash") { (reader) throws(WireError) in
            try reader.block(maxBytes: WireLimits.hashBytes, "thumbhash")
        }
        phash = try reader.optional("phash") { (reader) throws(WireError) in try reader.word() }
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
    fileprivate func isSignature(of content: [UInt8]) -> Bool {
        switch self {
        case .jpeg: content.starts(with: [0xFF, 0xD8, 0xFF])
        case .png: content.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .webp: content.starts(with: Array("RIFF".utf8)) && content.dropFirst(8).starts(with: Array("WEBP".utf8))
        }
    }
}

/// The limits of all answers, inclusive.
enum WireLimits {
    /// The length of the name of a part or a feature.
    static let textBytes = 256
    static let sidePixels = 65_535
    static let paletteColors = 64
    static let hashBytes = 128
}
