package import Serialization

// The value of the `image` serializer. Members without a value are omitted; the contract defines their order.

/// The value of an image: the facts in its header, and the results of rendering its pixels.
struct ImageValue {
    var facts: ImageFacts
    var exif: EXIFPolicy
    /// The number of pixels per point.
    var scale: Double
    var rendering: Rendering?
    /// The SHA-256 of the content.
    var digest: [UInt8]?
}

extension JSONWriter {
    /// Writes only the facts.
    package mutating func image(_ facts: ImageFacts, _ exif: EXIFPolicy, _ content: Span<UInt8>) {
        _ = image(ImageValue(facts: facts, exif: exif, scale: 1), content)
    }

    /// - Parameter content: The content from which the facts were read.
    /// - Returns: The offsets at which the Base64 of the thumbnails is inserted.
    mutating func image(_ value: borrowing ImageValue, _ content: Span<UInt8>) -> [Int] {
        let facts = value.facts
        beginObject()
        member("format", facts.format.rawValue)
        member("mediaType", facts.mediaType)
        member("width", facts.width)
        member("height", facts.height)
        orientation(facts)
        if let (width, height) = facts.orientedSize {
            member("scale", decimal: value.scale, places: 6)
            beginObject("size")
            member("width", decimal: Double(width) / value.scale, places: 6)
            member("height", decimal: Double(height) / value.scale, places: 6)
            endObject()
        }
        color(facts.color)
        if let density = facts.density { self.density(density) }
        coding(facts.coding)
        member("frames", facts.frames)
        if let animation = facts.animation { self.animation(animation) }
        directory(facts.directory)
        if let exif = facts.exif {
            if let own = facts.exifContent {
                self.exif(exif, value.exif, own.span)
            } else {
                self.exif(exif, value.exif, content)
            }
        }
        texts(facts, content)
        if let thumbnail = facts.embeddedThumbnail {
            beginObject("embeddedThumbnail")
            member("width", thumbnail.width)
            member("height", thumbnail.height)
            member("bytes", thumbnail.range.count)
            endObject()
        }
        integrity(value.rendering?.integrity ?? facts.integrity)
        let insertions = rendering(value)
        endObject()
        return insertions
    }

    // MARK: The header's facts

    private mutating func orientation(_ facts: borrowing ImageFacts) {
        if let orientation = facts.orientation {
            beginObject("orientation")
            member("value", orientation)
            member("name", EXIFNames.orientations[orientation - 1])
            endObject()
        }
        guard facts.orientation != nil || facts.displayedSize != nil else { return }
        guard let (width, height) = facts.orientedSize else { return }
        beginObject("oriented")
        member("width", width)
        member("height", height)
        endObject()
    }

    private mutating func color(_ color: borrowing ImageColor) {
        guard color.model != nil || color.bitsPerChannel != nil || color.profile != nil || color.alpha != nil else {
            return
        }
        beginObject("color")
        member("model", color.model?.rawValue)
        member("channels", color.channels)
        member("bitsPerChannel", color.bitsPerChannel)
        member("alpha", color.alpha)
        member("subsampling", color.subsampling)
        if let profile = color.profile {
            beginObject("icc")
            member("bytes", profile.bytes)
            member("description", profile.description)
            member("space", profile.space)
            member("intent", profile.intent)
            endObject()
        }
        endObject()
    }

    private mutating func density(_ density: ImageDensity) {
        beginObject("density")
        member("x", decimal: density.x, places: 4)
        member("y", decimal: density.y, places: 4)
        member("unit", density.unit.rawValue)
        member("source", density.source.rawValue)
        endObject()
    }

    private mutating func coding(_ coding: borrowing ImageCoding) {
        guard coding.compression != nil || coding.progressive != nil else { return }
        beginObject("coding")
        member("progressive", coding.progressive)
        member("scans", coding.scans)
        member("quality", coding.quality)
        member("restartInterval", coding.restartInterval)
        member("compression", coding.compression)
        endObject()
    }

    private mutating func animation(_ animation: borrowing ImageAnimation) {
        beginObject("animation")
        member("loops", animation.loops)
        member("durationMs", animation.durationMilliseconds)
        beginArray("delaysMs")
        for delay in animation.delaysMilliseconds { integer(delay) }
        endArray()
        endObject()
    }

    private mutating func directory(_ entries: [ImageDirectoryEntry]) {
        guard !entries.isEmpty else { return }
        beginArray("directory")
        for entry in entries {
            beginObject()
            member("width", entry.width)
            member("height", entry.height)
            member("bitsPerPixel", entry.bitsPerPixel)
            member("format", entry.format?.rawValue)
            if let hotspot = entry.hotspot {
                beginObject("hotspot")
                member("x", hotspot.x)
                member("y", hotspot.y)
                endObject()
            }
            endObject()
        }
        endArray()
    }

