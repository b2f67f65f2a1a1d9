internal import Serialization

/// Decodes Windows and OS/2 bitmaps: 1 to 32 bits per pixel, uncompressed, with bit masks, or run-length coded.
struct BMPSource: PixelSource {
    var width: Int { header.width }
    var height: Int { header.height }

    private let header: BMPHeader
    private let layout: BMPLayout
    /// The offset of an icon's mask, which has one bit per pixel: one hides the pixel. `nil` if there is none.
    private let maskStart: Int?
    private var usesAlpha = false
    private var usesMask = false

    /// The colours in memory layout.
    private var palette: [UInt32] = []
    private var channels: [BMPChannel] = []
    /// The indices of a run-length coded picture, the lowest row first.
    private var indices: [UInt8] = []
    private var damage: ImageIntegrity?
    /// The end of the picture's own data.
    private var end = 0
    private var rowsRead = 0

    /// - Parameter isInIcon: Whether a transparency mask follows the pixels.
    init(_ content: Span<UInt8>, isInIcon: Bool = false) throws(RenderingError) {
        header = try BMPHeader(content, isInIcon: isInIcon)
        layout = try BMPLayout(content, header)
        guard header.neededBytes != nil else { throw .corrupt(byte: header.start, part: "bitmap header") }
        end = layout.pixelStart + header.rowBytes * header.height
        maskStart = isInIcon && layout.coding == .plain ? end : nil
    }

    mutating func begin(
        _ content: Span<UInt8>,
        reduction: Int,
        maxMemoryBytes: Int
    ) throws(RenderingError) -> RowFormat {
        palette = (0..<(header.bitsPerPixel <= 8 ? 256 : 0)).map { index in
            guard index < layout.colorCount else { return UInt32(0xFF00_0000).littleEndian }
            let at = header.colorStart + index * header.colorBytes
            let (blue, green, red) = (UInt32(content[at]), UInt32(content[at + 1]), UInt32(content[at + 2]))
            return (red | green << 8 | blue << 16 | 0xFF00_0000).littleEndian
        }
        channels = layout.masks.map(BMPChannel.init)
        if layout.coding == .runLength {
            let (bytes, overflow) = width.multipliedReportingOverflow(by: height)
            guard !overflow, bytes <= maxMemoryBytes else {
                throw .tooLarge(bytes: overflow ? .max : bytes, max: maxMemoryBytes)
            }
            decodeRuns(content)
        } else {
            if content.count - layout.pixelStart < header.neededBytes ?? .max {
                damage = ImageIntegrity(.truncated, checked: .pixels, byte: content.count)
            }
            usesAlpha = findAlpha(content)
            usesMask = !usesAlpha && maskStart != nil
        }
        var format = RowFormat(width: width, height: height, layout: usesAlpha || usesMask ? .rgba8 : .rgbx8)
        format.isGrey = header.bitsPerPixel <= 8 && palette.prefix(layout.colorCount).allSatisfy(Self.isGrey)
        if let profile = layout.profile { format.profile = profile.map { content[$0] } }
        return format
    }

    private static func isGrey(_ pixel: UInt32) -> Bool {
        let pixel = UInt32(littleEndian: pixel)
        return (pixel & 0xFF) == (pixel >> 8) & 0xFF && (pixel & 0xFF) == (pixel >> 16) & 0xFF
    }

    /// Determines the channel of alpha, which in an icon needs no mask.
    /// - Returns: Whether alpha is used: it has a mask, or a byte in an icon, and is not zero in all pixels.
    private mutating func findAlpha(_ content: Span<UInt8>) -> Bool {
        guard header.bitsPerPixel == 16 || header.bitsPerPixel == 32 else { return false }
        if maskStart != nil, header.bitsPerPixel == 32, layout.masks[3] == 0 { channels[3] = BMPChannel(0xFF00_0000) }
        let mask = channels[3].mask
        guard mask != 0 else { return false }
        let pixelBytes = header.bitsPerPixel / 8
        for y in 0..<height {
            let start = layout.pixelStart + y * header.rowBytes
            for x in 0..<width {
                let at = start + x * pixelBytes
                guard let pixel = pixelBytes == 4 ? content.number32(at, .little) : content.number16(at, .little)
                else { return false }
                if UInt32(pixel) & mask != 0 { return true }
            }
        }
        return false
    }

    // MARK: Rows

