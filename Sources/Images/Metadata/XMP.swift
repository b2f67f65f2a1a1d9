internal import Serialization

extension ImageFacts {
    /// Reads the XMP at `range`, or notes that it is not UTF-8.
    mutating func readXMP(_ content: Span<UInt8>, _ range: Range<Int>, _ budget: inout HeaderBudget) {
        if let packet = content.xmpPacket(in: range) {
            xmp = .utf8(packet)
        } else {
            note(ImageFlaw(byte: range.lowerBound, part: "XMP"), &budget)
        }
    }
}

extension Span<UInt8> {
    /// Returns the text of an XMP packet (ISO 16684-1 §7.3) between its processing instructions, without the padding;
    /// `nil` if it is not UTF-8.
    func xmpPacket(in range: Range<Int>) -> Range<Int>? {
        guard slice(range, { $0.isUTF8 }) == true else { return nil }
        let closing: StaticString = "</x:xmpmeta>"
        guard let start = range.prefix(512).first(where: { hasText("<x:xmpmeta", at: $0) }),
            let end = range.suffix(16 << 10).last(where: { hasText(closing, at: $0) }), end > start
        else { return range }
        return start..<end + closing.utf8CodeUnitCount
    }
}
