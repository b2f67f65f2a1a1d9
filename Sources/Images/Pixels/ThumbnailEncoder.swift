internal import Serialization

/// An encoder of thumbnails in one format.
package protocol ThumbnailEncoder {
    /// Whether the format supports transparency. Otherwise only opaque pictures are passed.
    static var hasAlpha: Bool { get }
    /// The longest side that is written, in pixels.
    static var maxSide: Int { get }

    /// - Parameters:
    ///   - image: A picture whose sides do not exceed ``maxSide``.
    ///   - isGrey: Whether red, green and blue are equal in all pixels.
    ///   - quality: The quality from 1 to 100, if the format has one.
    static func encode(_ image: RGBAImage, isGrey: Bool, quality: Int) throws(RenderingError) -> [UInt8]
}

extension RGBAImage {
    /// Returns the bytes that `write` stores in memory of a library, which `release` frees.
    func encoded(
        release: (UnsafeMutablePointer<UInt8>) -> Void,
        _ write: (UnsafePointer<UInt8>, inout UnsafeMutablePointer<UInt8>?, inout Int) -> Bool
    ) throws(RenderingError) -> [UInt8] {
        var content: UnsafeMutablePointer<UInt8>?
        var count = 0
        let isWritten = unsafe pixels.withUnsafeBufferPointer { pixels in
            // There is at least one pixel, so there is an address.
            unsafe write(pixels.baseAddress.unsafelyUnwrapped, &content, &count)
        }
        guard isWritten, let content = unsafe content else { throw .outOfMemory }
        // The library's memory, of `count` bytes, is owned by this function until it is released here.
        defer { unsafe release(content) }
        return unsafe [UInt8](UnsafeBufferPointer(start: content, count: count))
    }
}
