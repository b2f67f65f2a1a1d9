// What the search for repairs recognizes in XML text, byte by byte.

/// What begins and ends constructs.
enum XMLMark {
    static let comment = Array("<!--".utf8)
    static let commentEnd = Array("-->".utf8)
    static let section = Array("<![CDATA[".utf8)
    static let sectionEnd = Array("]]>".utf8)
    static let instruction = Array("<?".utf8)
    static let instructionEnd = Array("?>".utf8)
    static let doctype = Array("<!DOCTYPE".utf8)
    static let entity = Array("<!ENTITY".utf8)
    static let system = Array("SYSTEM".utf8)
    static let `public` = Array("PUBLIC".utf8)
}

extension Span<UInt8> {
    /// The end of the white space before an XML declaration; 0 if there is none, or no declaration.
    var endOfSpaceBeforeDeclaration: Int {
        var index = 0
        while index < count, self[index].isJSONWhiteSpace { index += 1 }
        return XMLDeclaration(extracting(droppingFirst: index)) == nil ? 0 : index
    }

    var htmlEntityKey: HTMLEntity.Key? { HTMLEntity.key(of: self) }

    /// Returns the end of the character at `index` if XML does not allow it (1.0 §2.2); otherwise `nil`.
    func endOfControlCharacter(at index: Int) -> Int? {
        let byte = self[index]
        if byte < 0x20 { return byte.isJSONWhiteSpace ? nil : index + 1 }
        // U+FFFE and U+FFFF.
        let isNoncharacter = byte == 0xEF && index + 2 < count && self[index + 1] == 0xBF && self[index + 2] >= 0xBE
        return isNoncharacter ? index + 3 : nil
    }

    /// Returns the end of the number in the reference at `index`, whose first bytes are `&#`, and the number, capped
    /// beyond the last character. The end is `nil` if there is no number.
    func xmlCharacterReference(at index: Int) -> (end: Int?, value: UInt32?) {
        var end = index + 2
        let isHexadecimal = end < count && self[end] == UInt8(ascii: "x")
        if isHexadecimal { end += 1 }
        let start = end
        var value: UInt32 = 0
        while end < count, let digit = self[end].hexDigit, isHexadecimal || digit < 10 {
            value = Swift.min(value * (isHexadecimal ? 16 : 10) + UInt32(digit), 0x11_0000)
            end += 1
        }
        return end > start ? (end, value) : (nil, nil)
    }

    /// Returns the end of the name that begins at `start` (XML 1.0 §2.3 [5]), or `nil` if there is none.
    /// - Precondition: The text is valid UTF-8.
    func endOfXMLName(from start: Int) -> Int? {
        var index = start
        while index < count {
            let byte = self[index]
            if byte < 0x80 {
                guard byte.isXMLNameByte(isFirst: index == start) else { break }
                index += 1
            } else {
                let width = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                var value = UInt32(byte) & (0x7F >> UInt32(width))
                for offset in 1..<width { value = value << 6 | UInt32(self[index + offset] & 0x3F) }
                guard value.isXMLNameCharacter(isFirst: index == start) else { break }
                index += width
            }
        }
        return index > start ? index : nil
    }

    func begins(_ mark: [UInt8], at index: Int) -> Bool {
        count - index >= mark.count && mark.indices.allSatisfy { self[index + $0] == mark[$0] }
    }

    /// Returns the end of the next `mark` from `start`, or `nil` if there is none.
    func end(of mark: [UInt8], from start: Int) -> Int? {
        indices.dropFirst(start).first { begins(mark, at: $0) }.map { $0 + mark.count }
    }
}

extension UInt8 {
    /// Whether an ASCII byte may be a part of a name (XML 1.0 §2.3 [4], [4a]).
    func isXMLNameByte(isFirst: Bool) -> Bool {
        if isLetter || self == UInt8(ascii: "_") || self == UInt8(ascii: ":") { return true }
        return !isFirst && (isDecimalDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "."))
    }
}

extension UInt32 {
    /// Whether XML does not allow the character, and a leniency removes it.
    var isXMLControlCharacter: Bool {
        self < 0x20 ? self != 0x9 && self != 0xA && self != 0xD : self == 0xFFFE || self == 0xFFFF
    }

    /// Whether a character beyond ASCII may be a part of a name (XML 1.0 §2.3 [4], [4a]).
    func isXMLNameCharacter(isFirst: Bool) -> Bool {
        switch self {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: !isFirst
        default: false
        }
    }
}
