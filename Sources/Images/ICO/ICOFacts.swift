internal import Serialization

/// Reads the facts in the directory of an icon or a cursor.
enum ICOFacts {
    static func read(
        _ content: Span<UInt8>,
        _ format: ImageFormat,
        _ options: ImageHeader.Options
    ) throws(RenderingError) -> ImageFacts {
        let directory = try ICODirectory(content)
        var facts = ImageFacts(format)
        facts.frames = directory.pictures.count
        facts.integrity = ImageIntegrity(.complete, checked: .structure)
        for (index, picture) in directory.pictures.enumerated() {
            if picture.isTruncated {
                facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
            }
            if index < options.maxFrames {
                var entry = ImageDirectoryEntry(
                    width: picture.width,
                    height: picture.height,
                    bitsPerPixel: picture.bitsPerPixel,
                    format: picture.format
                )
                if format == .cur { entry.hotspot = ImageHotspot(x: picture.numbers.0, y: picture.numbers.1) }
                facts.directory.append(entry)
            }
            if picture.width * picture.height > (facts.width ?? 0) * (facts.height ?? 0) {
                facts.width = picture.width
                facts.height = picture.height
                facts.readDepth(picture.bitsPerPixel)
                facts.color.alpha = true
            }
        }
        return facts
    }
}
