internal import Serialization

/// Passes the rows of one decode to all pictures that are created from them.
///
///     rows ─► level 0 ─► halved: level 1 ─► halved: level 2 …
///                └► resamplers  └► resamplers   └► resamplers
///
/// A picture is resampled from the smallest level that is still ``leastShrink`` times its size: halving is cheap, and
/// the final kernel determines the quality. A picture does not depend on any other picture.
struct RowPipeline: ~Copyable {
    private let format: RowFormat
    private let alpha: Resampler.Alpha
    private let isWide: Bool
    private var levels: [Level] = []
    private var resamplers: [Resampler] = []
    /// Level 0 as wide pixels that are created from the rows.
    private let premultiplied: PixelBuffer<Wide>

    /// The minimum factor between the level and the picture that is resampled from it.
    static let leastShrink = 1.5

    private final class Level {
        let width: Int
        var resamplers: [Resampler] = []
        /// The upper row of a pair, stored until the lower one arrives, and the result of both; allocated only if
        /// needed.
        let packedUpper, packedHalf: PixelBuffer<Packed>
        let wideUpper, wideHalf: PixelBuffer<Wide>
        var hasUpper = false

        init(width: Int, isWide: Bool, isLast: Bool) {
            self.width = width
            let count = isLast ? 0 : width
            packedUpper = PixelBuffer(count: isWide ? 0 : count, repeating: 0)
            packedHalf = PixelBuffer(count: isWide ? 0 : (count + 1) / 2, repeating: 0)
            wideUpper = PixelBuffer(count: isWide ? count : 0, repeating: .zero)
            wideHalf = PixelBuffer(count: isWide ? (count + 1) / 2 : 0, repeating: .zero)
        }
    }

    init(_ format: RowFormat, _ plans: [ThumbnailPlan]) {
        self.format = format
        switch format.layout {
        case .rgbx8: (alpha, isWide) = (.none, false)
        case .cmyk8: (alpha, isWide) = (.color, false)
        case .rgba8: (alpha, isWide) = (.premultiplied(full: 255 * 255), true)
        case .rgba16: (alpha, isWide) = (.premultiplied(full: 0xFFFF), true)
        }
        premultiplied = PixelBuffer(count: isWide ? format.width : 0, repeating: .zero)

        let depths = plans.map { Self.depth($0, reduction: format.reduction) }
        let deepest = depths.max() ?? 0
        var width = format.width
        var height = format.height
        for depth in 0...deepest {
            levels.append(Level(width: width, isWide: isWide, isLast: depth == deepest))
            width = (width + 1) / 2
            height = (height + 1) / 2
        }
        for (plan, depth) in zip(plans, depths) {
            let resampler = Self.resampler(plan, format, depth: depth, alpha: alpha)
            resamplers.append(resampler)
            levels[depth].resamplers.append(resampler)
        }
    }

    /// Returns the number of times that rows are halved for a picture.
    private static func depth(_ plan: ThumbnailPlan, reduction: Int) -> Int {
        var shrink = plan.shrink / Double(reduction)
        var depth = 0
        while shrink >= 2 * leastShrink {
            shrink /= 2
            depth += 1
        }
        return depth
    }

    private static func resampler(
        _ plan: ThumbnailPlan,
        _ format: RowFormat,
        depth: Int,
        alpha: Resampler.Alpha
    ) -> Resampler {
        let scale = 1 / Double(format.reduction << depth)
        return Resampler(
            width: size(format.width, depth),
            height: size(format.height, depth),
            part: Resampler.Part(
                left: plan.left * scale,
                top: plan.top * scale,
                width: plan.sourceWidth * scale,
                height: plan.sourceHeight * scale
            ),
            toWidth: plan.width,
            toHeight: plan.height,
            alpha: alpha
        )
    }

    /// Returns the length of a side after `depth` halvings, rounded up.
    private static func size(_ side: Int, _ depth: Int) -> Int { (side + (1 << depth) - 1) >> depth }

