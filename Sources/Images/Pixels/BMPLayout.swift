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
/// The header and tables before the pixels.
struct BMPLayout {
    enum Coding {
        case plain
        case runLength
    }

    let width: Int
    let height: Int
    let isTopDown: Bool
    let bitsPerPixel: Int
    let coding: Coding
    /// The offset of the colours and their number; none for 16 and more bits per pixel.
    let colorStart: Int
    let colorCount: Int
    let colorBytes: Int
    /// The masks of red, green, blue and alpha, for 16 and 32 bits per pixel.
    let masks: [UInt32]
    let pixelStart: Int
    /// The length of the complete file in the file header, or `nil` without a file header.
    let fileBytes: Int?
    /// The range of an embedded ICC profile.
    let profile: Range<Int>?

    /// The length of a row in the file, in bytes.
    var rowBytes: Int { (width * bitsPerPixel + 31) / 32 * 4 }
    /// The length of the pixels in a row, in bytes.
    var usedRowBytes: Int { (width * bitsPerPixel + 7) / 8 }

    private static let fileHeaderBytes = 14

    /// - Parameter isInIcon: Whether the height is that of the picture and its mask together.
    /// - Throws: `truncated`, `corrupt`, `unsupported`.
    init(_ content: Span<UInt8>, isInIcon: Bool = false) throws(RenderingError) {
        let start = content.hasText("BM", at: 0) ? Self.fileHeaderBytes : 0
        fileBytes = start == 0 ? nil : content.number32(2, .little)
        guard let length = content.number32(start, .little) else { throw .truncated(byte: content.count) }
        guard length == 12 || 16...1024 ~= length else { throw .corrupt(byte: start, part: "bitmap header") }
        guard start + length <= content.count else { throw .truncated(byte: content.count) }
        let isCore = length == 12

        // Fields that a shorter header lacks are zero.
        func field(_ offset: Int) -> Int {
            offset + 4 <= length ? content.number32(start + offset, .little) ?? 0 : 0
        }
        width = isCore ? content.number16(start + 4, .little) ?? 0 : Int(Int32(truncatingIfNeeded: field(4)))
        let signedHeight = isCore ? content.number16(start + 6, .little) ?? 0 : Int(Int32(truncatingIfNeeded: field(8)))
        isTopDown = signedHeight < 0
        height = isInIcon ? abs(signedHeight) / 2 : abs(signedHeight)
        guard width > 0, height > 0 else { throw .corrupt(byte: start + 4, part: "bitmap header") }
        bitsPerPixel = content.number16(start + (isCore ? 10 : 14), .little) ?? 0

        let compression = field(16)
        coding = try Self.coding(compression, bitsPerPixel, isOS2: length == 16 || length == 64)
        if coding == .runLength, isTopDown { throw .corrupt(byte: start + 8, part: "bitmap header") }

        // The masks are part of a longer header, and follow a shorter one.
        let hasMasks = compression == 3 || compression == 6
        let maskCount = length >= 56 || compression == 6 ? 4 : 3
        let masksFollow = hasMasks && length < 52
        masks = try Self.masks(
            hasMasks ? (0..<maskCount).map { UInt32(content.number32(start + 40 + 4 * $0, .little) ?? 0) } : nil,
            bitsPerPixel,
            at: start + 40
        )

        colorBytes = isCore ? 3 : 4
        colorStart = start + length + (masksFollow ? 4 * maskCount : 0)
        let largest = bitsPerPixel <= 8 ? 1 << bitsPerPixel : 0
        let declared = isCore || field(32) == 0 ? largest : min(field(32), largest)
        // Declared colours beyond the table size of this depth still precede the pixels.
        let stated = isCore ? largest : field(32) == 0 ? largest : field(32)
        let pixelOffset = start == 0 ? 0 : content.number32(10, .little) ?? 0
        let (tableBytes, overflow) = stated.multipliedReportingOverflow(by: colorBytes)
        let isOffsetSound = pixelOffset >= colorStart && pixelOffset <= content.count
        pixelStart =
            isOffsetSound ? pixelOffset : overflow ? content.count : min(colorStart + tableBytes, content.count)
        colorCount = max(0, min(declared, (pixelStart - colorStart) / colorBytes))
        guard colorCount > 0 || bitsPerPixel > 8 else { throw .corrupt(byte: colorStart, part: "colour table") }
        profile = Self.profile(content, start, length)
    }

    private static func coding(_ compression: Int, _ bitsPerPixel: Int, isOS2: Bool) throws(RenderingError) -> Coding {
        guard [1, 2, 4, 8, 16, 24, 32].contains(bitsPerPixel) else {
            throw .unsupported(feature: "bitmaps of \(bitsPerPixel) bits per pixel")
        }
        switch (compression, bitsPerPixel) {
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
        default: throw .corrupt(byte: nil, part: "bitmap header")
        }
    }

    /// Returns four masks, each of which is one run of bits or zero; if none are given, those of the depth.
    private static func masks(
        _ given: [UInt32]?,
        _ bitsPerPixel: Int,
        at start: Int
    ) throws(RenderingError) -> [UInt32] {
        guard var masks = given else {
            return bitsPerPixel == 16 ? [0x7C00, 0x03E0, 0x001F, 0] : [0xFF_0000, 0xFF00, 0xFF, 0]
        }
        if masks.count == 3 { masks.append(0) }
        for mask in masks where mask != 0 {
            let run = mask >> UInt32(mask.trailingZeroBitCount)
            guard run & (run &+ 1) == 0 else { throw .corrupt(byte: start, part: "bit masks") }
        }
        return masks
    }

    private static func profile(_ content: Span<UInt8>, _ start: Int, _ length: Int) -> Range<Int>? {
        // 'MBED' as a number.
        guard length >= 124, content.number32(start + 56, .little) == 0x4D42_4544,
            let offset = content.number32(start + 112, .little), let count = content.number32(start + 116, .little),
            count > 0, start + offset + count <= content.count
        else { return nil }
        return start + offset..<start + offset + count
    }
}
