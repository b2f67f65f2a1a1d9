internal import Images
internal import Serialization

extension RenderingRequest {
    /// The encoded request, as the worker receives it.
    var wire: [UInt8] {
        var writer = WireWriter()
        writer.choice(format)
        writer.integer(orientation)
        writer.choice(decode)
        writer.byte(placeholders.rawValue)
        writer.flag(phash)
        writer.flag(allowsTruncated)
        for limit in [maxPixels, maxScans, maxFrames, maxMemoryBytes] {
            writer.integer(limit)
        }
        writer.integer(thumbnails.count)
        for thumbnail in thumbnails {
            writer.integer(thumbnail.width)
            writer.integer(thumbnail.height)
            writer.choice(thumbnail.fit)
            writer.flag(thumbnail.enlarge)
            writer.optional(thumbnail.format) { $0.choice($1) }
            writer.integer(thumbnail.quality)
            writer.optional(thumbnail.background) { $0.color($1) }
        }
        return writer.bytes
    }

    init(wire: [UInt8]) throws(WireError) {
        var reader = WireReader(wire)
        self.init(try reader.choice("format"))
        orientation = try reader.integer(1...8, "orientation")
        decode = try reader.choice("decode")
        placeholders = Placeholders(rawValue: try reader.byte())
        phash = try reader.flag("phash")
        allowsTruncated = try reader.flag("allowsTruncated")
        maxPixels = try reader.integer(0...Int.max, "maxPixels")
        maxScans = try reader.integer(0...Int.max, "maxScans")
        maxFrames = try reader.integer(0...Int.max, "maxFrames")
        maxMemoryBytes = try reader.integer(0...Int.max, "maxMemoryBytes")
        for _ in 0..<(try reader.integer(0...1_000, "thumbnails")) {
            thumbnails.append(try ThumbnailRequest(from: &reader))
        }
        try reader.end()
    }
}

extension ThumbnailRequest {
    fileprivate init(from reader: inout WireReader) throws(WireError) {
        self.init(width: try reader.integer(0...Int.max, "width"), height: try reader.integer(0...Int.max, "height"))
        fit = try reader.choice("fit")
        enlarge = try reader.flag("enlarge")
        format = try reader.optional("format") { (reader) throws(WireError) in try reader.choice("format") }
        quality = try reader.integer(0...Int.max, "quality")
        background = try reader.optional("background") { (reader) throws(WireError) in try reader.color() }
    }
}
