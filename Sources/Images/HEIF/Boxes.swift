internal import Serialization

/// The boxes of AVIF, HEIC, JPEG 2000 and JPEG XL, `length type data` (ISO/IEC 14496-12 §4.2). Length 1 means that a
/// 64-bit length follows the type, and 0 that the box extends to the end.
enum Boxes {
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

    /// Returns the facts of an image in boxes, which is truncated if a box extends beyond the end of the content. A
    /// bare codestream does not specify its end.
    static func checked(_ facts: ImageFacts, _ content: Span<UInt8>) -> ImageFacts {
        // Both formats begin with a box of twelve bytes.
        guard content.number32(0, .big) == 12, !endsWithBox(content) else { return facts }
        var facts = facts
        facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        return facts
    }
}
