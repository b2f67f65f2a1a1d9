internal import Serialization

extension ImageFacts {
    /// Reads an XMP packet (ISO 16684-1 §7.3): the text between its processing instructions, without the padding.
    mutating func readXMP(_ content: Span<UInt8>, _ place: Range<Int>, _ budget: inout HeaderBudget) {
        guard content.slice(place, { $0.isUTF8 }) == true else {
            note(ImageFlaw(byte: place.lowerBound, part: "XMP"), &budget)
            return
        }
        let opening: StaticString = "<x:xmpmeta"
        let closing: StaticString = "</x:xmpmeta>"
        let head = place.prefix(512)
        let tail = place.suffix(16 << 10)
        guard let start = head.first(where: { content.hasText(opening, at: $0) }),
            let end = tail.last(where: { content.hasText(closing, at: $0) }), end > start
        else {
            xmp = .utf8(place)
            return
        }
        xmp = .utf8(start..<end + closing.utf8CodeUnitCount)
    }
}
