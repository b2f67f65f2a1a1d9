internal import Serialization

/// Reads the facts in the header of a bitmap, with or without a file header.
enum BMPFacts {
    static func read(_ content: Span<UInt8>, _ budget: inout HeaderBudget) throws(RenderingError) -> ImageFacts {
        let header = try BMPHeader(content)
        var facts = ImageFacts(.bmp)
        facts.width = header.width
        facts.height = header.height
        facts.frames = 1
        facts.readDepth(header.bitsPerPixel)
        if header.bitsPerPixel == 32 || header.bitsPerPixel == 16 {
            facts.color.alpha = header.maskCount == 4 && header.mask(content, 3) != 0
        }
        facts.coding.compression = name(of: header.compression, isOS2: header.isOS2)
        // Pixels per metre, as signed numbers.
        let (x, y) = (header.field(content, 24), header.field(content, 28))
        if 1...Int(Int32.max) ~= x, 1...Int(Int32.max) ~= y {
            facts.density = ImageDensity(x: Double(x), y: Double(y), unit: .meter, source: .bmp)
        }
        if let (start, count) = header.profile(content) {
            // Both have 32 bits.
            facts.readProfile(content, start..<start + count, at: min(start, content.count), &budget)
        }
        checkLength(content, header, &facts)
        return facts
    }

    private static func name(of compression: Int, isOS2: Bool) -> String? {
        switch compression {
        case 3 where isOS2: "huffman1d"
        case 4 where isOS2: "rle24"
        case 0: "none"
        case 1: "rle8"
        case 2: "rle4"
        case 3, 6: "bitfields"
        case 4: "jpeg"
        case 5: "png"
        default: nil
        }
    }

    /// Checks the length of uncompressed rows, which is known.
    private static func checkLength(_ content: Span<UInt8>, _ header: BMPHeader, _ facts: inout ImageFacts) {
        guard header.compression == 0 || header.maskCount > 0 else { return }
        if content.count - header.pixelStart(content) < header.neededBytes ?? .max {
            facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count)
        }
    }
}

extension ImageFacts {
    /// Sets the colour facts for the number of bits per pixel.
    mutating func readDepth(_ depth: Int) {
        switch depth {
        case 1, 2, 4, 8: (color.model, color.channels, color.bitsPerChannel) = (.palette, 1, depth)
        case 16: (color.model, color.channels, color.bitsPerChannel) = (.rgb, 3, 5)
        case 24: (color.model, color.channels, color.bitsPerChannel) = (.rgb, 3, 8)
        case 32: (color.model, color.channels, color.bitsPerChannel) = (.rgb, 4, 8)
        default: break
        }
        color.alpha = false
    }
}
