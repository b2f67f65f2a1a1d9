extension PlainImage {
    /// The image as PNG (ISO/IEC 15948): one bit per pixel, which is the index 0 of a palette with one entry.
    var png: [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // The depth is 1 and the colour type 3, an index; then compression, filter and interlacing, of which there is
        // none.
        Self.append("IHDR", Self.number(width) + Self.number(height) + [1, 3, 0, 0, 0], to: &file)
        Self.append("PLTE", [color.red, color.green, color.blue], to: &file)
        if color.alpha < 255 { Self.append("tRNS", [color.alpha], to: &file) }
        // Each row begins with the byte of its filter, 0.
        Self.append("IDAT", Self.compressedZeros(height * (1 + (width + 7) / 8)), to: &file)
        Self.append("IEND", [], to: &file)
        return file
    }

    private static func append(_ type: StaticString, _ data: [UInt8], to file: inout [UInt8]) {
        let chunk = Array("\(type)".utf8) + data
        file += number(data.count) + chunk + number(Int(ZlibStream.crc32(chunk.span)))
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// Returns zeros in the format of zlib (RFC 1950), as one block with fixed codes (RFC 1951 §3.2.6).
    /// - Parameter count: The number of zeros, at least 1.
    private static func compressedZeros(_ count: Int) -> [UInt8] {
        var bits = LittleEndianBits()
        // The last block, with fixed codes.
        bits.append(0b011, count: 3)
        // The literal 0. Codes are written from their most significant bit: 0011 0000.
        bits.append(0b0000_1100, count: 8)
        let repeated = count - 1
        // The length 258 is the symbol 285, 1100 0101, and the distance 1 is the symbol 0, 0 0000.
        for _ in 0..<(repeated / 258) { bits.append(0b1010_0011, count: 13) }
        // The length 3 is the symbol 257, 000 0001.
        for _ in 0..<(repeated % 258 / 3) { bits.append(0b100_0000, count: 12) }
        for _ in 0..<(repeated % 258 % 3) { bits.append(0b0000_1100, count: 8) }
        // The end of the block is the symbol 256, 000 0000.
        bits.append(0, count: 7)
        // Adler-32: the first sum remains 1, and the second one counts the bytes.
        return [0x78, 0x01] + bits.bytes + number(((count % 65_521) << 16) | 1)
    }
}

/// Bits that are packed into bytes from the least significant one.
struct LittleEndianBits {
    private var pending: UInt64 = 0
    private var pendingCount = 0
    private var written: [UInt8] = []

    /// - Parameter count: The number of bits, at most 32.
    mutating func append(_ bits: Int, count: Int) {
        pending |= UInt64(truncatingIfNeeded: bits) << UInt64(pendingCount)
        pendingCount += count
        while pendingCount >= 8 {
            written.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingCount -= 8
        }
    }

    /// The bytes. The last one is padded with zeros.
    var bytes: [UInt8] { pendingCount == 0 ? written : written + [UInt8(truncatingIfNeeded: pending)] }
}
