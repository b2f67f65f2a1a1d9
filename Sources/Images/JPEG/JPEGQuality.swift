internal import Serialization

/// Estimates the quality of a JPEG from its quantization tables.
///
/// Almost all encoders scale the two example tables of ITU-T T.81 Annex K as libjpeg's `jpeg_set_quality` does. The
/// scale is computed from the sum of the table, and the closest of the neighbouring qualities is used. The result is
/// exact for files of these encoders; for others it is the quality at which libjpeg would quantize similarly.
struct JPEGQuality {
    /// The values of table 0, in zigzag order.
    private var luminance: InlineArray<64, UInt16>?

    /// Reads a DQT segment (B.2.4.1), which may contain several tables.
    mutating func read(_ content: Span<UInt8>, _ body: Range<Int>) {
        var offset = body.lowerBound
        while offset < body.upperBound {
            let isWide = content[offset] >> 4 != 0
            let number = content[offset] & 15
            offset += 1
            guard offset + (isWide ? 128 : 64) <= body.upperBound else { return }
            if number == 0, luminance == nil {
                var table = InlineArray<64, UInt16>(repeating: 0)
                for index in 0..<64 {
                    table[index] =
                        isWide
                        ? UInt16(content[offset + 2 * index]) << 8 | UInt16(content[offset + 2 * index + 1])
                        : UInt16(content[offset + index])
                }
                luminance = table
            }
            offset += isWide ? 128 : 64
        }
    }

    /// The quality, 1 to 100, or `nil` without a table.
    var estimate: Int? {
        guard let luminance else { return nil }
        var sum = 0
        for index in 0..<64 { sum += Int(luminance[index]) }
        let scale = Double(sum) * 100 / Double(Self.standardSum)
        let guess = scale <= 100 ? (200 - scale) / 2 : 5_000 / scale
        let center = Int(min(max(guess.rounded(), 1), 100))
        var best = center
        var bestDistance = Int.max
        // Values are limited to 255, so the sum of a table of low quality suggests too high a quality.
        let candidates = center < 30 ? 1...40 : max(center - 3, 1)...min(center + 3, 100)
        for quality in candidates {
            let distance = Self.distance(luminance, quality)
            if distance < bestDistance { (best, bestDistance) = (quality, distance) }
        }
        return best
    }

    /// Returns the distance of `table` from that of libjpeg at `quality`.
    private static func distance(_ table: InlineArray<64, UInt16>, _ quality: Int) -> Int {
        // jcparam.c, jpeg_quality_scaling and jpeg_add_quant_table.
        let scale = quality < 50 ? 5_000 / quality : 200 - quality * 2
        var distance = 0
        for index in 0..<64 {
            let scaled = min(max((Int(standard[index]) * scale + 50) / 100, 1), 255)
            distance += abs(scaled - Int(table[index]))
        }
        return distance
    }

    /// ITU-T T.81 table K.1, in zigzag order.
    private static let standard: InlineArray<64, UInt8> = [
        16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40,
        26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61, 60, 57, 51,
        56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87,
        95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
    ]

    private static let standardSum = 3_692
}
