internal import Serialization

// An X bitmap is C source text (Xlib §16.9):
//
//     #define eye_width 16
//     #define eye_height 2
//     static unsigned char eye_bits[] = { 0x0f, 0xf0, 0x3c, 0x3c };
//
// Ambiguities of the format, and how we resolve them:
// · X version 10 uses shorts: 16 bits per number, and rows padded to them.
// · Numbers are those of C: decimal, hexadecimal, octal. Comments are allowed everywhere.
// · A one is black, a zero white; nothing is transparent.

/// The size of an X bitmap, and the offset of its numbers, which both facts and pixels are read from.
struct XBMHeader {
    private(set) var width = 0
    private(set) var height = 0
    /// The number of bits in one number: 8, or 16 in X version 10.
    private(set) var numberBits = 8
    /// The offset after the opening brace.
    private(set) var dataStart = 0

    /// The number of numbers per row.
    var rowNumbers: Int { (width + numberBits - 1) / numberBits }

    /// The longest valid side, in pixels.
    private static let maxSide = 65_535

    /// - Throws: `truncated` if there is no brace, `corrupt` if a side is missing or invalid.
    init(_ content: Span<UInt8>, _ budget: inout HeaderBudget) throws(RenderingError) {
        var text = XBMText()
        while true {
            text.skipBlank(content)
            guard budget.step(), let byte = content.byte(text.offset) else { throw .truncated(byte: content.count) }
            if byte == UInt8(ascii: "{") { break }
            let word = text.readWord(content)
            if word.isEmpty {
                text.offset += 1
            } else if word.ends(with: "_width", in: content) {
                width = try Self.readSide(&text, content)
            } else if word.ends(with: "_height", in: content) {
                height = try Self.readSide(&text, content)
            } else if word.ends(with: "short", in: content) {
                numberBits = 16
            }
        }
        dataStart = text.offset + 1
        guard width > 0, height > 0 else { throw .corrupt(byte: 0, part: "size") }
    }

    private static func readSide(_ text: inout XBMText, _ content: Span<UInt8>) throws(RenderingError) -> Int {
        text.skipBlank(content)
        let start = text.offset
        guard let side = text.readNumber(content), 1...maxSide ~= side else {
            throw .corrupt(byte: start, part: "size")
        }
        return side
    }
}
