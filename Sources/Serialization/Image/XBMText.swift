/// An offset in C source text, with functions that read from there.
package struct XBMText {
    package var offset = 0

    package init() {}

    /// Returns whether the content begins with `#define NAME_width` or `#define NAME_height` and a number, after
    /// optional comments.
    static func begins(_ content: Span<UInt8>) -> Bool {
        guard let first = content.byte(0), first == 0x23 || first == 0x2F || first <= 0x20 else { return false }
        var text = XBMText()
        text.skipBlank(content)
        guard content.hasText("#define", at: text.offset) else { return false }
        text.offset += 7
        text.skipBlank(content)
        let name = text.readWord(content)
        guard name.ends(with: "_width", in: content) || name.ends(with: "_height", in: content) else { return false }
        text.skipBlank(content)
        return text.readNumber(content) ?? 0 > 0
    }

    /// Skips white space and comments.
    package mutating func skipBlank(_ content: Span<UInt8>) {
        while let byte = content.byte(offset) {
            if content.hasText("/*", at: offset) {
                offset += 2
                while offset < content.count, !content.hasText("*/", at: offset) { offset += 1 }
                offset = min(offset + 2, content.count)
            } else if byte == 0x20 || 0x09...0x0D ~= byte {
                offset += 1
            } else {
                return
            }
        }
    }

    /// Returns the range of letters, digits and underscores, which may be empty.
    package mutating func readWord(_ content: Span<UInt8>) -> Range<Int> {
        let start = offset
        while let byte = content.byte(offset), Self.isWord(UInt8(byte)) { offset += 1 }
        return start..<offset
    }

    /// Returns an integer, or `nil` for any other word and for one beyond 32 bits.
    package mutating func readNumber(_ content: Span<UInt8>) -> Int? {
        let word = readWord(content)
        let isHexadecimal = content.hasText("0x", at: word.lowerBound) || content.hasText("0X", at: word.lowerBound)
        let radix = isHexadecimal ? 16 : word.count > 1 && content[word.lowerBound] == UInt8(ascii: "0") ? 8 : 10
        let digits = isHexadecimal ? word.dropFirst(2) : word
        guard !digits.isEmpty else { return nil }
        var number = 0
        for index in digits {
            guard let digit = content[index].hexDigit.map({ Int($0) }), digit < radix else { return nil }
            number = number * radix + digit
            guard number <= UInt32.max else { return nil }
        }
        return number
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte.isDecimalDigit || byte.isLetter
    }
}

extension Range<Int> {
    /// Returns whether the text in the range ends with `text`.
    package func ends(with text: StaticString, in content: Span<UInt8>) -> Bool {
        let start = upperBound - text.utf8CodeUnitCount
        return start >= lowerBound && content.hasText(text, at: start)
    }
}
