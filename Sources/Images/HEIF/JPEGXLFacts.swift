internal import Serialization

/// Reads the size of a JPEG XL (ISO/IEC 18181-1): a codestream begins with FF 0A and the size; in boxes it is `jxlc`,
/// or in pieces `jxlp`.
enum JPEGXLFacts {
    static func read(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> ImageFacts {
        var facts = ImageFacts(.jxl)
        facts.coding.compression = "jpegxl"
        var start = 0
        if content.number16(0, .big) != 0xFF0A {
            if let stream = Boxes.find("jxlc", content, in: 0..<content.count, &budget) {
                start = stream.lowerBound
            } else if let part = Boxes.find("jxlp", content, in: 0..<content.count, &budget) {
                start = part.lowerBound + 4
            } else {
                return facts
            }
        }
        guard content.number16(start, .big) == 0xFF0A else { return facts }
        var bits = LowBits(bitOffset: (start + 2) * 8)
        guard let size = bits.readSize(content) else { return facts }
        facts.width = size.width
        facts.height = size.height
        return facts
    }
}

/// Reads bits, the lowest of each byte first.
private struct LowBits {
    var bitOffset: Int

    mutating func read(_ count: Int, _ content: Span<UInt8>) -> Int? {
        var value = 0
        for index in 0..<count {
            guard let byte = content.byte(bitOffset / 8) else { return nil }
            value |= (byte >> (bitOffset % 8) & 1) << index
            bitOffset += 1
        }
        return value
    }

    /// Reads a SizeHeader (ISO/IEC 18181-1 §A.2): small sizes are multiples of eight; the width may be given as a
    /// ratio.
    mutating func readSize(_ content: Span<UInt8>) -> (width: Int, height: Int)? {
        guard let isSmall = read(1, content), let height = readSide(isSmall == 1, content),
            let ratio = read(3, content)
        else { return nil }
        switch ratio {
        case 1: return (height, height)
        case 2: return (height * 12 / 10, height)
        case 3: return (height * 4 / 3, height)
        case 4: return (height * 3 / 2, height)
        case 5: return (height * 16 / 9, height)
        case 6: return (height * 5 / 4, height)
        case 7: return (height * 2, height)
        default:
            guard let width = readSide(isSmall == 1, content) else { return nil }
            return (width, height)
        }
    }

    private mutating func readSide(_ isSmall: Bool, _ content: Span<UInt8>) -> Int? {
        if isSmall { return read(5, content).map { ($0 + 1) * 8 } }
        guard let selector = read(2, content) else { return nil }
        return read([9, 13, 18, 30][selector], content).map { $0 + 1 }
    }
}
