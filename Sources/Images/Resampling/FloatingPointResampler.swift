internal import Serialization

/// A ``Resampler`` in floating point.
final class FloatingPointResampler {
    private let columns: ResamplingAxis
    private let rows: ResamplingAxis
    /// The samples of a row that are used.
    private let used: Range<Int>
    private let alpha: Resampler.Alpha

    private let row: PixelBuffer<Lanes>
    private let ring: PixelBuffer<Lanes>
    private let sum: PixelBuffer<Lanes>
    /// The picture, with four bytes per pixel.
    private var pixels: [UInt8]
    private var nextInput = 0
    private var nextOutput = 0

    init(_ columns: consuming ResamplingAxis, _ rows: consuming ResamplingAxis, _ alpha: Resampler.Alpha) {
        // Both are below `count`, which is at least 1.
        used = unsafe Int(columns.first.base[0])..<Int(columns.first.base[columns.count - 1]) + columns.taps
        self.alpha = alpha
        row = PixelBuffer(count: used.count, repeating: .zero)
        ring = PixelBuffer(count: rows.taps * columns.count, repeating: .zero)
        sum = PixelBuffer(count: columns.count, repeating: .zero)
        pixels = [UInt8](repeating: 0, count: 4 * columns.count * rows.count)
        self.columns = columns
        self.rows = rows
    }

    /// Returns the maximum memory of such a resampler without axes and the picture, in bytes.
    static func predictedBytes(width: Int, toWidth: Int, rowTaps: Int) -> Int { 16 * (width + (rowTaps + 1) * toWidth) }

    /// Consumes the next row, which has `width` pixels.
    func consume(_ pixels: UnsafePointer<Packed>) {
        if skipUnusedRow() { return }
        // `used` is a part of a row's pixels, and `row` has the same length.
        unsafe PixelKernels.widen(pixels + used.lowerBound, into: row.base, count: used.count)
        resample()
    }

    func consume(_ pixels: UnsafePointer<Wide>) {
        if skipUnusedRow() { return }
        // As above.
        unsafe PixelKernels.widen(pixels + used.lowerBound, into: row.base, count: used.count)
        resample()
    }

    /// Skips the next row if it is not used.
    /// - Returns: Whether it was skipped.
    private func skipUnusedRow() -> Bool {
        // `nextOutput` is below `rows.count`.
        if nextOutput < rows.count, unsafe nextInput >= Int(rows.first.base[nextOutput]) { return false }
        nextInput += 1
        return true
    }

    private func resample() {
        let width = columns.count
        // The ring has `rows.taps` rows of `width` pixels.
        let slot = unsafe ring.base + (nextInput % rows.taps) * width
        unsafe PixelKernels.resample(row.base, origin: used.lowerBound, along: columns, into: slot)
        nextInput += 1
        while nextOutput < rows.count {
            // `nextOutput` is below `rows.count`, and every output has `taps` weights.
            let first = unsafe Int(rows.first.base[nextOutput])
            guard first + rows.taps <= nextInput else { return }
            unsafe PixelKernels.combine(
                ring.base,
                start: first % rows.taps,
                weights: rows.weights.base + nextOutput * rows.taps,
                taps: rows.taps,
                count: width,
                into: sum.base
            )
            unsafe pixels.withUnsafeMutableBytes { bytes in
                // There are `rows.count` rows of `width` pixels, and at least one, so there is an address; arrays begin
                // at multiples of 16.
                let start = unsafe bytes.baseAddress.unsafelyUnwrapped + 4 * nextOutput * width
                unsafe start.withMemoryRebound(to: Packed.self, capacity: width) { result in
                    switch alpha {
                    case .none: unsafe PixelKernels.narrowOpaque(sum.base, into: result, count: width)
                    case .color: unsafe PixelKernels.narrow(sum.base, into: result, count: width)
                    case .premultiplied(let full):
                        unsafe PixelKernels.narrow(sum.base, full: full, into: result, count: width)
                    }
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
