internal import Serialization

/// The pixels for the indices of a frame.
struct GIFPalette {
    /// The pixel of each of the 256 indices, in memory layout; zero if it paints nothing.
    let pixels: [UInt32]
    /// Whether all colours are grey.
    let isGrey: Bool
    /// Whether each possible index has a colour.
    let isOpaque: Bool

    /// - Parameters:
    ///   - screenColors: The table for a frame without its own.
    ///   - indexCount: The number of different indices that the frame's data can contain.
    init(_ content: Span<UInt8>, _ frame: GIFFrame, screenColors: GIFColors?, indexCount: Int) {
        var isGrey = true
        var pixels = [UInt32](repeating: 0, count: 256)
        guard let colors = frame.colors ?? screenColors else {
            // The usual choice of decoders: grey, from black to white.
            let last = max(1, indexCount - 1)
            for index in 0..<min(indexCount, 256) where index != frame.control.transparentIndex {
                let level = UInt32(index * 255 / last)
                pixels[index] = (level | level << 8 | level << 16 | 0xFF00_0000).littleEndian
            }
            self.pixels = pixels
            self.isGrey = true
            isOpaque = frame.control.transparentIndex == nil
            return
        }
        for index in 0..<colors.count where index != frame.control.transparentIndex {
            let at = colors.start + 3 * index
            let (red, green, blue) = (UInt32(content[at]), UInt32(content[at + 1]), UInt32(content[at + 2]))
            pixels[index] = (red | green << 8 | blue << 16 | 0xFF00_0000).littleEndian
            isGrey = isGrey && red == green && green == blue
        }
        self.pixels = pixels
        self.isGrey = isGrey
        isOpaque = frame.control.transparentIndex == nil && indexCount <= colors.count
    }
}
