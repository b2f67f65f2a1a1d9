package import Serialization

/// Reads the header of an image in place. No pixels are decoded, and no C code is called except for zlib.
///
/// Every loop over parts takes a step from a ``HeaderBudget``, and every other loop advances in the content or ends at
/// a fixed bound, so the cost of hostile content is proportional to its length.
package enum ImageHeader {
    package struct Options: Equatable, Sendable {
        package var exif = EXIFPolicy.typed
        /// The maximum number of frames whose delays are listed.
        package var maxFrames = 10_000

        package init() {}

        /// Whether texts, comments and XMP are read.
        var readsTexts: Bool { exif == .typed }
    }

    /// - Throws: An error if the content is not an image, or if its header is truncated or broken so that its size is
    ///   unknown.
    package static func read(_ content: Span<UInt8>, _ options: Options = Options()) throws(ImageError) -> ImageFacts {
        var budget = HeaderBudget(content)
        return try read(content, options, &budget)
    }

    /// - Parameter budget: The cost that the metadata may have.
    static func read(
        _ content: Span<UInt8>,
        _ options: Options,
        _ budget: inout HeaderBudget
    ) throws(ImageError) -> ImageFacts {
        guard let format = ImageFormat(of: content) else { throw ImageError(.notAnImage, at: 0) }
        do throws(ImageError) {
            let facts = budget.step() ? try read(content, format, options, &budget) : ImageFacts(format)
            if !budget.isOutOfSteps { return facts }
        } catch {
            // A reader without steps ends early, so that its own error may be wrong.
            if !budget.isOutOfSteps { throw error }
        }
        let max = HeaderBudget.limit(.steps, contentBytes: content.count)
        throw ImageError(.tooLargeToDecode(amount: "parts of the image", max: max))
    }

    private static func read(
        _ content: Span<UInt8>,
        _ format: ImageFormat,
        _ options: Options,
        _ budget: inout HeaderBudget
    ) throws(ImageError) -> ImageFacts {
        switch format {
        case .png: return try PNGFacts.read(content, options, &budget)
        case .jpeg: return try JPEGFacts.read(content, options, &budget)
        case .xbm: return try read { () throws(RenderingError) in try XBMFacts.read(content, &budget) }
        case .gif: return try GIFFacts.read(content, options, &budget)
        case .bmp: return try read { () throws(RenderingError) in try BMPFacts.read(content, &budget) }
        case .ico, .cur:
            return try read { () throws(RenderingError) in try ICOFacts.read(content, format, options, &budget) }
        case .tiff: return try TIFFFacts.read(content, options, &budget)
        case .webp: return try WebPFacts.read(content, options, &budget)
        // These formats are only recognized. Their size is reported if it is easy to find.
        case .avif, .heic: return HEIFFacts.read(content, format, &budget)
        case .jxl: return JPEGXLFacts.read(content, &budget)
        case .jp2: return JPEG2000Facts.read(content, &budget)
        case .psd: return try PSDFacts.read(content)
        case .svg: return SVGFacts.read(content, &budget)
        }
    }

    /// Reads facts with a reader that pixels are read with, too.
    private static func read(_ facts: () throws(RenderingError) -> ImageFacts) throws(ImageError) -> ImageFacts {
        do {
            return try facts()
        } catch { throw ImageError(of: error) }
    }
}
