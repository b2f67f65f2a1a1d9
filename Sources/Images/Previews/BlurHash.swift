internal import Glibc
internal import Serialization

/// BlurHash (github.com/woltapp/blurhash, Algorithm.md): the picture as the sum of 4 × 3 cosine waves, in 28
/// characters. Transparent pixels are blended with white.
enum BlurHash {
    static let columns = 4
    static let rows = 3

    static func encode(_ sample: RGBAImage) -> String {
        let factors = factors(of: sample)
        var text: [UInt8] = []
        appendBase83((columns - 1) + (rows - 1) * 9, digits: 1, to: &text)

        let waves = factors.dropFirst()
        let peak = waves.map { max(abs($0.x), abs($0.y), abs($0.z)) }.max() ?? 0
        let quantizedPeak = Int(max(0, min(82, (peak * 166 - 0.5).rounded(.down))))
        appendBase83(quantizedPeak, digits: 1, to: &text)

        let mean = SIMD3(fromLinear(factors[0].x), fromLinear(factors[0].y), fromLinear(factors[0].z))
        appendBase83(mean.x << 16 | mean.y << 8 | mean.z, digits: 4, to: &text)

        let largest = Double(quantizedPeak + 1) / 166
        for wave in waves {
            let levels = SIMD3(level(wave.x / largest), level(wave.y / largest), level(wave.z / largest))
            appendBase83(levels.x * 19 * 19 + levels.y * 19 + levels.z, digits: 2, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the weight of each wave in linear red, green and blue, row by row, the mean first.
    private static func factors(of sample: RGBAImage) -> [SIMD4<Double>] {
        let pixels = sample.onWhite().map { SIMD4(toLinear[$0.x], toLinear[$0.y], toLinear[$0.z], 0) }
        var factors: [SIMD4<Double>] = []
        for row in 0..<rows {
            let vertical = wave(row, sample.height)
            for column in 0..<columns {
                let horizontal = wave(column, sample.width)
                var sum = SIMD4<Double>()
                for y in 0..<sample.height {
                    for x in 0..<sample.width { sum += pixels[y * sample.width + x] * (horizontal[x] * vertical[y]) }
                }
                let scale = (row == 0 && column == 0 ? 1.0 : 2.0) / Double(sample.pixelCount)
                factors.append(sum * scale)
            }
        }
        return factors
    }

    /// Returns the samples of a wave at the left edges of the pixels instead of their centres, like the published
    /// encoders.
    private static func wave(_ frequency: Int, _ count: Int) -> [Double] {
        (0..<count).map { cos(Double.pi * Double(frequency) * Double($0) / Double(count)) }
    }

    /// Returns one of 19 levels for -1...1, finer near zero.
    private static func level(_ value: Double) -> Int {
        let root = value < 0 ? -(-value).squareRoot() : value.squareRoot()
        return Int(max(0, min(18, (root * 9 + 9.5).rounded(.down))))
    }

    private static let toLinear: [Double] = (0...255).map { byte in
        let value = Double(byte) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func fromLinear(_ value: Double) -> Int {
        let value = max(0, min(1, value))
        if value <= 0.0031308 { return Int(value * 12.92 * 255 + 0.5) }
        return Int((1.055 * pow(value, 1 / 2.4) - 0.055) * 255 + 0.5)
    }

    private static func appendBase83(_ value: Int, digits: Int, to text: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 83 }
        for _ in 0..<digits {
            text.append(alphabet[value / divisor % 83])
            divisor /= 83
        }
    }

    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8
    )
}
