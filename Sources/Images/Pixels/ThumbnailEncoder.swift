internal import Serialization

/// An encoder of thumbnails in one format.
package protocol ThumbnailEncoder {
    /// Whether the format supports transparency. Otherwise only opaque pictures are passed.
    static var hasAlpha: Bool { get }

    /// - Parameters:
    ///   - isGrey: Whether red, green and blue are equal in all pixels.
    ///   - quality: The quality from 1 to 100, if the format has one.
    static func encode(_ image: RGBAImage, isGrey: Bool, quality: Int) throws(RenderingError) -> [UInt8]
}
