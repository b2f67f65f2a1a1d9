internal import Serialization

// The header of a Windows or OS/2 bitmap: a file header (which bitmaps in icons and some others lack), an information
// header that is identified by its length, and masks or colours (Microsoft's BITMAPFILEHEADER and BITMAPV5HEADER; the
// OS/2 2.0 Programming Guide).
//
//     "BM" size 0 0 pixels │ 40 width height 1 24 0 … │ colours │ rows, the lowest first, padded to four bytes
//
// Ambiguities of the format, and how we resolve them:
// · A negative height means that the top row is first.
// · The fourth byte of 32 bits is alpha only if a mask specifies it. If it is zero in all pixels, it is ignored.
// · Pixels that run-length coding skips have colour 0. A colour that is not in the table is black.
// · Rows beyond the end of the file are missing; the padding after the last row may be missing.

/// The header of a bitmap, which both its facts and its pixels are read from.
struct BMPHeader {
    /// The offset of the information header: the length of the file header, or 0 without one.
    let start: Int
    /// The length of the information header.
    let length: Int
    let width: Int
    let height: Int
    let isTopDown: Bool
    let bitsPerPixel: Int
    let compression: Int

    /// Whether this is the first header of OS/2, whose sides and colours are shorter.
    var isCore: Bool { length == 12 }
    /// Headers of these lengths are those of OS/2, which has other compressions.
    var isOS2: Bool { length == 16 || length == 64 }
    /// The number of masks in the header, or after a shorter one: red, green, blue, and alpha if there are four.
    var maskCount: Int {
        guard compression == 3 && !isOS2 || compression == 6 else { return 0 }
        return length >= 56 || compression == 6 ? 4 : 3
    }

    /// The length of a row in the file, in bytes.
    var rowBytes: Int { (width * bitsPerPixel + 31) / 32 * 4 }
    /// The length of the pixels in a row, in bytes.
    var usedRowBytes: Int { (width * bitsPerPixel + 7) / 8 }

    private static let fileHeaderBytes = 14

    /// - Parameter isInIcon: Whether the height is that of the picture and its mask together.
    /// - Throws: `truncated`, `corrupt`.
    init(_ content: Span<UInt8>, isInIcon: Bool = false) throws(RenderingError) {
        start = content.hasText("BM", at: 0) ? Self.fileHeaderBytes : 0
        guard let length = content.number32(start, .little) else { throw .truncated(byte: content.count) }
        guard length == 12 || 16...1_024 ~= length else { throw .corrupt(byte: start, part: "bitmap header") }
        guard length <= content.count - start else { throw .truncated(byte: content.count) }
        self.length = length
        let sides =
            length == 12
            ? (content.number16(start + 4, .little), content.number16(start + 6, .little))
            : (content.signed32(start + 4), content.signed32(start + 8))
        width = sides.0 ?? 0
        // A negative height means that the top row is first.
        isTopDown = sides.1 ?? 0 < 0
        height = abs(sides.1 ?? 0) / (isInIcon ? 2 : 1)
        guard width > 0, height > 0 else { throw .corrupt(byte: start, part: "bitmap header") }
        bitsPerPixel = content.number16(start + (length == 12 ? 10 : 14), .little) ?? 0
        compression = length >= 20 ? content.number32(start + 16, .little) ?? 0 : 0
    }

    /// Returns the number at `offset` in the header; those that a shorter header lacks are zero.
    func field(_ content: Span<UInt8>, _ offset: Int) -> Int {
        offset + 4 <= length ? content.number32(start + offset, .little) ?? 0 : 0
    }

    /// Returns a mask, which must be below ``maskCount``. Those that the content lacks are zero.
    func mask(_ content: Span<UInt8>, _ index: Int) -> UInt32 {
        UInt32(content.number32(start + 40 + 4 * index, .little) ?? 0)
    }

    /// The offset of the colours, which follow the header and masks after it.
    var colorStart: Int { start + length + (length < 52 ? 4 * maskCount : 0) }
    var colorBytes: Int { isCore ? 3 : 4 }
    /// The size of the largest colour table for the depth; none for 16 and more bits per pixel.
    var maxColors: Int { bitsPerPixel <= 8 ? 1 << bitsPerPixel : 0 }

    /// Returns the number of colours before the pixels. It may exceed ``maxColors``.
    func colorCount(_ content: Span<UInt8>) -> Int {
        let declared = field(content, 32)
        return declared == 0 ? maxColors : declared
    }

    /// Returns the offset of the pixels, at most that of the end of the content: the one in the file header, unless
    /// that is impossible.
    func pixelStart(_ content: Span<UInt8>) -> Int {
        let stored = start == 0 ? nil : content.number32(10, .little)
        if let stored, stored >= colorStart, stored <= content.count { return stored }
        // At most four bytes for each of 2³² colours.
        return min(colorStart + colorCount(content) * colorBytes, content.count)
    }