    mutating func readRows(_ content: Span<UInt8>, into rows: inout MutableSpan<UInt8>) throws(RenderingError) -> Int {
        let wanted = min(rows.count / (4 * width), height - rowsRead)
        // No pixels are available, so there is nothing to display.
        if damage != nil, layout.coding == .plain, layout.pixelStart + header.usedRowBytes > content.count { return 0 }
        // Any bytes are valid `UInt8` values.
        var bytes = unsafe rows.mutableBytes
        for row in 0..<wanted {
            // The row in the file.
            let y = header.isTopDown ? rowsRead + row : height - 1 - rowsRead - row
            let target = 4 * width * row
            if layout.coding == .runLength {
                for x in 0..<width {
                    bytes.storeBytes(
                        of: palette[Int(indices[y * width + x])],
                        toByteOffset: target + 4 * x,
                        as: UInt32.self
                    )
                }
            } else {
                paint(content, layout.pixelStart + y * header.rowBytes, &bytes, target)
                if usesMask { hide(content, y, &bytes, target) }
            }
        }
        rowsRead += wanted
        return wanted
    }

    /// Writes a row of the pixels at `start`. Missing pixels are zero.
    private func paint(_ content: Span<UInt8>, _ start: Int, _ bytes: inout MutableRawSpan, _ target: Int) {
        let present = max(0, min(width, (content.count - start) * 8 / header.bitsPerPixel))
        switch header.bitsPerPixel {
        case 24:
            for x in 0..<present {
                let at = start + 3 * x
                let pixel = UInt32(content[at]) << 16 | UInt32(content[at + 1]) << 8 | UInt32(content[at + 2])
                bytes.storeBytes(of: (pixel | 0xFF00_0000).littleEndian, toByteOffset: target + 4 * x, as: UInt32.self)
            }
        case 16, 32:
            let pixelBytes = header.bitsPerPixel / 8
            for x in 0..<present {
                let at = start + pixelBytes * x
                var pixel = UInt32(content[at]) | UInt32(content[at + 1]) << 8
                if pixelBytes == 4 { pixel |= UInt32(content[at + 2]) << 16 | UInt32(content[at + 3]) << 24 }
                bytes.storeBytes(of: color(pixel).littleEndian, toByteOffset: target + 4 * x, as: UInt32.self)
            }
        default:
            let bits = header.bitsPerPixel
            for x in 0..<present {
                let shift = 8 - bits - x * bits % 8
                let index = (Int(content[start + x * bits / 8]) >> shift) & ((1 << bits) - 1)
                bytes.storeBytes(of: palette[index], toByteOffset: target + 4 * x, as: UInt32.self)
            }
        }
        for x in present..<width { bytes.storeBytes(of: 0, toByteOffset: target + 4 * x, as: UInt32.self) }
    }

    private func color(_ pixel: UInt32) -> UInt32 {
        let alpha = usesAlpha ? channels[3].value(in: pixel) : 255
        return channels[0].value(in: pixel) | channels[1].value(in: pixel) << 8 | channels[2].value(in: pixel) << 16
            | alpha << 24
    }

    /// Makes the pixels transparent that the mask of an icon hides.
    private func hide(_ content: Span<UInt8>, _ y: Int, _ bytes: inout MutableRawSpan, _ target: Int) {
        guard let maskStart else { return }
        let start = maskStart + y * ((width + 31) / 32 * 4)
        for x in 0..<width {
            // A truncated mask hides nothing.
            guard let byte = content.byte(start + x / 8) else { return }
            if byte & 0x80 >> (x % 8) != 0 { bytes.storeBytes(of: 0, toByteOffset: target + 4 * x, as: UInt32.self) }
        }
    }

    // MARK: Runs

    private mutating func decodeRuns(_ content: Span<UInt8>) {
        indices = [UInt8](repeating: 0, count: width * height)
        var runs = BMPRuns(at: layout.pixelStart, width: width, height: height, isFourBits: header.bitsPerPixel == 4)
        damage = runs.decode(content, into: &indices)
        end = runs.offset
    }

    mutating func finish(_ content: Span<UInt8>) throws(RenderingError) -> ImageIntegrity {
        if let damage { return damage }
        var end = max(self.end, layout.fileBytes ?? 0, layout.profile?.upperBound ?? 0)
        if let maskStart { end = maskStart + height * ((width + 31) / 32 * 4) }
        return ImageIntegrity(endingAt: end, of: content, checked: .pixels)
    }
}

/// The position of a channel in a pixel.
struct BMPChannel {
    let mask: UInt32
    private let shift: UInt32
    private let largest: UInt32

    init(_ mask: UInt32) {
        self.mask = mask
        shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
        largest = mask >> shift
    }

    /// Returns the channel in 0...255.
    @inline(__always)
    func value(in pixel: UInt32) -> UInt32 {
        let value = (pixel & mask) >> shift
        if largest == 255 { return value }
        guard largest > 0 else { return 0 }
        return UInt32((UInt64(value) * 255 + UInt64(largest) / 2) / UInt64(largest))
    }
}
