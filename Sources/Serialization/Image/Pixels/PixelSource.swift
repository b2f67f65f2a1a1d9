/// A decoder of one image's pixels, which gives them row after row from the top.
///
/// It was made from the content's header. The content itself is lent to every call: the same bytes each time.
///
///     init → width, height → begin → readRows … → finish
package protocol PixelSource: ~Copyable {
    /// Size of the image as it is coded, in pixels: before any reduction or orientation.
    var width: Int { get }
    var height: Int { get }

    /// Gets ready to give rows.
    ///
    /// - Parameters:
    ///   - reduction: 1, 2, 4 or 8: how many times smaller the image may be given. A source is free to give it less
    ///     reduced, or not reduced at all.
    ///   - maxMemoryBytes: what the source may hold beside the content. Checked before it is allocated.
    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat

    /// Writes the next rows, as many as `rows` has room for, and says how many these were.
    ///
    /// Fewer only where the content is damaged: then `finish` says how, and is called next. It throws for other
    /// reasons only, such as a limit.
    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int

    /// Reads what follows the rows, and says what the decode proved of the content.
    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity
}

/// What the rows of a source are.
package struct RowFormat: Equatable, Sendable {
    /// How a pixel lies in memory.
    package enum Layout: Sendable {
        /// Red, green, blue and a byte of any value: opaque.
        case rgbx8
        /// With straight alpha.
        case rgba8
        /// With straight alpha; 16 bits a channel in the machine's byte order.
        case rgba16
        /// As Adobe has it in JPEG: 255 is no ink.
        case cmyk8

        package var pixelBytes: Int { self == .rgba16 ? 8 : 4 }
    }

    /// Size of the rows: the image's divided by `reduction`, rounded up.
    package var width: Int
    package var height: Int
    /// How many times smaller than the image: 1, 2, 4 or 8.
    package var reduction = 1
    package var layout: Layout
    /// Whether red, green and blue are the same throughout.
    package var isGrey = false
    /// The ICC profile of the pixels' colours; empty where these are sRGB, or nothing is known.
    package var profile: [UInt8] = []

    package var rowBytes: Int { width * layout.pixelBytes }

    package init(width: Int, height: Int, layout: Layout) {
        self.width = width
        self.height = height
        self.layout = layout
    }
}
