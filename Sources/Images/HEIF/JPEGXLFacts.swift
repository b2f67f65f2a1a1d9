internal import Serialization

/// Reads the size of a JPEG XL (ISO/IEC 18181-1): a codestream begins with FF 0A and the size; in boxes it is `jxlc`,
/// or in parts `jxlp`. A bare codestream does not specify its end.
enum JPEGXLFacts {
    static func read(_ content: Span<UInt8>, _ budget: inout HeaderBudget) -> ImageFacts {
        var facts = ImageFacts(.jxl)
        facts.coding.compression = "jpegxl"
        var header: [UInt8] = []
        var isWhole = true
        if content.number16(0, .big) == 0xFF0A {
            header.append(content.extracting(first: maxHeaderBytes))
        } else {
            isWhole = readBoxes(content, &header, &budget)
            isWhole = Boxes.endsWithBox(content, &budget) && isWhole
        }
        var bits = LowBits(bitOffset: 16)
        if header.span.number16(0, .big) == 0xFF0A, let size = bits.readSize(header.span) {
            facts.width = size.width
            facts.height = size.height
        } else if header.count < maxHeaderBytes {
            isWhole = false
        }
        if !isWhole { facts.integrity = ImageIntegrity(.truncated, checked: .structure, byte: content.count) }
        return facts
    }

    /// The length of the signature and of the longest size, in bytes.
    private static let maxHeaderBytes = 11

    /// Reads the start of the codestream in the boxes.
    /// - Returns: Whether all parts of the codestream are present.
    private static func readBoxes(
        _ content: Span<UInt8>,
        _ header: inout [UInt8],
        _ budget: inout HeaderBudget
    ) -> Bool {
        var boxes = Boxes(in: 0..<content.count)
        while let box = boxes.next(content, &budget) {
            let isPart = box.type == "jxlp"
            guard isPart || box.type == "jxlc" else { continue }
            // A part begins with its number, whose highest bit marks the last one.
            let data = isPart ? box.data.dropFirst(4) : box.data
            header.append(content, data.prefix(maxHeaderBytes - header.count))
            if !isPart || box.data.count >= 4 && content[box.data.lowerBound] >= 0x80 { return true }
        }
        return false
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
