internal import Serialization

/// Reads the facts in the definitions of an X bitmap.
enum XBMFacts {
    static func read(_ content: Span<UInt8>, _ budget: inout HeaderBudget) throws(RenderingError) -> ImageFacts {
        let header = try XBMHeader(content, &budget)
        var facts = ImageFacts(.xbm)
        facts.width = header.width
        facts.height = header.height
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

    /// Returns whether the content ends with the brace that closes the bits.
    private static func closes(_ content: Span<UInt8>) -> Bool {
        var index = content.count - 1
        while index >= 0, content[index] <= 0x20 || content[index] == UInt8(ascii: ";") { index -= 1 }
        return index >= 0 && content[index] == UInt8(ascii: "}")
    }
}
