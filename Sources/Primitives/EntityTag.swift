/// An entity tag (RFC 9110 §8.8.3).
///
/// Everything but a quotation mark may be between the quotation marks: some origins use spaces, which the standard does
/// not permit.
public struct EntityTag: Equatable, Sendable {
    public let isWeak: Bool

    /// The characters between the quotation marks.
    public let opaque: String

    /// Parses one entity tag. `W/` is case-sensitive.
    package init?(_ value: String) {
        let text = value.utf8.span
        let range = text.trimmingBlanks(0..<text.count)
        var offset = range.lowerBound
        guard let tag = Self.parse(text, &offset), offset == range.upperBound else { return nil }
        self = tag
    }

    private init(isWeak: Bool, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Returns whether the tags match by the weak comparison (RFC 9110 §8.8.3.2).
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque.utf8.elementsEqual(other.opaque.utf8) }

    /// Returns whether a representation is what a caller has, by weak comparison (RFC 9110 §13.1.2).
    /// - Parameters:
    ///   - lines: all lines of `If-None-Match`. Malformed ones match nothing.
    ///   - tag: the entity tag of the representation; `nil` if it has none.
    package static func isMatched(by lines: [String], _ tag: String?) -> Bool {
        switch List(lines) {
        case .any: return true
        case .tags(let tags):
            guard let tag = tag.flatMap({ EntityTag($0) }) else { return false }
            return tags.contains { $0.matchesWeakly(tag) }
        case nil: return false
        }
    }

    /// The value of `If-None-Match`.
    package enum List: Equatable, Sendable {
        /// `*`, which matches every representation.
        case any
        case tags([EntityTag])

        /// Parses all lines of a field.
        /// - Returns: `nil` if a line is malformed.
        package init?(_ lines: [String]) {
            var tags: [EntityTag] = []
            for line in lines {
                let text = line.utf8.span
                let range = text.trimmingBlanks(0..<text.count)
                if range.count == 1, text[range.lowerBound] == UInt8(ascii: "*") {
                    guard lines.count == 1 else { return nil }
                    self = .any
                    return
                }
                var offset = range.lowerBound
                while offset < range.upperBound {
                    if text[offset].isBlank || text[offset] == UInt8(ascii: ",") {
                        offset += 1
                        continue
                    }
                    guard let tag = EntityTag.parse(text, &offset) else { return nil }
                    tags.append(tag)
                    while offset < range.upperBound, text[offset].isBlank { offset += 1 }
                    guard offset == range.upperBound || text[offset] == UInt8(ascii: ",") else { return nil }
                }
            }
            self = .tags(tags)
        }
    }

    /// Parses a tag at `offset`, and moves past it.
    private static func parse(_ text: Span<UInt8>, _ offset: inout Int) -> EntityTag? {
        var index = offset
        let isWeak = index + 1 < text.count && text[index] == UInt8(ascii: "W") && text[index + 1] == UInt8(ascii: "/")
        if isWeak { index += 2 }
        guard index < text.count, text[index] == UInt8(ascii: "\"") else { return nil }
        let start = index + 1
        index = start
        while index < text.count, text[index] != UInt8(ascii: "\"") { index += 1 }
        guard index < text.count else { return nil }
        offset = index + 1
        return EntityTag(isWeak: isWeak, opaque: text.text(start..<index))
    }
}
