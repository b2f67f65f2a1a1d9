internal import Serialization

/// The source samples and weights for each resulting sample in one direction, in fixed point, for two neighbouring
/// samples at a time.
///
/// Pair `p` consists of the samples `2 * p - phase` and `2 * p + 1 - phase`. The phase is the one with which fewer
/// pairs contain the samples of every result: a reduction to half the size has twelve taps, for example, of which the
/// first one is odd. With a phase of 1, six pairs contain them, and with a phase of 0, seven.
///
/// The first pair may begin before the first sample, and the last one may end after the last: the weights of samples
/// that do not exist are 0.
struct FixedPointAxis: ~Copyable {
    /// The number of source samples.
    let size: Int
    /// 0 or 1.
    let phase: Int
    /// The number of pairs for each resulting sample.
    let pairs: Int
    /// The number of resulting samples.
    let count: Int
    /// The first pair for each resulting sample, in ascending order.
    let first: PixelBuffer<Int32>
    /// The weights, `pairs` for each resulting sample: in each, the two of the pair, four times.
    ///
    /// The weights of a result add up to `1 << fractionBits`, and their magnitudes to less than twice that.
    let weights: PixelBuffer<Words>

    static let fractionBits = 14
    /// The maximum number of taps. Each weight differs from the exact one by less than 1, and so a result by less than
    /// 32 × 255 / 2^14, half a level, even if all differences have the worst signs.
    private static let maxTaps = 32

    /// Returns `nil` if the weights of the kernel are too small or too large for 16 bits.
    init?(_ kernel: ResamplingKernel) {
        let taps = kernel.taps
        guard taps <= Self.maxTaps else { return nil }
        let size = kernel.size
        let count = kernel.count
        var most = [1, 1]
        for index in 0..<count {
            let samples = kernel.samples(index)
            for phase in 0...1 {
                let pairs = (samples.upperBound - 1 + phase) / 2 + 1 - (samples.lowerBound + phase) / 2
                most[phase] = max(most[phase], pairs)
            }
        }
        let phase = most[1] < most[0] ? 1 : 0
        let pairs = most[phase]
        let first = PixelBuffer<Int32>(count: count, repeating: 0)
        let weights = PixelBuffer<Words>(count: count * pairs, repeating: .zero)
        let lastPair = (size - 1 + phase) / 2

        var exact = [Double](repeating: 0, count: taps)
        let rounded = PixelBuffer<Int16>(count: 2 * pairs, repeating: 0)
        for index in 0..<count {
            let samples = kernel.samples(index)
            kernel.calculate(samples, of: index, &exact)
            let firstPair = min((samples.lowerBound + phase) / 2, lastPair + 1 - pairs)
            let before = samples.lowerBound + phase - 2 * firstPair
            // There are two weights for each of the `pairs`, here and below.
            unsafe rounded.base.update(repeating: 0, count: 2 * pairs)
            var sum = 0.0
            var roundedSum = 0
            var magnitude = 0
            for tap in 0..<samples.count {
                // The sums are rounded, and not the weights: they add up to 1, and errors of neighbours cancel each
                // other out. A sum is above -2, so this rounds a positive number to the nearest integer.
                sum += exact[tap]
                let next = Int((sum + 2) * Double(1 << Self.fractionBits) + 0.5) - (2 << Self.fractionBits)
                let weight = next - roundedSum
                roundedSum = next
                magnitude += abs(weight)
                guard magnitude < 2 << Self.fractionBits else { return nil }
                // `firstPair` is not after the pair of the first sample, and `pairs` reach the pair of the last one: by
                // the definition of `pairs`, or because no sample is in a pair after `lastPair`. The magnitude is below
                // 2^15.
                unsafe rounded.base[before + tap] = Int16(truncatingIfNeeded: weight)
            }
            // `index` is below `count`, and there are `pairs` weights for each.
            unsafe first.base[index] = Int32(firstPair)
            let row = unsafe weights.base + index * pairs
            for pair in 0..<pairs {
                let (even, odd) = unsafe (rounded.base[2 * pair], rounded.base[2 * pair + 1])
                let four = SIMD4(even, odd, even, odd)
                unsafe row[pair] = Words(lowHalf: four, highHalf: four)
            }
        }
        self.size = size
        self.phase = phase
        self.pairs = pairs
        self.count = count
        self.first = first
        self.weights = weights
    }

    /// Returns the maximum memory of such an axis, in bytes.
    static func predictedBytes(taps: Int, count: Int) -> Int {
        // The most pairs if the first sample is the second of its pair.
        (8 + 4) * (maxTaps + 2) + (4 + 16 * (min(taps, maxTaps) / 2 + 1)) * count
    }
}
