internal import Glibc
internal import Serialization

/// ThumbHash (github.com/evanw/thumbhash): luminance, two colour differences and alpha as sums of cosine waves, in
/// about 25 bytes, which also contain the proportions.
enum ThumbHash {
    /// The mean of a channel, and its waves as 0...1 of the largest, which is `scale`.
    private struct Channel {
        var mean = 0.0
        var waves: [Double] = []
        var scale = 0.0
    }

    static func encode(_ sample: RGBAImage) -> [UInt8] {
        let channels = channels(of: sample)
        let (width, height) = (sample.width, sample.height)
        let hasAlpha = channels.alpha.contains { $0 < 1 }
        // Fewer waves of luminance leave space for those of alpha.
        let most = Double(hasAlpha ? 5 : 7)
        let columns = max(1, rounded(most * Double(width) / Double(max(width, height))))
        let rows = max(1, rounded(most * Double(height) / Double(max(width, height))))
        let isLandscape = width > height

        let luminance = encode(channels.luminance, sample, max(3, columns), max(3, rows))
        let yellowBlue = encode(channels.yellowBlue, sample, 3, 3)
        let redGreen = encode(channels.redGreen, sample, 3, 3)
        let alpha = hasAlpha ? encode(channels.alpha, sample, 5, 5) : Channel()

        var head = rounded(63 * luminance.mean) | rounded(31.5 + 31.5 * yellowBlue.mean) << 6
        head |= rounded(31.5 + 31.5 * redGreen.mean) << 12 | rounded(31 * luminance.scale) << 18
        head |= (hasAlpha ? 1 : 0) << 23
        var scales = (isLandscape ? rows : columns) | rounded(63 * yellowBlue.scale) << 3
        scales |= rounded(63 * redGreen.scale) << 9 | (isLandscape ? 1 : 0) << 15

        var bytes = [head, head >> 8, head >> 16, scales, scales >> 8].map(UInt8.init(truncatingIfNeeded:))
        if hasAlpha { bytes.append(UInt8(rounded(15 * alpha.mean) | rounded(15 * alpha.scale) << 4)) }
        let nibbles = (luminance.waves + yellowBlue.waves + redGreen.waves + alpha.waves).map { rounded(15 * $0) }
        for index in stride(from: 0, to: nibbles.count, by: 2) {
            let high = index + 1 < nibbles.count ? nibbles[index + 1] : 0
            bytes.append(UInt8(nibbles[index] | high << 4))
        }
        return bytes
    }

    /// Returns the channels of the picture, blended with its mean colour.
    private static func channels(
        of sample: RGBAImage
    ) -> (luminance: [Double], yellowBlue: [Double], redGreen: [Double], alpha: [Double]) {
        // The order of operations is that of the author's code, so that halves are rounded in the same way.
        let pixels = (0..<sample.pixelCount).map { index in
            let pixel = sample[index]
            let alpha = Double(pixel.alpha) / 255
            let color = SIMD3(Double(pixel.red), Double(pixel.green), Double(pixel.blue))
            return (weighted: color * (alpha / 255), alpha: alpha)
        }
        var mean = SIMD3<Double>()
        var opacity = 0.0
        for pixel in pixels {
            mean += pixel.weighted
            opacity += pixel.alpha
        }
        if opacity > 0 { mean /= opacity }
        let seen = pixels.map { pixel in mean * (1 - pixel.alpha) + pixel.weighted }
        return (
            luminance: seen.map { ($0.x + $0.y + $0.z) / 3 },
            yellowBlue: seen.map { ($0.x + $0.y) / 2 - $0.z },
            redGreen: seen.map { $0.x - $0.y },
            alpha: pixels.map(\.alpha)
        )
    }

    /// Returns the waves of the lowest frequencies, in the triangle that `columns` and `rows` span.
    private static func encode(_ values: [Double], _ sample: RGBAImage, _ columns: Int, _ rows: Int) -> Channel {
        var channel = Channel()
        for row in 0..<rows {
            let vertical = wave(row, sample.height)
            var column = 0
            while column * rows < columns * (rows - row) {
                let horizontal = wave(column, sample.width)
                var sum = 0.0
                for y in 0..<sample.height {
                    for x in 0..<sample.width { sum += values[y * sample.width + x] * horizontal[x] * vertical[y] }
                }
                sum /= Double(sample.pixelCount)
                if row == 0, column == 0 {
                    channel.mean = sum
                } else {
                    channel.waves.append(sum)
                    channel.scale = max(channel.scale, abs(sum))
                }
                column += 1
            }
        }
        // The remaining values of a uniform channel are arithmetic noise; the format cannot represent such small
        // values.
        let isFlat = channel.scale <= 1e-6
        channel.waves = channel.waves.map { isFlat ? 0 : 0.5 + 0.5 / channel.scale * $0 }
        return channel
    }

    private static func wave(_ frequency: Int, _ count: Int) -> [Double] {
        (0..<count).map { cos(Double.pi / Double(count) * Double(frequency) * (Double($0) + 0.5)) }
    }

    private static func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
}
