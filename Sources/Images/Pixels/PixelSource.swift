internal import Serialization

/// A decoder of one image's pixels, which returns them row by row from the top.
///
/// It is created from the header of the content. The same content must be passed to every call.
///
///     init → width, height → begin → readRows … → finish
package protocol PixelSource: ~Copyable {
    /// The width of the image as coded, in pixels: before any reduction or orientation.
    var width: Int { get }
    var height: Int { get }

    /// Prepares for reading rows.
    ///
    /// - Parameters:
    ///   - reduction: The factor by which the image may be reduced: 1, 2, 4 or 8. A source may reduce it less, or not
    ///     at all.
    ///   - maxMemoryBytes: The maximum memory of the source in addition to the content. Checked before allocation.
    mutating func begin(_ content: Span<UInt8>, reduction: Int, maxMemoryBytes: Int) throws(RenderingError) -> RowFormat

    /// Writes the next rows, as many as fit into `rows`, and returns their number.
    ///
    /// The number is lower only if the content is damaged: `finish` then reports the damage, and must be called next.
    /// Errors are thrown only for other reasons, such as a limit.
    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int

    /// Reads the content after the rows, and returns the integrity that the decode determined.
    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity
}

/// The format of the rows of a source.
package struct RowFormat: Equatable, Sendable {
    /// The memory layout of a pixel.
    package enum Layout: Sendable {
        /// Red, green, blue and a byte of any value: opaque.
        case rgbx8
        /// Red, green, blue and straight alpha.
        case rgba8
        /// Red, green, blue and straight alpha with 16 bits per channel, in the machine's byte order.
        case rgba16
        /// CMYK as in Adobe's JPEGs: 255 is no ink.
        case cmyk8

        package var pixelBytes: Int { self == .rgba16 ? 8 : 4 }
    }

    /// The width of the rows in pixels: the image's divided by `reduction`, rounded up.
    package var width: Int
    package var height: Int
    /// The factor by which the image is reduced: 1, 2, 4 or 8.
    package var reduction = 1
    package var layout: Layout
    /// Whether red, green and blue are equal in all pixels.
    package var isGrey = false
    /// The ICC profile of the pixels' colours; empty if these are sRGB, or unknown.
    package var profile: [UInt8] = []

    package var rowBytes: Int { width * layout.pixelBytes }

    /// Sets the profile to the `count` bytes that `copy` writes.
    mutating func setProfile(bytes count: Int, _ copy: (UnsafeMutablePointer<UInt8>) -> Void) {
        guard count > 0 else { return }
        profile = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            // There is capacity for `count` bytes, which is more than none, so there is an address.
            unsafe copy(bytes.baseAddress.unsafelyUnwrapped)
            initialized = count
        }
    }
}

extension Span<UInt8> {
    /// Passes the bytes to one call of a C library, for whose duration their address is valid.
    /// - Parameter outcome: The result if there are no bytes, which have no address.
    func passed<Outcome>(ifEmpty outcome: Outcome, to call: (UnsafePointer<UInt8>, Int) -> Outcome) -> Outcome {
        unsafe withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return outcome }
            return unsafe call(start, bytes.count)
        }
    }
}
