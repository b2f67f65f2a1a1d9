/// What writes thumbnails in one format.
package protocol ThumbnailEncoder {
    /// Whether pixels may be transparent. Otherwise it is given opaque pictures only.
    static var hasAlpha: Bool { get }

    /// - Parameters:
    ///   - isGrey: whether red, green and blue are the same throughout.
    ///   - quality: 1 to 100, where the format has one.
    static func encode(_ image: RGBAImage, isGrey: Bool, quality: Int) throws(RenderingError) -> [UInt8]
}
