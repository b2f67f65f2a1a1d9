/// The encoding in an XML declaration: `<?xml version="1.0" encoding="ISO-8859-1"?>`.
///
/// It is read before parsing, because the parser always receives UTF-8. The parser checks that the declaration is
/// well-formed.
struct XMLDeclaration {
    /// The encoding as written. `nil` if the declaration has none.
    let encoding: String?

    /// Returns `nil` if the text does not begin with a declaration.
    /// - Parameter text: Text in an encoding that is a superset of ASCII.
    init?(_ text: Span<UInt8>) {
        let opening = Array("<?xml".utf8)
        guard text.count > opening.count, text[opening.count].isJSONWhiteSpace,
            opening.indices.allSatisfy({ text[$0] == opening[$0] })
        else { return nil }
        encoding = Self.encoding(in: text, from: opening.count)
    }

    /// Reads the pseudo-attributes up to the question mark, in at most 1 KiB.
    private static func encoding(in text: Span<UInt8>, from start: Int) -> String? {
        let end = min(text.count, 1 << 10)
        var index = start
        while index < end {
            while index < end, text[index].isJSONWhiteSpace { index += 1 }
            let nameStart = index
            while index < end, text[index] != UInt8(ascii: "="), text[index] != UInt8(ascii: "?"),
                !text[index].isJSONWhiteSpace
            { index += 1 }
            let name = nameStart..<index
            while index < end, text[index].isJSONWhiteSpace { index += 1 }
            guard index < end, text[index] == UInt8(ascii: "=") else { return nil }
            index += 1
            while index < end, text[index].isJSONWhiteSpace { index += 1 }
            guard index < end, text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'") else { return nil }
            let quote = text[index]
            index += 1
            let valueStart = index
            while index < end, text[index] != quote { index += 1 }
            guard index < end else { return nil }
            if text.text(name) == "encoding" {
                return text.text(valueStart..<index)
            }
            index += 1
        }
        return nil
    }
}
