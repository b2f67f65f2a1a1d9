internal import Serialization

/// Reads the size of a JPEG 2000: ITU-T T.800 Annex I (`jp2h`, `ihdr`), or Annex A for a codestream (SIZ).
enum JPEG2000Facts {
    static func read(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> ImageFacts {
        var facts = ImageFacts(.jp2)
        facts.frames = 1
        facts.coding.compression = "jpeg2000"
        if content.number32(0, .big) == 0xFF4F_FF51 {
            guard let right = content.number32(8, .big), let bottom = content.number32(12, .big),
                let left = content.number32(16, .big), let top = content.number32(20, .big), right > left, bottom > top
            else { return facts }
            facts.width = right - left
            facts.height = bottom - top
            facts.color.channels = content.number16(40, .big)
            facts.color.bitsPerChannel = content.byte(42).map { ($0 & 0x7F) + 1 }
            return facts
        }
        guard let header = Boxes.find("jp2h", content, in: 0..<content.count, &budget),
            let image = Boxes.find("ihdr", content, in: header, &budget), image.count >= 14
        else { return facts }
        facts.height = content.number32(image.lowerBound, .big)
        facts.width = content.number32(image.lowerBound + 4, .big)
        facts.color.channels = content.number16(image.lowerBound + 8, .big)
        // 255: the channels differ.
        if let depth = content.byte(image.lowerBound + 10), depth != 255 {
            facts.color.bitsPerChannel = (depth & 0x7F) + 1
        }
        return facts
    }
}
