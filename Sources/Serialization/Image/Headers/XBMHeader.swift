// An X bitmap is C source: `#define NAME_width 16`, `#define NAME_height 16`, perhaps `_x_hot` and `_y_hot`, then
// `static char NAME_bits[] = { 0x00, … };`. Only the definitions are read, up to the brace; comments may stand between.

/// Reads the definitions of an X bitmap.
struct XBMHeader {
    static func read(_ content: Span<UInt8>) throws(ImageError) -> ImageFacts {
        var header = XBMHeader()
        header.readDefinitions(content)
        guard let width = header.width, let height = header.height else {
            guard header.position < content.count, content[header.position] == UInt8(ascii: "{") else {
                throw ImageError(.truncated, at: content.count)
            }
            throw ImageError(.corrupt(part: "#define"), at: header.position)
        }
        var facts = ImageFacts(.xbm)
        facts.width = width
        facts.height = height
        facts.frames = 1
        facts.color.model = .bilevel
        facts.color.channels = 1
        facts.color.bitsPerChannel = 1
        facts.color.alpha = false
        facts.coding.compression = "none"
        if !closes(content) {
            facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        }
        return facts
    }

    /// Whether this is `#define NAME_width` and a number, after comments or none.
    static func begins(_ content: Span<UInt8>) -> Bool {
        guard let first = content.byte(0), first == 0x23 || first == 0x2F || first <= 0x20 else { return false }
        var header = XBMHeader()
        header.skipBlanks(content)
        return header.readDefinition(content) && (header.width != nil || header.height != nil)
    }

    private var position = 0
    private var width: Int?
    private var height: Int?

    /// Where no definition has stood, there is none.
    private static let maxHeaderBytes = 64 << 10

    private mutating func readDefinitions(_ content: Span<UInt8>) {
        let end = min(content.count, Self.maxHeaderBytes)
        while position < end {
            skipBlanks(content)
            guard position < end, content[position] != UInt8(ascii: "{") else { return }
            if content[position] == UInt8(ascii: "#"), readDefinition(content) { continue }
            position += 1
        }
    }

    private mutating func readDefinition(_ content: Span<UInt8>) -> Bool {
        guard content.stands("#define", at: position) else { return false }
        position += 7
        skipBlanks(content)
        let start = position
        while position < content.count, content[position].isNameCharacter, position - start < 256 { position += 1 }
        let end = position
        skipBlanks(content)
        var value = 0
        let digits = position
        while let digit = content.byte(position).map({ $0 - 0x30 }), 0...9 ~= digit, position - digits < 9 {
            value = value * 10 + digit
            position += 1
        }
        guard position > digits, value > 0 else { return position > digits }
        if content.stands("width", at: end - 5), end - 5 >= start {
            width = width ?? value
        } else if content.stands("height", at: end - 6), end - 6 >= start {
            height = height ?? value
        }
        return true
    }

    /// Passes over white space and comments.
    private mutating func skipBlanks(_ content: Span<UInt8>) {
        while position < content.count {
            if content[position] == 0x20 || 0x09...0x0D ~= content[position] {
                position += 1
            } else if content.stands("/*", at: position) {
                position += 2
                while position < content.count, !content.stands("*/", at: position) { position += 1 }
                position = Swift.min(position + 2, content.count)
            } else {
                return
            }
        }
    }

    /// Whether the last thing in the content is the brace that closes the bits.
    private static func closes(_ content: Span<UInt8>) -> Bool {
        var index = content.count - 1
        while index >= 0, content[index] <= 0x20 || content[index] == UInt8(ascii: ";") { index -= 1 }
        return index >= 0 && content[index] == UInt8(ascii: "}")
    }
}

extension UInt8 {
    fileprivate var isNameCharacter: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
            || self == UInt8(ascii: "_")
    }
}
