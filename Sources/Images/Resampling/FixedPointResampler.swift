internal import Serialization

/// A ``Resampler`` in fixed point.
///
/// Two rows at a time are resampled horizontally. Their samples alternate in the ring, so that one instruction
/// multiplies both by their weights and adds the products.
final class FixedPointResampler {
    private let columns: FixedPointAxis
    private let rows: FixedPointAxis
    /// The pairs of a row that are used.
    private let used: Range<Int>
    private let isOpaque: Bool

    /// The used pairs of two rows, the ring of pairs of rows that are resampled horizontally, and the weights of its
    /// rows in a row of the picture.
    let upper: PixelBuffer<Words>
    let lower: PixelBuffer<Words>
    let ring: PixelBuffer<Words>
    let ringWeights: PixelBuffer<Words>
    /// The picture, with four bytes per pixel.
    private var pixels: [UInt8]
    private var nextInput = 0
    private var nextOutput = 0

    init(_ columns: consuming FixedPointAxis, _ rows: consuming FixedPointAxis, isOpaque: Bool) {
        // Both are below `count`, which is at least 1.
        used = unsafe Int(columns.first.base[0])..<Int(columns.first.base[columns.count - 1]) + columns.pairs
        upper = PixelBuffer(count: used.count, repeating: .zero)
        lower = PixelBuffer(count: used.count, repeating: .zero)
        ring = PixelBuffer(count: rows.pairs * columns.count, repeating: .zero)
        ringWeights = PixelBuffer(count: rows.pairs, repeating: .zero)
        pixels = [UInt8](repeating: 0, count: 4 * columns.count * rows.count)
        self.columns = columns
        self.rows = rows
        self.isOpaque = isOpaque
    }

    /// Returns the maximum memory of such a resampler without axes and the picture, in bytes.
    static func predictedBytes(width: Int, toWidth: Int, rowTaps: Int) -> Int {
        16 * (2 * (width / 2 + 1) + (rowTaps / 2 + 1) * (toWidth + 1))
    }

    /// Consumes the next row, which has `width` pixels.
    func consume(_ row: UnsafePointer<Packed>) {
        let (pair, half) = (nextInput + rows.phase).quotientAndRemainder(dividingBy: 2)
        nextInput += 1
        // `nextOutput` is below `rows.count`.
        guard nextOutput < rows.count, unsafe pair >= Int(rows.first.base[nextOutput]) else { return }
        let first = 2 * used.lowerBound - columns.phase
        let samples = max(first, 0)..<min(first + 2 * used.count, columns.size)
        // The samples are pixels of the row, and fit into `used.count` pairs: the first one is the second of its pair
        // if the pair begins before the row.
        unsafe FixedPointKernels.pair(
            row + samples.lowerBound,
            count: samples.count,
            into: half == 0 ? upper.base : lower.base,
            skipping: samples.lowerBound - first
        )
        // If a pair has no second row, `lower` contains the one of another pair, or zeros. Its weights are 0.
        if half == 1 || nextInput == rows.size { resample(pair) }
    }

    private func resample(_ pair: Int) {
        let width = columns.count
        // The ring has `rows.pairs` rows of `width` pixels.
        let slot = unsafe ring.base + (pair % rows.pairs) * width
        unsafe FixedPointKernels.resample(upper.base, lower.base, origin: used.lowerBound, along: columns, into: slot)
        while nextOutput < rows.count {
            // `nextOutput` is below `rows.count`, and every output has `rows.pairs` weights.
            let first = unsafe Int(rows.first.base[nextOutput])
            guard first + rows.pairs <= pair + 1 else { return }
            let weights = unsafe rows.weights.base + nextOutput * rows.pairs
            for index in 0..<rows.pairs {
                // The remainder is below `rows.pairs`: the slot of that pair.
                unsafe ringWeights.base[(first + index) % rows.pairs] = weights[index]
            }
            unsafe pixels.withUnsafeMutableBytes { bytes in
                // There are `rows.count` rows of `width` pixels, and at least one, so there is an address; arrays begin
                // at multiples of 16.
                let start = unsafe bytes.baseAddress.unsafelyUnwrapped + 4 * nextOutput * width
                unsafe start.withMemoryRebound(to: Packed.self, capacity: width) { result in
                    unsafe FixedPointKernels.combine(
                        ring.base,
                        weights: ringWeights.base,
                        pairs: rows.pairs,
                        count: width,
                        filling: isOpaque ? 0xFF00_0000 : 0,
                        into: result
                    )
                }
            }
            nextOutput += 1
        }
    }

    /// Returns the picture after all rows. May be called only once.
    func finish() -> RGBAImage {
        precondition(nextOutput == rows.count, "all rows were consumed")
        defer { pixels = [] }
        return RGBAImage(width: columns.count, height: rows.count, pixels: pixels)
    }
}
