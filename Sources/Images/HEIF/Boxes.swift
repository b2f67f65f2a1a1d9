internal import Serialization

/// The boxes of AVIF, HEIC, JPEG 2000 and JPEG XL, `length type data` (ISO/IEC 14496-12 §4.2). Length 1 means that a
/// 64-bit length follows the type, and 0 that the box extends to the end.
struct Boxes {
    struct Box {
        let type: FourCC
        /// The data, at most up to the end of the range.
        let data: Range<Int>
        /// Whether the data ends within the range.
        let isWhole: Bool
    }

    private var rest: Range<Int>

    /// - Parameter range: The range of the boxes in the content.
    init(in range: Range<Int>) { rest = range }

    /// Whether there are no further bytes.
    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the next box, or `nil` if there are no further bytes, or these do not begin a box.
    mutating func next(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> Box? {
        let start = rest.lowerBound
        guard budget.step(), rest.count >= 8, let short = content.number32(start, .big),
            let type = content.number32(start + 4, .big)
        else { return nil }
        var head = 8
        var length = short == 0 ? rest.count : short
        if short == 1 {
            guard rest.count >= 16, let long = content.number64(start + 8, .big) else { return nil }
            (head, length) = (16, long)
        }
        guard length >= head else { return nil }
        let end = start + min(length, rest.count)
        defer { rest = end..<rest.upperBound }
        return Box(type: FourCC(rawValue: UInt32(type)), data: start + head..<end, isWhole: length <= rest.count)
    }

    /// Returns the data of the first box of a type in `range`.
    static func find(
        _ type: FourCC,
        _ content: Span<UInt8>,
        in range: Range<Int>,
        _ budget: inout HeaderBudget
    ) -> Range<Int>? {
        var boxes = Boxes(in: range)
        while let box = boxes.next(content, &budget) { if box.type == type { return box.data } }
        return nil
    }

    /// Returns whether the content ends at the end of an outermost box.
    static func endsWithBox(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> Bool {
        var boxes = Boxes(in: 0..<content.count)
        while let box = boxes.next(content, &budget) { if !box.isWhole { return false } }
        return boxes.isAtEnd
    }
}
