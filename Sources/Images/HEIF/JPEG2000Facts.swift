internal import Serialization

/// Reads the size of a JPEG 2000: ITU-T T.800 Annex I (`jp2h`, `ihdr`), or Annex A for a codestream (SIZ), which does
/// not specify its end.
enum JPEG2000Facts {
    static func read(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> ImageFacts {
        var facts = ImageFacts(.jp2)
        facts.frames = 1
        facts.coding.compression = "jpeg2000"
        let isBare = content.number32(0, .big) == 0xFF4F_FF51
        if isBare {
            readCodestream(content, &facts)
        } else if let header = Boxes.find("jp2h", content, in: 0..<content.count, &budget) {
            readHeader(content, in: header, &facts, &budget)
        }
        if isBare ? content.count < headerBytes : isCutOff(content, &budget) {
            facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        }
        return facts
    }

    /// The length of a codestream up to the first depth, in bytes.
    private static let headerBytes = 43

    /// Returns whether a box extends beyond the end of the content, or the box with the data is missing: a codestream,
    /// the fragments of one, or the data of a video.
    private static func isCutOff(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> Bool {
        guard Boxes.endsWithBox(content, &budget) else { return true }
        var boxes = Boxes(in: 0..<content.count)
        while let box = boxes.next(content, &budget) {
            if box.type == "jp2c" || box.type == "ftbl" || box.type == "mdat" { return false }
        }
        return true
    }

    private static func readCodestream(_ content: Span<UInt8>, _ facts: inout ImageFacts) {
        guard let right = content.number32(8, .big), let bottom = content.number32(12, .big),
            let left = content.number32(16, .big), let top = content.number32(20, .big), right > left, bottom > top
        else { return }
        facts.width = right - left
        facts.height = bottom - top
        facts.color.channels = content.number16(40, .big)
        facts.color.bitsPerChannel = content.byte(42).map { ($0 & 0x7F) + 1 }
    }

    private static func readHeader(
        _ content: Span<UInt8>,
        in header: Range<Int>,
        _ facts: inout ImageFacts,
        _ budget: inout HeaderBudget
    ) {
        guard let image = Boxes.find("ihdr", content, in: header, &budget), image.count >= 14 else { return }
        facts.height = content.number32(image.lowerBound, .big)
        facts.width = content.number32(image.lowerBound + 4, .big)
        facts.color.channels = content.number16(image.lowerBound + 8, .big)
        // 255: the channels differ.
        if let depth = content.byte(image.lowerBound + 10), depth != 255 {
            facts.color.bitsPerChannel = (depth & 0x7F) + 1
        }
    }
}
