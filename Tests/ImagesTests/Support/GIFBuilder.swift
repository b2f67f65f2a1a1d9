/// Builds GIFs. Its encoder is the simple one: the longest string in the table, then one more code.
struct GIFBuilder {
    var width: Int
    var height: Int
    /// The colours with three bytes each; their number is a power of two.
    var colors: [[UInt8]]
    private var blocks: [UInt8] = []

    init(_ width: Int, _ height: Int, colors: [[UInt8]]) {
        self.width = width
        self.height = height
        self.colors = colors
    }

    /// The content with a trailer.
    var content: [UInt8] { head + blocks + [0x3B] }

    private var head: [UInt8] {
        let flags = colors.isEmpty ? 0 : 0x80 | UInt8(colors.count.trailingZeroBitCount - 1)
        return Array("GIF89a".utf8) + littleEndian(width, 2) + littleEndian(height, 2) + [flags, 0, 0]
            + colors.flatMap { $0 }
    }

    mutating func transparent(_ index: Int) {
        control(transparent: index)
    }

    /// Adds a graphic control extension.
    mutating func control(transparent index: Int? = nil, disposal: Int = 0) {
        blocks += [0x21, 0xF9, 4, UInt8(disposal << 2 | (index == nil ? 0 : 1)), 0, 0, UInt8(index ?? 0), 0]
    }

    mutating func raw(_ bytes: [UInt8]) {
        blocks += bytes
    }

    /// - Parameter indices: The indices in the order of the data, which in an interlaced frame is not the order of
    ///   rows.
    mutating func frame(
        _ left: Int,
        _ top: Int,
        _ width: Int,
        _ height: Int,
        _ indices: [UInt8],
        isInterlaced: Bool = false,
        colors: [[UInt8]] = [],
        codeSize: Int = 2,
        clearsWhenFull: Bool = true
    ) {
        blocks += [0x2C] + [left, top, width, height].flatMap { littleEndian($0, 2) }
        let table = colors.isEmpty ? 0 : 0x80 | UInt8(colors.count.trailingZeroBitCount - 1)
        blocks += [table | (isInterlaced ? 0x40 : 0)] + colors.flatMap { $0 }
        blocks += [UInt8(codeSize)]
        blocks += Self.subBlocks(Self.encode(indices, codeSize, clearsWhenFull: clearsWhenFull))
    }

    static func subBlocks(_ data: [UInt8]) -> [UInt8] {
        var blocks: [UInt8] = []
        for start in stride(from: 0, to: data.count, by: 255) {
            let block = data[start..<min(start + 255, data.count)]
            blocks += [UInt8(block.count)] + block
        }
        return blocks + [0]
    }

    /// Packs codes, each with its width in bits, the lowest bit first.
    static func pack(_ codes: [(code: Int, bits: Int)]) -> [UInt8] {
        var bytes: [UInt8] = []
        var position = 0
        for (code, bits) in codes {
            for bit in 0..<bits {
                if position % 8 == 0 { bytes.append(0) }
                if code >> bit & 1 == 1 { bytes[position / 8] |= 1 << UInt8(position % 8) }
                position += 1
            }
        }
        return bytes
    }

    private static func encode(_ indices: [UInt8], _ codeSize: Int, clearsWhenFull: Bool) -> [UInt8] {
        let clear = 1 << codeSize
        var codes: [(Int, Int)] = [(clear, codeSize + 1)]
        var table: [[UInt8]: Int] = [:]
        func reset() { table = Dictionary(uniqueKeysWithValues: (0..<min(clear, 256)).map { ([UInt8($0)], $0) }) }
        reset()
        var next = clear + 2
        var bits = codeSize + 1
        var string: [UInt8] = []
        for index in indices {
            if table[string + [index]] != nil {
                string.append(index)
                continue
            }
            codes.append((table[string] ?? 0, bits))
            if next < 4096 {
                table[string + [index]] = next
                // The decoder adds each code one step later.
                if next == 1 << bits, bits < 12 { bits += 1 }
                next += 1
            } else if clearsWhenFull {
                codes.append((clear, bits))
                reset()
                next = clear + 2
                bits = codeSize + 1
            }
            string = [index]
        }
        if !string.isEmpty { codes.append((table[string] ?? 0, bits)) }
        if next == 1 << bits, bits < 12 { bits += 1 }
        codes.append((clear + 1, bits))
        return pack(codes)
    }
}
