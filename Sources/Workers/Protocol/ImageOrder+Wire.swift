internal import Serialization

extension [ImageOrder] {
    /// The encoded orders of one job, as the worker receives them.
    var wire: [UInt8] {
        var writer = WireWriter()
        writer.integer(count)
        for order in self { order.write(to: &writer) }
        return writer.bytes
    }

    init(wire: [UInt8]) throws(WireError) {
        var reader = WireReader(wire)
        self.init()
        for _ in 0..<(try reader.integer(1...1_000, "orders")) { append(try ImageOrder(from: &reader)) }
        try reader.end()
    }
}

extension ImageOrder {
    fileprivate func write(to writer: inout WireWriter) {
        writer.choice(form)
        writer.optional(thumbnails) { writer, thumbnails in
            writer.integer(thumbnails.count)
            for thumbnail in thumbnails { thumbnail.write(to: &writer) }
        }
        writer.choice(exif)
        writer.word(scale.bitPattern)
        writer.choice(decode)
        writer.byte(placeholders.rawValue)
        writer.byte(fingerprints.rawValue)
        writer.choice(truncated)
        writer.flag(inflates)
        for limit in Self.limits { writer.integer(self[keyPath: limit]) }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.choice("form"), SerializationOptions(), Limits())
        thumbnails = try reader.optional("thumbnails") { (reader) throws(WireError) in
            var thumbnails: [ThumbnailRequest] = []
            for _ in 0..<(try reader.integer(0...1_000, "thumbnails")) {
                thumbnails.append(try ThumbnailRequest(from: &reader))
            }
            return thumbnails
        }
        exif = try reader.choice("exif")
        scale = Double(bitPattern: try reader.word())
        decode = try reader.choice("decode")
        placeholders = Placeholders(rawValue: try reader.byte())
        fingerprints = Fingerprints(rawValue: try reader.byte())
        truncated = try reader.choice("truncated")
        inflates = try reader.flag("inflates")
        for limit in Self.limits { self[keyPath: limit] = try reader.integer(0...Int.max, "limit") }
    }

    private static let limits: [any WritableKeyPath<ImageOrder, Int> & Sendable] = [
        \.maxPixels, \.maxSide, \.maxFrames, \.maxScans, \.maxThumbnails, \.maxThumbnailSide, \.maxOutputBytes,
    ]
}

extension ThumbnailRequest {
    fileprivate func write(to writer: inout WireWriter) {
        writer.integer(width)
        writer.integer(height)
        writer.choice(fit)
        writer.flag(enlarge)
        writer.optional(format) { $0.choice($1) }
        writer.integer(quality)
        writer.optional(background) { $0.color($1) }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        self.init(width: try reader.integer(0...Int.max, "width"), height: try reader.integer(0...Int.max, "height"))
        fit = try reader.choice("fit")
        enlarge = try reader.flag("enlarge")
        format = try reader.optional("format") { (reader) throws(WireError) in try reader.choice("format") }
        quality = try reader.integer(0...Int.max, "quality")
        background = try reader.optional("background") { (reader) throws(WireError) in try reader.color() }
    }
}
