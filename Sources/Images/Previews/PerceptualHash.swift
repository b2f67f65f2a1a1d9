internal import Glibc
internal import Serialization

/// A hash of 64 bits that is similar for pictures that look similar. The distance of two hashes is the number of
/// different bits.
///
/// The picture is blended with white, converted to grey (ITU-R BT.601: 0.299, 0.587, 0.114) and averaged to 32 × 32,
/// followed by a discrete cosine transform. Each of the 8 × 8 lowest frequencies, including the mean, becomes a one if
/// it is greater than the median of the 64. The bits are stored row by row, with the lowest frequency in the highest
/// bit. These are the widely known rules of pHash, so hashes of other programs differ only if their resizing does.
///
/// All arithmetic is in integers: a uniform picture has frequencies of zero instead of noise, and the same pixels have
/// the same hash on every machine.
enum PerceptualHash {
    private static let side = 32
    private static let kept = 8

    static func of(_ sample: RGBAImage) -> UInt64 {
        let frequencies = frequencies(of: grey(sample))
        let sorted = frequencies.sorted()
        // Twice the median, which is between two values because their number is even.
        let twiceMedian = sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]
        return frequencies.reduce(0) { hash, frequency in hash << 1 | (frequency * 2 > twiceMedian ? 1 : 0) }
    }

    /// Returns 32 × 32 grey values in 0...255 × 256: the mean of the pixels that each covers, with parts of pixels by
    /// their share.
    private static func grey(_ sample: RGBAImage) -> [Int] {
        let pixels = sample.onWhite().map { 299 * $0.x + 587 * $0.y + 114 * $0.z }
        let columns = shares(sample.width)
        let rows = shares(sample.height)
        var grey: [Int] = []
        for row in rows {
            for column in columns {
                var sum = 0
                for (y, height) in row {
                    for (x, width) in column { sum += pixels[y * sample.width + x] * width * height }
                }
                grey.append(sum * 256 / (1000 * sample.pixelCount))
            }
        }
        return grey
    }

    /// Returns the pixels that each of 32 equal parts of `count` pixels covers, with their share in 32nds.
    private static func shares(_ count: Int) -> [[(pixel: Int, share: Int)]] {
        (0..<side).map { part in
            let (start, end) = (part * count, (part + 1) * count)
            return (start / side...(end - 1) / side).map { pixel in
                (pixel, min(end, (pixel + 1) * side) - max(start, pixel * side))
            }
        }
    }

    private static func frequencies(of grey: [Int]) -> [Int] {
        var rows = [Int](repeating: 0, count: side * kept)
        for y in 0..<side {
            for frequency in 0..<kept {
                var sum = 0
                for x in 0..<side { sum += grey[y * side + x] * waves[frequency * side + x] }
                rows[y * kept + frequency] = sum
            }
        }
        var frequencies: [Int] = []
        for vertical in 0..<kept {
            for horizontal in 0..<kept {
                var sum = 0
                for y in 0..<side { sum += rows[y * kept + horizontal] * waves[vertical * side + y] }
                frequencies.append(sum)
            }
        }
        return frequencies
    }

    /// Cosines × 4096, rounded so that the last digit of a library does not matter.
    private static let waves: [Int] = (0..<kept).flatMap { frequency in
        (0..<side).map { x in
            Int((cos(Double.pi / Double(side) * Double(frequency) * (Double(x) + 0.5)) * 4096).rounded())
        }
    }
}
