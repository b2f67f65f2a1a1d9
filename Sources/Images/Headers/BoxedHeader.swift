internal import Serialization

// JPEG 2000 and JPEG XL, like AVIF and HEIC, consist of boxes, `length type data` (ISO/IEC 14496-12 §4.2; length 1
// means that a 64-bit length follows the type, and 0 that the box extends to the end). They are recognized, but not
// decoded: only the size and adjacent facts are reported.
/// Reads the sizes of images in boxes, and of bare codestreams.
enum BoxedHeader {
    /// Reads JPEG 2000: ITU-T T.800 Annex I (`jp2h`, `ihdr`), or Annex A for a codestream (SIZ).
    static func readJPEG2000(_ content: Span<UInt8>) -> ImageFacts {
        var facts = ImageFacts(.jp2)
        facts.frames = 1
        facts.coding.compression = "jpeg2000"
        if content.number32(0, .big) == 0xFF4F_FF51 {
            guard let right = content.number32(8, .big), let bottom = content.number32(12, .big),
                let left = content.number32(16, .big), let top = content.number32(20, .big), right > left, bottom > top
            else { return facts }
            facts.width = right - left
            facts.height = bottom - top
            facts.color.channels = content.number16(40, .big)
            facts.color.bitsPerChannel = content.byte(42).map { ($0 & 0x7F) + 1 }
            return facts
        }
        guard let header = find("jp2h", content, in: 0..<content.count),
            let image = find("ihdr", content, in: header), image.count >= 14
        else { return facts }
        facts.height = content.number32(image.lowerBound, .big)
        facts.width = content.number32(image.lowerBound + 4, .big)
        facts.color.channels = content.number16(image.lowerBound + 8, .big)
        // 255: the channels differ.
        if let depth = content.byte(image.lowerBound + 10), depth != 255 {
            facts.color.bitsPerChannel = (depth & 0x7F) + 1
        }
        return facts
    }

    /// Reads JPEG XL (ISO/IEC 18181-1): a codestream begins with FF 0A and the size; in boxes it is `jxlc`, or in
    /// pieces `jxlp`.
    static func readJPEGXL(_ content: Span<UInt8>) -> ImageFacts {
        var facts = ImageFacts(.jxl)
        facts.coding.compression = "jpegxl"
        var start = 0
        if content.number16(0, .big) != 0xFF0A {
            if let stream = find("jxlc", content, in: 0..<content.count) {
                start = stream.lowerBound
            } else if let part = find("jxlp", content, in: 0..<content.count) {
                start = part.lowerBound + 4
            } else {
                return facts
            }
        }
        guard content.number16(start, .big) == 0xFF0A else { return facts }
        var bits = LowBits(position: (start + 2) * 8)
        guard let size = bits.readSize(content) else { return facts }
        facts.width = size.width
        facts.height = size.height
        return facts
    }

    /// Returns the facts of an image in boxes, which is truncated if a box extends beyond the end of the content. A
    /// bare codestream does not specify its end.
    static func checked(_ facts: ImageFacts, _ content: Span<UInt8>) -> ImageFacts {
        // Both formats begin with a box of twelve bytes.
        guard content.number32(0, .big) == 12, !endsWithBox(content) else { return facts }
        var facts = facts
        facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        return facts
    }

    // MARK: Boxes

    /// The maximum number of boxes that are examined in one container.
    private static let maxBoxes = 4_096

    static func find(_ type: StaticString, _ content: Span<UInt8>, in range: Range<Int>) -> Range<Int>? {
        var place = range
        for _ in 0..<maxBoxes {
            guard let (_, data, next) = box(content, in: place) else { return nil }
            if content.hasText(type, at: place.lowerBound + 4) { return data }
            place = next..<range.upperBound
        }
        return nil
    }

    /// Returns whether the content ends at the end of an outermost box.
    static func endsWithBox(_ content: Span<UInt8>) -> Bool {
        var position = 0
        for _ in 0..<maxBoxes where position < content.count {
            guard let short = content.number32(position, .big) else { return false }
            // A box of this length extends to the end of the content.
            if short == 0 { return true }
            let length = short == 1 ? content.number64(position + 8, .big) : short
            guard let length, length >= 8, length <= content.count - position else { return false }
            position += length
        }
        return true
    }

    /// Returns the first box in `range`: its type, its data, and the start of the next one. A truncated box ends with
    /// the range.
    static func box(_ content: Span<UInt8>, in range: Range<Int>) -> (type: Int, data: Range<Int>, next: Int)? {
        guard range.count >= 8, let short = content.number32(range.lowerBound, .big),
            let type = content.number32(range.lowerBound + 4, .big)
        else { return nil }
        var head = 8
        var length = short
        if short == 1 {
            guard range.count >= 16, let long = content.number64(range.lowerBound + 8, .big) else { return nil }
            (head, length) = (16, long)
        } else if short == 0 {
            length = range.count
        }
        guard length >= head else { return nil }
        let end = length < range.count ? range.lowerBound + length : range.upperBound
        return (type, range.lowerBound + head..<end, end)
    }
}

/// Reads bits, the lowest of each byte first.
private struct LowBits {
    var position: Int

    mutating func read(_ count: Int, _ content: Span<UInt8>) -> Int? {
        var value = 0
        for index in 0..<count {
            guard let byte = content.byte(position / 8) else { return nil }
            value |= (byte >> (position % 8) & 1) << index
            position += 1
        }
        return value
    }

    /// Reads a SizeHeader (ISO/IEC 18181-1 §A.2): small sizes are multiples of eight; the width may be given as a
    /// ratio.
    mutating func readSize(_ content: Span<UInt8>) -> (width: Int, height: Int)? {
        guard let isSmall = read(1, content), let height = readSide(isSmall == 1, content),
            let ratio = read(3, content)
        else { return nil }
        switch ratio {
        case 1: return (height, height)
        case 2: return (height * 12 / 10, height)
        case 3: return (height * 4 / 3, height)
        case 4: return (height * 3 / 2, height)
        case 5: return (height * 16 / 9, height)
        case 6: return (height * 5 / 4, height)
        case 7: return (height * 2, height)
        default:
            guard let width = readSide(isSmall == 1, content) else { return nil }
            return (width, height)
        }
    }

    private mutating func readSide(_ isSmall: Bool, _ content: Span<UInt8>) -> Int? {
        if isSmall { return read(5, content).map { ($0 + 1) * 8 } }
        guard let selector = read(2, content) else { return nil }
        return read([9, 13, 18, 30][selector], content).map { $0 + 1 }
    }
}
