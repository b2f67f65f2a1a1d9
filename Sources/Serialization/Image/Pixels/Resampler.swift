/// Creates one small picture from consecutive rows, with only as many of them in memory as its kernel covers.
///
/// Each row is resampled horizontally and stored in a ring. When the ring contains all rows for a row of the picture,
/// these are added up.
final class Resampler {
    private let columns: ResamplingAxis
    private let rows: ResamplingAxis
    /// The samples of a row that are used.
    private let used: Range<Int>
    private let alpha: Alpha

    private let row: PixelBuffer<Lanes>
    private let ring: PixelBuffer<Lanes>
    private let sum: PixelBuffer<Lanes>
    /// The picture, with four bytes per pixel.
    private var pixels: [UInt8]
    private var nextInput = 0
    private var nextOutput = 0

    /// The meaning of the fourth lane.
    enum Alpha: Equatable {
        /// None: the picture is opaque.
        case none
        /// A colour like the others.
        case color
        /// The factor of the colours; `full` is opaque.
        case premultiplied(full: Float)
    }

    /// - Parameters:
    ///   - width: The width of the rows; `height` is their number.
    ///   - part: The part of the picture that is used, in pixels of the rows.
    init(
        width: Int,
        height: Int,
        part: (left: Double, top: Double, width: Double, height: Double),
        toWidth: Int,
        toHeight: Int,
        alpha: Alpha
    ) {
        columns = ResamplingAxis(size: width, start: part.left, length: part.width, count: toWidth)
        rows = ResamplingAxis(size: height, start: part.top, length: part.height, count: toHeight)
        // Both are below `count`, which is at least 1.
        used = unsafe Int(columns.first.base[0])..<Int(columns.first.base[toWidth - 1]) + columns.taps
        self.alpha = alpha
        row = PixelBuffer(count: used.count, repeating: .zero)
        ring = PixelBuffer(count: rows.taps * toWidth, repeating: .zero)
        sum = PixelBuffer(count: toWidth, repeating: .zero)
        pixels = [UInt8](repeating: 0, count: 4 * toWidth * toHeight)
    }

    /// Returns the memory of such a resampler, in bytes.
    static func predictedBytes(width: Int, height: Int, toWidth: Int, toHeight: Int) -> Int {
        let across = ResamplingAxis.predictedTaps(size: width, count: toWidth)
        let along = ResamplingAxis.predictedTaps(size: height, count: toHeight)
        return 4 * (across * toWidth + along * toHeight) + 16 * (width + (along + 1) * toWidth) + 4 * toWidth * toHeight
    }

    /// Consumes the next row, which has `width` pixels.
    func consume(_ pixels: UnsafePointer<Packed>) {
        guard needsRow() else { return }
        // `used` is a part of a row's pixels, and `row` has the same length.
        unsafe PixelKernels.widen(pixels + used.lowerBound, into: row.base, count: used.count)
        resample()
    }

    func consume(_ pixels: UnsafePointer<Wide>) {
        guard needsRow() else { return }
        // As above.
        unsafe PixelKernels.widen(pixels + used.lowerBound, into: row.base, count: used.count)
        resample()
    }

    /// Returns whether the next row is used; otherwise it is skipped.
    private func needsRow() -> Bool {
        // `nextOutput` is below `rows.count`.
        if nextOutput < rows.count, unsafe nextInput >= Int(rows.first.base[nextOutput]) { return true }
        nextInput += 1
        return false
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
