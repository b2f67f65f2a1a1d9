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
            facts.color.alpha = header.compression == 6 || header.compression == 3 && header.field(content, 52) != 0
        }
        facts.coding.compression = name(of: header.compression, isOS2: header.isOS2)
        // Pixels per metre, as signed numbers.
        let (x, y) = (header.field(content, 24), header.field(content, 28))
        if 1...Int(Int32.max) ~= x, 1...Int(Int32.max) ~= y {
            facts.density = ImageDensity(x: Double(x), y: Double(y), unit: .meter, source: .bmp)
        }
        if let (start, count) = header.profile(content) {
            if case .profile(let profile)? = content.slice(
                at: start,
                count: count,
                { ICCProfile.read($0, bytes: count) }
            ) {
                facts.color.profile = profile
            } else {
                facts.note(ImageFlaw(byte: min(start, content.count), part: "ICC profile"), &budget)
            }
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
        guard header.compression == 0 || header.compression == 3 && !header.isOS2,
            let pixels = header.pixelOffset(content)
        else { return }
        // At most 2³¹ × 2¹⁶ bits per row, and 2³¹ rows.
        let (bytes, overflow) = header.rowBytes.multipliedReportingOverflow(by: header.height)
        // The padding of the last row may be missing.
        let padding = (4 - header.usedRowBytes % 4) % 4
        if overflow || content.count - pixels < bytes - padding {
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
