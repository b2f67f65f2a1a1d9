/// Reads the header of an image, in place: no pixel is decoded, and no C.
///
/// Every loop moves on through the content or ends at a bound below, so hostile content costs no more than its length.
package enum ImageHeader {
    package struct Options: Equatable, Sendable {
        package var exif = EXIFPolicy.typed
        /// Most frames whose delays are listed.
        package var maxFrames = 10_000

        package init() {}

        /// Whether texts, comments and XMP are read.
        var readsTexts: Bool { exif == .typed }
        /// Most texts and comments.
        static let maxTexts = 1_000
        /// Most bytes that compressed texts may become, together.
        static let maxInflatedBytes = 1 << 20
    }

    /// - Throws: where the content is no image, or its header is cut or broken so that its size cannot be told.
    package static func read(_ content: Span<UInt8>, _ options: Options = Options()) throws(ImageError) -> ImageFacts {
        guard let format = ImageFormat(of: content) else { throw ImageError(.notAnImage, at: 0) }
        switch format {
        case .png: return try PNGHeader.read(content, options)
        case .jpeg: return try JPEGHeader.read(content, options)
        case .xbm: return try XBMHeader.read(content)
        case .gif: return try GIFHeader.read(content, options)
        case .bmp: return try BMPHeader.read(content)
        case .ico, .cur: return try ICOHeader.read(content, format, options)
        case .tiff: return try TIFFHeader.read(content, options)
        case .webp: return try WebPHeader.read(content, options)
        // Recognised: their size is told where it is easily found.
        case .avif, .heic: return HEIFHeader.read(content, format)
        case .jxl: return BoxedHeader.checked(BoxedHeader.readJPEGXL(content), content)
        case .jp2: return BoxedHeader.checked(BoxedHeader.readJPEG2000(content), content)
        case .psd: return try PSDHeader.read(content)
        case .svg: return SVGHeader.read(content)
        }
    }
}
