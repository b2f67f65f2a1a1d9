internal import Serialization

extension ThumbnailRequest {
    /// Encodes a picture in the requested format, or in the one that suits it.
    ///
    /// - Parameters:
    ///   - picture: The oriented picture, in sRGB.
    ///   - canvas: The canvas for the picture, if there is one.
    ///   - isGrey: Whether red, green and blue are equal in all pixels of the picture.
    func encode(
        _ picture: RGBAImage,
        on canvas: ThumbnailPlan.Canvas?,
        isGrey: Bool
    ) throws(RenderingError) -> ImageRecord.Thumbnail {
        var picture = picture
        var isGrey = isGrey
        if let background {
            isGrey = isGrey && background.red == background.green && background.green == background.blue
        }
        if let canvas {
            let color = background ?? RGBA(red: 255, green: 255, blue: 255, alpha: format == .jpeg ? 255 : 0)
            picture = picture.centered(width: canvas.width, height: canvas.height, on: color)
        } else if let background, background.alpha == 255 {
            picture = picture.flattened(on: background)
        }
        let format = format ?? (picture.isOpaque ? .jpeg : .png)
        let encoder = format.encoder
        if !encoder.hasAlpha {
            picture = picture.flattened(on: background ?? RGBA(red: 255, green: 255, blue: 255))
        }
        let content = try encoder.encode(picture, isGrey: isGrey, quality: quality)
        return ImageRecord.Thumbnail(
            width: picture.width,
            height: picture.height,
            format: format,
            content: content[...]
        )
    }
}

extension ThumbnailRequest {
    /// The longest side that is written, in pixels. Without a format, the picture may become a JPEG.
    var maxSide: Int { (format ?? .jpeg).encoder.maxSide }
}

extension ThumbnailFormat {
    fileprivate var encoder: any ThumbnailEncoder.Type {
        switch self {
        case .png: PNGEncoder.self
        case .jpeg: JPEGEncoder.self
        case .webp: WebPEncoder.self
        }
    }
}
