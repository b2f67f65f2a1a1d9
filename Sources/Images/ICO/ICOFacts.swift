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
        facts.integrity =
            directory.pictures.contains(where: \.isTruncated)
            ? ImageIntegrity(.truncated, checked: .structure, byte: content.count)
            : ImageIntegrity(.complete, checked: .structure)
        facts.directory = directory.pictures.prefix(options.maxFrames).map { picture in
            ImageDirectoryEntry(
                width: picture.width,
                height: picture.height,
                bitsPerPixel: picture.bitsPerPixel,
                format: picture.format,
                hotspot: format == .cur ? ImageHotspot(x: picture.numbers.0, y: picture.numbers.1) : nil
            )
        }
        // The picture that is displayed; if none can be, the one that its header describes as the largest.
        let decodable = directory.decodable(content)
        let pictures = decodable.isEmpty ? directory.pictures : decodable
        if let best = pictures.best {
            (facts.width, facts.height) = (pictures[best].width, pictures[best].height)
            facts.readDepth(pictures[best].bitsPerPixel)
            facts.color.alpha = true
        }
        return facts
    }
}
