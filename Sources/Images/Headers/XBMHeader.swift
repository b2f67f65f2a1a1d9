internal import Serialization

// An X bitmap is C source: `#define NAME_width 16`, `#define NAME_height 16`, optionally `_x_hot` and `_y_hot`, then
// `static char NAME_bits[] = { 0x00, … };`. ``XBMLayout`` reads the definitions for both the facts and the pixels.
/// Reads the definitions of an X bitmap.
enum XBMHeader {
    static func read(_ content: Span<UInt8>) throws(ImageError) -> ImageFacts {
        let head: XBMLayout
        do {
            head = try XBMLayout(content)
        } catch {
            throw ImageError(of: error)
        }
        var facts = ImageFacts(.xbm)
        facts.width = head.width
        facts.height = head.height
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
