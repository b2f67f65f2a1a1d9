/// What an XML declaration says of the encoding: `<?xml version="1.0" encoding="ISO-8859-1"?>`.
///
/// Read before the parser reads it, because the parser is given UTF-8 whatever it says. That the declaration is well
/// formed is for the parser to say.
struct XMLDeclaration {
    /// As written. Nil where the declaration has none.
    let encoding: String?

    /// Nil where the text does not begin with a declaration.
    /// - Parameter text: in an encoding that has ASCII as it is.
    init?(_ text: Span<UInt8>) {
        let opening = Array("<?xml".utf8)
        guard text.count > opening.count, text[opening.count].isJSONWhiteSpace,
            opening.indices.allSatisfy({ text[$0] == opening[$0] })
        else { return nil }
        encoding = Self.encoding(in: text, from: opening.count)
    }

    /// Pseudo-attributes, one after the other, up to the question mark. Longest declaration looked at: 1 KiB.
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
            if String(copying: text.extracting(name)) == "encoding" {
                return String(copying: text.extracting(valueStart..<index))
            }
            index += 1
        }
        return nil
    }
}
