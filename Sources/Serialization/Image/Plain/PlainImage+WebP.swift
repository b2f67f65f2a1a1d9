extension PlainImage {
    /// The image as lossless WebP (RFC 9649).
    var webp: [UInt8] {
        var bits = LittleEndianBits()
        // §3.4: the signature, the size less one, whether alpha is used, and the version.
        bits.append(0x2F, count: 8)
        bits.append(width - 1, count: 14)
        bits.append(height - 1, count: 14)
        bits.append(color.alpha < 255 ? 1 : 0, count: 1)
        bits.append(0, count: 3)
        // No transform, no colour cache, and one group of prefix codes.
        bits.append(0, count: 3)
        // §3.7.2.1: a simple code (1) with one symbol (0) of eight bits (1). A code with a single symbol has no bits,
        // so that no pixels follow.
        for channel in [color.green, color.red, color.blue, color.alpha] {
            bits.append(0b101, count: 3)
            bits.append(Int(channel), count: 8)
        }
        // The code of distances, with the symbol 0 of one bit.
        bits.append(0b0001, count: 4)
        let data = bits.bytes
        // §2.3: a chunk has an even number of bytes; its length does not include the padding.
        let padded = data.count % 2 == 0 ? data : data + [0]
        return Array("RIFF".utf8) + Self.number(4 + 8 + padded.count) + Array("WEBPVP8L".utf8) + Self.number(data.count)
            + padded
    }

    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
}
