internal import Glibc

/// Which samples become which along one direction, and how much each counts: Lanczos' kernel of three lobes, as wide
/// as what is shrunk asks for.
///
/// Sample `i` covers the stretch from `i` to `i + 1`. Weights are cut at the image's border and always add up to 1.
struct ResamplingAxis: ~Copyable {
    /// How many samples count for each.
    let taps: Int
    /// How many samples there will be.
    let count: Int
    /// The first sample that counts, of each; never falls.
    let first: PixelBuffer<Int32>
    /// `taps` weights each.
    let weights: PixelBuffer<Float>

    private static let lobes = 3.0

    /// - Parameters:
    ///   - size: how many samples there are.
    ///   - start: where the stretch begins that becomes the new samples.
    ///   - length: of that stretch, in samples.
    init(size: Int, start: Double, length: Double, count: Int) {
        let scale = length / Double(count)
        let stretch = max(scale, 1)
        let support = Self.lobes * stretch
        // So many whole numbers at most lie in a stretch of this length.
        let taps = min(size, Int((2 * support).rounded(.up)))
        self.taps = taps
        self.count = count
        first = PixelBuffer(count: count, repeating: 0)
        weights = PixelBuffer(count: count * taps, repeating: 0)

        for index in 0..<count {
            let center = start + (Double(index) + 0.5) * scale
            // So that all taps are samples that exist.
            let begin = max(0, min(Int((center - support - 0.5).rounded(.up)), size - taps))
            // `index` is below `count`, and weights has `taps` for each.
            let row = unsafe weights.base + index * taps
            unsafe first.base[index] = Int32(begin)
            var sum = 0.0
            for tap in 0..<taps {
                let weight = Self.lanczos((Double(begin + tap) + 0.5 - center) / stretch)
                unsafe row[tap] = Float(weight)
                sum += weight
            }
            for tap in 0..<taps {
                unsafe row[tap] = Float(Double(row[tap]) / sum)
            }
        }
    }

    /// At most so many samples count for each of `count` new ones; and a few bytes more for itself.
    static func predictedTaps(size: Int, count: Int) -> Int {
        min(size, Int(2 * lobes * max(1, Double(size) / Double(count))) + 1)
    }

    private static func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= lobes { return 0 }
        let angle = Double.pi * x
        return lobes * sin(angle) * sin(angle / lobes) / (angle * angle)
    }
}