    private mutating func integrity(_ integrity: borrowing ImageIntegrity) {
        beginObject("integrity")
        member("verdict", integrity.verdict.rawValue)
        member("checked", integrity.checked.rawValue)
        if integrity.byte != nil || integrity.part != nil {
            beginObject("at")
            member("byte", integrity.byte)
            member("part", integrity.part)
            endObject()
        }
        endObject()
    }

    // MARK: Texts

    private mutating func texts(_ facts: borrowing ImageFacts, _ content: Span<UInt8>) {
        if !facts.texts.isEmpty {
            beginObject("text")
            for (keyword, values) in facts.textsByKeyword {
                name(keyword)
                if values.count > 1 { beginArray() }
                for value in values { text(value, content) }
                if values.count > 1 { endArray() }
            }
            endObject()
        }
        if !facts.comments.isEmpty {
            beginArray("comments")
            for comment in facts.comments { text(comment, content) }
            endArray()
        }
        if let xmp = facts.xmp {
            name("xmp")
            text(xmp, content)
        }
    }

    /// Writes a text as a string.
    mutating func text(_ source: ImageTextSource, _ content: Span<UInt8>) {
        switch source {
        case .text(let text): string(text)
        case .utf8(let range):
            content.slice(range) { text in
                if text.isUTF8 { string(utf8: text) } else { latin1(text) }
            }
        case .latin1(let range): content.slice(range) { latin1($0) }
        }
    }

    /// Writes a text in ISO 8859-1 as a string, in pieces: as a whole it could take four times its length.
    private mutating func latin1(_ text: Span<UInt8>) {
        beginString()
        for start in stride(from: 0, to: text.count, by: 4_096) where !isOverLimit {
            let piece = text.extracting(droppingFirst: start).extracting(first: 4_096).latin1Text
            append(utf8: piece.utf8.span)
        }
        endString()
    }

    // MARK: Results of rendering

    private mutating func rendering(_ value: borrowing ImageValue) -> [Int] {
        name("decoded")
        switch value.rendering?.extent {
        case .scaled: string("scaled")
        case .full: string("full")
        case nil: string("header")
        }
        var insertions: [Int] = []
        if let rendering = value.rendering {
            insertions = thumbnails(rendering.thumbnails)
            placeholder(rendering)
        }
        guard value.digest != nil || value.rendering?.phash != nil else { return insertions }
        beginObject("fingerprint")
        if let phash = value.rendering?.phash {
            var bytes: [UInt8] = []
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: phash >> shift))
            }
            member("phash", Hexadecimal.text(of: bytes))
        }
        if let digest = value.digest { member("sha256", Hexadecimal.text(of: digest)) }
        endObject()
        return insertions
    }

    private mutating func thumbnails(_ thumbnails: [ImageRecord.Thumbnail]) -> [Int] {
        guard !thumbnails.isEmpty else { return [] }
        var insertions: [Int] = []
        beginArray("thumbnails")
        for thumbnail in thumbnails {
            beginObject()
            member("width", thumbnail.width)
            member("height", thumbnail.height)
            member("mediaType", thumbnail.format.mediaType)
            member("bytes", thumbnail.content.count)
            member("base64", "")
            insertions.append(buffer.count - 1)
            endObject()
        }
        endArray()
        return insertions
    }

    private mutating func placeholder(_ rendering: borrowing Rendering) {
        guard
            rendering.average != nil || rendering.dominant != nil || !rendering.palette.isEmpty
                || rendering.blurhash != nil || rendering.thumbhash != nil
        else { return }
        beginObject("placeholder")
        member("average", rendering.average?.text)
        member("dominant", rendering.dominant?.text)
        if !rendering.palette.isEmpty {
            beginArray("palette")
            for color in rendering.palette { string(color.text) }
            endArray()
        }
        member("blurhash", rendering.blurhash)
        if let thumbhash = rendering.thumbhash {
            name("thumbhash")
            base64(thumbhash.span)
        }
        endObject()
    }
}

extension RGBA {
    /// The text `#rrggbb`, or `#rrggbbaa` if the colour is not opaque.
    fileprivate var text: String {
        let channels = [red, green, blue] + (alpha == 255 ? [] : [alpha])
        return "#" + Hexadecimal.text(of: channels)
    }
}

extension Span<UInt8> {
    /// Whether the bytes are valid UTF-8.
    var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}
