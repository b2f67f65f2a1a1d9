internal import Serialization

// The header of a Windows or OS/2 bitmap. ``BMPLayout``, which decoding uses, documents its layout and ambiguities.
/// Reads the header of a bitmap, with or without a file header.
enum BMPHeader {
    static func read(_ content: Span<UInt8>) throws(ImageError) -> ImageFacts {
        let start = content.hasText("BM", at: 0) ? 14 : 0
        guard let length = content.number32(start, .little), start + length <= content.count else {
            throw ImageError(.truncated, at: content.count)
        }
        guard length == 12 || length >= 16 else { throw ImageError(.corrupt(part: "bitmap header"), at: start) }
        var facts = ImageFacts(.bmp)
        let isCore = length == 12
        let sides =
            isCore
            ? (content.number16(start + 4, .little), content.number16(start + 6, .little))
            : (content.signed32(start + 4), content.signed32(start + 8))
        guard let width = sides.0, let height = sides.1, width > 0, height != 0 else {
            throw ImageError(.corrupt(part: "bitmap header"), at: start)
        }
        facts.width = width
        // A negative height means that the top row is first.
        facts.height = abs(height)
        facts.frames = 1
        let depth = content.number16(start + (isCore ? 10 : 14), .little) ?? 0
        let compression = length >= 20 ? content.number32(start + 16, .little) ?? 0 : 0
        facts.readDepth(depth)
        if depth == 32 || depth == 16 {
            facts.color.alpha =
                length >= 56 && compression == 3 && content.number32(start + 52, .little) ?? 0 != 0 || compression == 6
        }
        // Headers of these lengths are those of OS/2, which has other compressions.
        let isOS2 = length == 16 || length == 64
        facts.coding.compression = name(of: compression, isOS2: isOS2)
        if length >= 32, let x = content.signed32(start + 24), let y = content.signed32(start + 28), x > 0, y > 0 {
            facts.density = ImageDensity(x: Double(x), y: Double(y), unit: .meter, source: .bmp)
        }
        readProfile(content, start, length, into: &facts)
        if isOS2, compression == 3 { return facts }
        checkLength(content, start, compression, width, abs(height), depth, into: &facts)
        return facts
    }

    private static func name(of compression: Int, isOS2: Bool) -> String? {
        switch compression {
        case 3 where isOS2: "huffman1d"
        case 4 where isOS2: "rle24"
        case 0: "none"
        case 1: "rle8"
        case 2: "rle4"
        case 3, 6: "bitfields"
        case 4: "jpeg"
        case 5: "png"
        default: nil
        }
    }

    /// Reads the profile of a BITMAPV5HEADER: 'MBED' means that it is embedded in the file.
    private static func readProfile(_ content: Span<UInt8>, _ start: Int, _ length: Int, into facts: inout ImageFacts) {
        guard length >= 124, content.number32(start + 56, .little) == 0x4D42_4544,
            let offset = content.number32(start + 112, .little), let count = content.number32(start + 116, .little),
            count > 0
        else { return }
        let place = start + offset
        if place + count <= content.count,
            case .profile(let profile) = ICCProfile.read(content.extracting(place..<place + count), bytes: count)
        {
            facts.color.profile = profile
        } else {
            facts.note(ImageFlaw(byte: min(place, content.count), part: "ICC profile"))
        }
    }

    /// Checks the length of uncompressed rows, which is known.
    private static func checkLength(
        _ content: Span<UInt8>,
        _ start: Int,
        _ compression: Int,
        _ width: Int,
        _ height: Int,
        _ depth: Int,
        into facts: inout ImageFacts
    ) {
        guard start == 14, compression == 0 || compression == 3, let pixels = content.number32(10, .little) else {
            return
        }
        // At most 2³¹ × 2¹⁶ bits per row, and 2³¹ rows.
        let (bytes, overflow) = ((width * depth + 31) / 32 * 4).multipliedReportingOverflow(by: height)
        // The padding of the last row may be missing.
        let padding = (4 - (width * depth + 7) / 8 % 4) % 4
        if overflow || content.count - pixels < bytes - padding {
            facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        }
    }
}

extension ImageFacts {
    /// Sets the colour facts for the number of bits per pixel.
    mutating func readDepth(_ depth: Int) {
        switch depth {
        case 1, 2, 4, 8: (color.model, color.channels, color.bitsPerChannel) = (.palette, 1, depth)
        case 16: (color.model, color.channels, color.bitsPerChannel) = (.rgb, 3, 5)
        case 24: (color.model, color.channels, color.bitsPerChannel) = (.rgb, 3, 8)
        case 32: (color.model, color.channels, color.bitsPerChannel) = (.rgb, 4, 8)
        default: break
        }
        color.alpha = false
    }
}

extension Span<UInt8> {
    /// Returns a signed little-endian number.
    func signed32(_ offset: Int) -> Int? {
        number32(offset, .little).map { Int(Int32(truncatingIfNeeded: $0)) }
    }
}
