internal import Serialization

/// The source samples and weights for each resulting sample in one direction, in floating point.
struct ResamplingAxis: ~Copyable {
    /// The number of source samples for each resulting sample.
    let taps: Int
    /// The number of resulting samples.
    let count: Int
    /// The first source sample for each resulting sample, in ascending order.
    let first: PixelBuffer<Int32>
    /// The weights, `taps` for each resulting sample.
    let weights: PixelBuffer<Float>

    init(_ kernel: ResamplingKernel) {
        taps = kernel.taps
        count = kernel.count
        first = PixelBuffer(count: count, repeating: 0)
        weights = PixelBuffer(count: count * taps, repeating: 0)
        var exact = [Double](repeating: 0, count: taps)
        for index in 0..<count {
            let samples = kernel.samples(index)
            kernel.calculate(samples, of: index, &exact)
            // All taps must be existing samples.
            let begin = min(samples.lowerBound, kernel.size - taps)
            // `index` is below `count`, and `weights` has `taps` for each. There are at most as many samples, and they
            // end at `begin + taps` at the latest: all of them exist.
            unsafe first.base[index] = Int32(begin)
            let row = unsafe weights.base + (index * taps + samples.lowerBound - begin)
            for tap in 0..<samples.count { unsafe row[tap] = Float(exact[tap]) }
        }
    }

    /// Returns the maximum memory of such an axis, in bytes.
    static func predictedBytes(taps: Int, count: Int) -> Int { 8 * taps + 4 * (taps + 1) * count }
}
