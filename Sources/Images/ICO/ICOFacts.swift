internal import Serialization

/// Reads the facts in the directory of an icon or a cursor.
enum ICOFacts {
    static func read(
        _ content: Span<UInt8>,
        _ format: ImageFormat,
        _ options: ImageHeader.Options,
        _ budget: inout HeaderBudget
    ) throws(RenderingError) -> ImageFacts {
        let directory = try ICODirectory(content, &budget)
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
                hotspot: picture.hotspot
            )
        }
        // The picture that is displayed; if none can be, the one that its header describes as the largest.
        if let best = directory.best(where: { $0.isDecodable(content) }) ?? directory.best(where: { _ in true }) {
            let picture = directory.pictures[best]
            (facts.width, facts.height) = (picture.width, picture.height)
            facts.readDepth(picture.bitsPerPixel)
            facts.color.alpha = true
        }
        return facts
    }
}
