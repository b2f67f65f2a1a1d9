internal import Glibc

/// The source samples and weights for each resulting sample in one direction: the Lanczos kernel with three lobes,
/// widened for reduction.
///
/// Sample `i` covers the interval from `i` to `i + 1`. Weights are truncated at the image's border and always add up to
/// 1.
struct ResamplingAxis: ~Copyable {
    /// The number of source samples for each resulting sample.
    let taps: Int
    /// The number of resulting samples.
    let count: Int
    /// The first source sample for each resulting sample, in ascending order.
    let first: PixelBuffer<Int32>
    /// The weights, `taps` for each resulting sample.
    let weights: PixelBuffer<Float>

    private static let lobes = 3.0

    /// - Parameters:
    ///   - size: The number of source samples.
    ///   - start: The start of the interval that is resampled.
    ///   - length: The length of that interval, in samples.
    init(size: Int, start: Double, length: Double, count: Int) {
        let scale = length / Double(count)
        let stretch = max(scale, 1)
        let support = Self.lobes * stretch
        // The maximum number of integers in an interval of this length.
        let taps = min(size, Int((2 * support).rounded(.up)))
        self.taps = taps
        self.count = count
        first = PixelBuffer(count: count, repeating: 0)
        weights = PixelBuffer(count: count * taps, repeating: 0)

        for index in 0..<count {
            let center = start + (Double(index) + 0.5) * scale
            // All taps must be existing samples.
            let begin = max(0, min(Int((center - support - 0.5).rounded(.up)), size - taps))
            // `index` is below `count`, and `weights` has `taps` for each.
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

    /// Returns the maximum number of source samples for each of `count` resulting samples.
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
