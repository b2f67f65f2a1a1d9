internal import Serialization

/// Reads the header of a Photoshop document (Adobe Photoshop File Formats Specification, "File Header Section").
enum PSDFacts {
    static func read(_ content: Span<UInt8>) throws(ImageError) -> ImageFacts {
        guard let channels = content.number16(12, .big), let height = content.number32(14, .big),
            let width = content.number32(18, .big), let depth = content.number16(22, .big),
            let mode = content.number16(24, .big)
        else { throw ImageError(.truncated, at: content.count) }
        guard width > 0, height > 0 else { throw ImageError(.corrupt(part: "header"), at: 14) }
        var facts = ImageFacts(.psd)
        facts.width = width
        facts.height = height
        facts.color.channels = channels
        facts.color.bitsPerChannel = depth
        facts.color.model =
            switch mode {
            case 0: .bilevel
            case 1, 8: .gray
            case 2: .palette
            case 3: .rgb
            case 4: .cmyk
            case 7: .multichannel
            case 9: .lab
            default: nil
            }
        return facts
    }
}
