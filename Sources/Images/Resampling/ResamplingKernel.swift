internal import Glibc
internal import Serialization

/// The Lanczos kernel with three lobes in one direction, widened for reduction: the weight of each source sample in
/// each resulting sample.
///
/// Sample `i` covers the interval from `i` to `i + 1`. Weights are truncated at the image's border and always add up to
/// 1.
struct ResamplingKernel {
    /// The number of source samples.
    let size: Int
    /// The maximum number of source samples for each resulting sample.
    let taps: Int
    /// The number of resulting samples.
    let count: Int

    private let start: Double
    /// The distance of two resulting samples, in source samples.
    private let scale: Double
    private let stretch: Double

    private static let lobes = 3.0

    /// - Parameters:
    ///   - size: The number of source samples.
    ///   - start: The start of the interval that is resampled.
    ///   - length: The length of that interval, in samples.
    init(size: Int, start: Double, length: Double, count: Int) {
        self.size = size
        self.count = count
        self.start = start
        scale = length / Double(count)
        stretch = max(scale, 1)
        // The maximum number of integers in an interval of this length.
        taps = min(size, Int((2 * Self.lobes * stretch).rounded(.up)))
    }

    /// Returns the maximum number of source samples for each of `count` resulting samples.
    static func predictedTaps(size: Int, count: Int) -> Int {
        min(size, Int(2 * lobes * max(1, Double(size) / Double(count))) + 1)
    }

    /// Returns the source samples with a weight: at least one and at most `taps`. They do not begin before those of the
    /// previous resulting sample.
    func samples(_ index: Int) -> Range<Int> {
        let center = center(index) - 0.5
        let support = Self.lobes * stretch
        let lower = max(0, min(Int((center - support).rounded(.up)), size - 1))
        let upper = min(Int((center + support).rounded(.up)), size, lower + taps)
        return lower..<max(upper, lower + 1)
    }

    /// Calculates the weights of the samples of a resulting sample.
    ///
    /// - Parameter weights: At least `taps` elements, whose beginning is overwritten.
    func calculate(_ samples: Range<Int>, of index: Int, _ weights: inout [Double]) {
        let distance = Double(samples.lowerBound) + 0.5 - center(index)
        let unit = 1 / stretch
        var sum = 0.0
        for tap in 0..<samples.count {
            let weight = Self.lanczos((distance + Double(tap)) * unit)
            weights[tap] = weight
            sum += weight
        }
        let factor = 1 / sum
        for tap in 0..<samples.count { weights[tap] *= factor }
    }

    private func center(_ index: Int) -> Double { start + (Double(index) + 0.5) * scale }

    private static func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if abs(x) >= lobes { return 0 }
        // 3 × sin(πx) × sin(πx / 3) / (πx)², with sin(3t) = sin(t) × (3 - 4 × sin²(t)).
        let third = x * (Double.pi / lobes)
        let sine = sin(third)
        let square = sine * sine
        return square * (3 - 4 * square) / (3 * third * third)
    }
}