    /// The length of uncompressed rows without the padding of the last one, which may be missing; `nil` if it is beyond
    /// any content.
    var neededBytes: Int? {
        // At most 2³¹ × 2¹⁶ bits per row, and 2³¹ rows.
        let (bytes, overflow) = rowBytes.multipliedReportingOverflow(by: height)
        return overflow || bytes >= 1 << 48 ? nil : bytes - rowBytes + usedRowBytes
    }

    /// Returns the offset and length of an embedded ICC profile, which may be beyond the end of the content.
    func profile(_ content: Span<UInt8>) -> (start: Int, count: Int)? {
        // 'MBED' as a number, in a BITMAPV5HEADER.
        guard length >= 124, field(content, 56) == 0x4D42_4544, field(content, 116) > 0 else { return nil }
        return (start + field(content, 112), field(content, 116))
    }
}

/// The tables before the pixels, and the offset of the pixels.
struct BMPLayout {
    enum Coding {
        case plain
        case runLength
    }

    let coding: Coding
    /// The number of colours that are present.
    let colorCount: Int
    /// The masks of red, green, blue and alpha, for 16 and 32 bits per pixel.
    let masks: [UInt32]
    let pixelStart: Int
    /// The length of the complete file in the file header, or `nil` without a file header.
    let fileBytes: Int?
    /// The range of an embedded ICC profile.
    let profile: Range<Int>?

    /// - Throws: `corrupt`, `unsupported`.
    init(_ content: Span<UInt8>, _ header: BMPHeader) throws(RenderingError) {
        fileBytes = header.start == 0 ? nil : content.number32(2, .little)
        coding = try Self.coding(header)
        if coding == .runLength, header.isTopDown { throw .corrupt(byte: header.start + 8, part: "bitmap header") }
        masks = try Self.masks(content, header)
        pixelStart = header.pixelStart(content)
        let colorSpace = (pixelStart - header.colorStart) / header.colorBytes
        colorCount = max(0, min(header.colorCount(content), header.maxColors, colorSpace))
        guard colorCount > 0 || header.bitsPerPixel > 8 else {
            throw .corrupt(byte: header.colorStart, part: "colour table")
        }
        profile = header.profile(content).flatMap { profile in
            profile.count <= content.count - profile.start ? profile.start..<profile.start + profile.count : nil
        }
    }

    private static func coding(_ header: BMPHeader) throws(RenderingError) -> Coding {
        let (bitsPerPixel, isOS2) = (header.bitsPerPixel, header.isOS2)
        guard [1, 2, 4, 8, 16, 24, 32].contains(bitsPerPixel) else {
            throw .unsupported(feature: "bitmaps of \(bitsPerPixel) bits per pixel")
        }
        switch (header.compression, bitsPerPixel) {
        case (0, _): return .plain
        case (1, 8), (2, 4): return .runLength
        case (3, 16), (3, 32), (6, 16), (6, 32):
            if isOS2 { throw .unsupported(feature: "bitmaps in Huffman coding") }
            return .plain
        case (3, 1) where isOS2: throw .unsupported(feature: "bitmaps in Huffman coding")
        case (4, 24) where isOS2: throw .unsupported(feature: "bitmaps of run-length coded true colour")
        case (4, _): throw .unsupported(feature: "JPEG in a bitmap")
        case (5, _): throw .unsupported(feature: "PNG in a bitmap")
        case (11...13, _): throw .unsupported(feature: "CMYK bitmaps")
        default: throw .corrupt(byte: header.start, part: "bitmap header")
        }
    }

    /// Returns four masks, each of which is one run of bits or zero; if the header has none, those of the depth.
    private static func masks(_ content: Span<UInt8>, _ header: BMPHeader) throws(RenderingError) -> [UInt32] {
        guard header.maskCount > 0 else {
            return header.bitsPerPixel == 16 ? [0x7C00, 0x03E0, 0x001F, 0] : [0xFF_0000, 0xFF00, 0xFF, 0]
        }
        var masks = (0..<header.maskCount).map { header.mask(content, $0) }
        if masks.count == 3 { masks.append(0) }
        for mask in masks where mask != 0 {
            let run = mask >> UInt32(mask.trailingZeroBitCount)
            guard run & (run &+ 1) == 0 else { throw .corrupt(byte: header.start + 40, part: "bit masks") }
        }
        return masks
    }
}

extension Span<UInt8> {
    /// Returns a signed little-endian number.
    fileprivate func signed32(_ offset: Int) -> Int? {
        number32(offset, .little).map { Int(Int32(truncatingIfNeeded: $0)) }
    }
}