    /// Returns the memory of such a pipeline, in bytes.
    static func predictedBytes(_ format: RowFormat, _ plans: [ThumbnailPlan]) -> Int {
        plans.reduce(32 * format.width) { sum, plan in
            let depth = depth(plan, reduction: format.reduction)
            let (width, height) = (size(format.width, depth), size(format.height, depth))
            let bytes = Resampler.predictedBytes(
                width: width,
                height: height,
                toWidth: plan.width,
                toHeight: plan.height
            )
            return sum + bytes
        }
    }

    /// Consumes the next rows from the source.
    mutating func consume(_ rows: Span<UInt8>, count: Int) {
        let rowBytes = format.rowBytes
        precondition(rows.count >= count * rowBytes, "there are `count` rows")
        unsafe rows.withUnsafeBytes { bytes in
            for index in 0..<count {
                // Within `rows`, as was just checked. The rows begin in memory that was allocated for `Wide`, and their
                // lengths are multiples of a pixel's.
                guard let row = unsafe bytes.baseAddress.map({ unsafe $0 + index * rowBytes }) else { return }
                unsafe consume(row)
            }
        }
    }

    private func consume(_ row: UnsafeRawPointer) {
        // A row has `format.width` pixels of the layout; it is read as that layout for the duration of the call.
        switch format.layout {
        case .rgbx8, .cmyk8:
            unsafe row.withMemoryRebound(to: Packed.self, capacity: format.width) { unsafe push($0, at: 0) }
        case .rgba8:
            unsafe row.withMemoryRebound(to: Packed.self, capacity: format.width) { pixels in
                unsafe PixelKernels.premultiply(pixels, into: premultiplied.base, count: format.width)
            }
            unsafe push(premultiplied.base, at: 0)
        case .rgba16:
            unsafe row.withMemoryRebound(to: Wide.self, capacity: format.width) { pixels in
                unsafe PixelKernels.premultiply(pixels, into: premultiplied.base, count: format.width)
            }
            unsafe push(premultiplied.base, at: 0)
        }
    }

    /// Passes a row to a level. The recursion is at most as deep as the number of levels, which is at most that of a
    /// side's bits.
    private func push(_ row: UnsafePointer<Packed>, at depth: Int) {
        let level = levels[depth]
        // All rows have `level.width` pixels, except the half row, which has half as many, rounded up.
        for resampler in level.resamplers { unsafe resampler.consume(row) }
        guard depth + 1 < levels.count else { return }
        level.hasUpper.toggle()
        if level.hasUpper {
            unsafe level.packedUpper.base.update(from: row, count: level.width)
            return
        }
        unsafe PixelKernels.halve(level.packedUpper.base, row, into: level.packedHalf.base, count: level.width)
        unsafe push(level.packedHalf.base, at: depth + 1)
    }

    private func push(_ row: UnsafePointer<Wide>, at depth: Int) {
        let level = levels[depth]
        // As above.
        for resampler in level.resamplers { unsafe resampler.consume(row) }
        guard depth + 1 < levels.count else { return }
        level.hasUpper.toggle()
        if level.hasUpper {
            unsafe level.wideUpper.base.update(from: row, count: level.width)
            return
        }
        unsafe PixelKernels.halve(level.wideUpper.base, row, into: level.wideHalf.base, count: level.width)
        unsafe push(level.wideHalf.base, at: depth + 1)
    }

    /// Returns the pictures, in the order of their plans, after all rows.
    ///
    /// The pictures of CMYK rows contain ink in their four channels, like the rows.
    consuming func finish() -> [RGBAImage] {
        // The last row of an odd number is used twice.
        for (depth, level) in levels.enumerated() where level.hasUpper {
            level.hasUpper = false
            // Both rows have `level.width` pixels, the half row half as many, rounded up.
            if isWide {
                let upper = unsafe UnsafePointer(level.wideUpper.base)
                unsafe PixelKernels.halve(upper, upper, into: level.wideHalf.base, count: level.width)
                unsafe push(level.wideHalf.base, at: depth + 1)
            } else {
                let upper = unsafe UnsafePointer(level.packedUpper.base)
                unsafe PixelKernels.halve(upper, upper, into: level.packedHalf.base, count: level.width)
                unsafe push(level.packedHalf.base, at: depth + 1)
            }
        }
        return resamplers.map { $0.finish() }
    }
}
