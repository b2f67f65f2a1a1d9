internal import Serialization

/// Creates one small picture from consecutive rows, with only as many of them in memory as its kernel covers.
///
/// Each row is resampled horizontally and stored in a ring. When the ring contains all rows for a row of the picture,
/// these are added up.
enum Resampler {
    /// For four bytes per pixel without alpha, unless one side is reduced much more than the other.
    case fixedPoint(FixedPointResampler)
    case floatingPoint(FloatingPointResampler)

    /// The meaning of the fourth lane.
    enum Alpha: Equatable {
        /// None: the picture is opaque.
        case none
        /// A colour like the others.
        case color
        /// The factor of the colours; `full` is opaque.
        case premultiplied(full: Float)
    }

    /// A rectangle in a picture, in pixels of its rows.
    struct Part {
        var left: Double
        var top: Double
        var width: Double
        var height: Double
    }

    /// - Parameters:
    ///   - width: The width of the rows; `height` is their number.
    ///   - part: The part of the picture that is used.
    init(
        width: Int,
        height: Int,
        part: Part,
        toWidth: Int,
        toHeight: Int,
        alpha: Alpha
    ) {
        let columns = ResamplingKernel(size: width, start: part.left, length: part.width, count: toWidth)
        let rows = ResamplingKernel(size: height, start: part.top, length: part.height, count: toHeight)
        switch alpha {
        case .none, .color:
            if let columns = FixedPointAxis(columns), let rows = FixedPointAxis(rows) {
                self = .fixedPoint(FixedPointResampler(columns, rows, isOpaque: alpha == .none))
                return
            }
        case .premultiplied: break
        }
        self = .floatingPoint(FloatingPointResampler(ResamplingAxis(columns), ResamplingAxis(rows), alpha))
    }

    /// Returns the maximum memory of such a resampler, in bytes.
    static func predictedBytes(width: Int, height: Int, toWidth: Int, toHeight: Int) -> Int {
        let across = ResamplingKernel.predictedTaps(size: width, count: toWidth)
        let along = ResamplingKernel.predictedTaps(size: height, count: toHeight)
        let fixedPoint =
            FixedPointAxis.predictedBytes(taps: across, count: toWidth)
            + FixedPointAxis.predictedBytes(taps: along, count: toHeight)
            + FixedPointResampler.predictedBytes(width: width, toWidth: toWidth, rowTaps: along)
        let floatingPoint =
            ResamplingAxis.predictedBytes(taps: across, count: toWidth)
            + ResamplingAxis.predictedBytes(taps: along, count: toHeight)
            + FloatingPointResampler.predictedBytes(width: width, toWidth: toWidth, rowTaps: along)
        return max(fixedPoint, floatingPoint) + 4 * toWidth * toHeight
    }

    /// Consumes the next row, which has `width` pixels.
    func consume(_ pixels: UnsafePointer<Packed>) {
        switch self {
        case .fixedPoint(let resampler): unsafe resampler.consume(pixels)
        case .floatingPoint(let resampler): unsafe resampler.consume(pixels)
        }
    }

    func consume(_ pixels: UnsafePointer<Wide>) {
        switch self {
        case .fixedPoint: preconditionFailure("wide pixels have alpha")
        case .floatingPoint(let resampler): unsafe resampler.consume(pixels)
        }
    }

    /// Returns the picture after all rows. May be called only once.
    func finish() -> RGBAImage {
        switch self {
        case .fixedPoint(let resampler): resampler.finish()
        case .floatingPoint(let resampler): resampler.finish()
        }
    }
}
