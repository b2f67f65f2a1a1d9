/// An XML declaration: `<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>`.
///
/// It is read before parsing, because the parser always receives UTF-8. The parser checks that the declaration is
/// well-formed.
struct XMLDeclaration {
    /// The version as written. `nil` if the declaration has none.
    private(set) var version: String?
    /// The encoding as written. `nil` if the declaration has none.
    private(set) var encoding: String?
    /// Whether the document has no external markup declarations. `nil` if the declaration does not specify it.
    private(set) var standalone: Bool?

    /// Returns `nil` if the text does not begin with a declaration.
    /// - Parameter text: Text in an encoding that is a superset of ASCII.
    init?(_ text: Span<UInt8>) {
        let opening = Array("<?xml".utf8)
        guard text.count > opening.count, text[opening.count].isJSONWhiteSpace,
            opening.indices.allSatisfy({ text[$0] == opening[$0] })
        else { return nil }
        var index = opening.count
        while let (name, value, end) = Self.pseudoAttribute(in: text, from: index) {
            switch text.text(name) {
            case "version": version = text.text(value)
            case "encoding": encoding = text.text(value)
            case "standalone": standalone = text.text(value) == "yes"
            default: break
            }
            index = end
        }
    }

    /// Returns the name and the value of the pseudo-attribute at `start`, and the index after it.
    private static func pseudoAttribute(
        in text: Span<UInt8>,
        from start: Int
    ) -> (name: Range<Int>, value: Range<Int>, end: Int)? {
        var index = start
        func skipWhiteSpace() { while index < text.count, text[index].isJSONWhiteSpace { index += 1 } }
        skipWhiteSpace()
        let nameStart = index
        while index < text.count, text[index] != UInt8(ascii: "="), text[index] != UInt8(ascii: "?"),
            !text[index].isJSONWhiteSpace
        { index += 1 }
        let name = nameStart..<index
        skipWhiteSpace()
        guard index < text.count, text[index] == UInt8(ascii: "=") else { return nil }
        index += 1
        skipWhiteSpace()
        guard index < text.count, text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'") else {
            return nil
        }
        let quote = text[index]
        index += 1
        let valueStart = index
        while index < text.count, text[index] != quote { index += 1 }
        guard index < text.count else { return nil }
        return (name, valueStart..<index, index + 1)
    }
}
