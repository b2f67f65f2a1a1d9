internal import Glibc

/// A hash of 64 bits that is alike for pictures that look alike: compare two by how many bits differ.
///
/// The picture on white, in grey (ITU-R BT.601: 0.299, 0.587, 0.114), is averaged to 32 × 32; a discrete cosine transform
/// follows; each of its 8 × 8 lowest frequencies, the mean among them, is a one where it is greater than the median of
/// the 64. Row by row, the lowest frequency in the highest bit. These are the rules that are widely known as pHash, so
/// that hashes by other programs differ only where their resizing does.
///
/// All in integers: a flat picture has frequencies that are zero and not noise, and the same pixels give the same hash
/// everywhere.
enum PerceptualHash {
    private static let side = 32
    private static let kept = 8

    static func of(_ sample: PictureSample) -> UInt64 {
        let frequencies = frequencies(of: grey(sample))
        let sorted = frequencies.sorted()
        // Twice the median: of an even count it is between two.
        let twiceMedian = sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]
        return frequencies.reduce(0) { hash, frequency in hash << 1 | (frequency * 2 > twiceMedian ? 1 : 0) }
    }

    /// 32 × 32 grey values of 0...255 × 256: the mean of what each covers, parts of pixels by their share.
    private static func grey(_ sample: PictureSample) -> [Int] {
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

    /// For each of 32 equal parts of `count` pixels: which pixels it covers, and with how many 32nds of them.
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

    /// Cosines × 4096: rounded, so that no library's last digit matters.
    private static let waves: [Int] = (0..<kept).flatMap { frequency in
        (0..<side).map { x in
            Int((cos(Double.pi / Double(side) * Double(frequency) * (Double(x) + 0.5)) * 4096).rounded())
        }
    }
}
