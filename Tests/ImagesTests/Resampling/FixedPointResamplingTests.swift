import Foundation
import Testing

@testable import Images
@testable import Serialization

/// Resampling in fixed point, compared with a direct computation in floating point.
@Suite struct FixedPointResamplingTests {
    /// The size of the rows, and of the picture.
    struct Sizes: CustomTestStringConvertible {
        let width, height, toWidth, toHeight: Int

        init(_ width: Int, _ height: Int, _ toWidth: Int, _ toHeight: Int) {
            (self.width, self.height, self.toWidth, self.toHeight) = (width, height, toWidth, toHeight)
        }

        /// All of the rows.
        var whole: Resampler.Part { .init(left: 0, top: 0, width: Double(width), height: Double(height)) }

        var testDescription: String { "\(width)x\(height) to \(toWidth)x\(toHeight)" }
    }

    static let sizes: [Sizes] = [
        Sizes(1, 1, 1, 1), Sizes(1, 1, 5, 4), Sizes(2, 3, 1, 1), Sizes(3, 2, 7, 5), Sizes(2, 2, 9, 1),
        Sizes(3, 3, 3, 3),
        Sizes(1, 40, 1, 13), Sizes(40, 1, 17, 1), Sizes(33, 57, 16, 25), Sizes(100, 76, 50, 38), Sizes(101, 75, 50, 38),
        Sizes(97, 61, 41, 23), Sizes(64, 48, 64, 48), Sizes(31, 47, 83, 3 * 47), Sizes(96, 90, 18, 17),
        Sizes(17, 120, 40, 24), Sizes(90, 60, 33, 27), Sizes(32, 5, 6, 5),
    ]

    enum Pattern: CaseIterable {
        case noise, black, white, level, columns, rows, squares, edges
        /// The samples by which a result overshoots most, upwards and downwards.
        case overshoot, undershoot
    }

    @Test(arguments: sizes, Pattern.allCases)
    func `a picture differs from one in floating point by at most one level`(sizes: Sizes, pattern: Pattern) {
        let rows = Self.draw(pattern, sizes)
        let exact = Self.reference(rows, sizes)
        for alpha in [Resampler.Alpha.none, .color] {
            let (seen, isFixed) = Self.resample(rows, sizes, alpha)
            #expect(isFixed)
            var (different, wrong) = (0, [Int]())
            for (index, value) in seen.enumerated() {
                if alpha == .none, index % 4 == 3 {
                    if value != 255 { wrong.append(index) }
                    continue
                }
                let distance = abs(Double(value) - min(max(exact[index], 0), 255))
                // Half a level is the rounding of the picture.
                if distance >= 0.75 { wrong.append(index) }
                if distance > 0.52 { different += 1 }
            }
            #expect(wrong.first == nil, "\(wrong.count) of \(seen.count)")
            // In a regular picture, many pixels have the same value, which may be next to the middle of two levels.
            #expect(pattern != .noise || different * 100 <= seen.count, "\(different) of \(seen.count)")
            if pattern == .black || pattern == .white || pattern == .level {
                #expect(seen == exact.enumerated().map { alpha == .none && $0 % 4 == 3 ? 255 : UInt8($1.rounded()) })
            }
        }
    }

    @Test(arguments: [(7.25, 3.5, 80.5, 61.0), (0, 11, 100, 40.75), (33.3, 20, 3.125, 2.5)])
    func `a part of the rows is resampled`(left: Double, top: Double, width: Double, height: Double) {
        let sizes = Sizes(100, 75, 40, 30)
        let rows = Self.draw(.noise, sizes)
        let part = Resampler.Part(left: left, top: top, width: width, height: height)
        let (seen, isFixed) = Self.resample(rows, sizes, .color, part: part)
        #expect(isFixed)
        for (value, expected) in zip(seen, Self.reference(rows, sizes, part: part)) {
            #expect(abs(Double(value) - min(max(expected, 0), 255)) < 0.75)
        }
    }

    /// Weights of 14 bits would not be exact enough.
    @Test(arguments: [Sizes(20_000, 3, 1, 3), Sizes(3, 20_000, 3, 1), Sizes(2_000, 40, 3, 20), Sizes(33, 5, 6, 5)])
    func `a great reduction is in floating point`(sizes: Sizes) {
        for pattern in [Pattern.white, .level, .columns, .rows] {
            let rows = Self.draw(pattern, sizes)
            let (seen, isFixed) = Self.resample(rows, sizes, .color)
            #expect(!isFixed)
            let wrong = zip(seen, Self.reference(rows, sizes)).count { value, expected in
                abs(Double(value) - min(max(expected, 0), 255)) >= 0.52
            }
            #expect(wrong == 0)
        }
    }

    @Test func `pixels with alpha are in floating point`() {
        let resampler = Resampler(
            width: 4,
            height: 4,
            part: Resampler.Part(left: 0, top: 0, width: 4, height: 4),
            toWidth: 2,
            toHeight: 2,
            alpha: .premultiplied(full: 255 * 255)
        )
        guard case .floatingPoint = resampler else {
            Issue.record("pixels with alpha have 16 bits")
            return
        }
    }

    @Test(arguments: [1, 2, 3, 5, 16, 37, 100, 1_000], [1, 2, 3, 4, 7, 50, 100, 150, 999])
    func `the weights of each result add up to 1 and are close to the exact ones`(size: Int, count: Int) {
        for (start, length) in [(0, Double(size)), (Double(size) / 7, Double(size) / 1.5)] {
            let kernel = ResamplingKernel(size: size, start: start, length: length, count: count)
            guard let axis = FixedPointAxis(kernel) else {
                #expect(kernel.taps > 32)
                continue
            }
            let one = 1 << FixedPointAxis.fractionBits
            var exact = [Double](repeating: 0, count: kernel.taps)
            var previous = 0
            for index in 0..<count {
                let samples = kernel.samples(index)
                kernel.calculate(samples, of: index, &exact)
                let first = Int(axis.first.base[index])
                #expect(first >= previous && 2 * (first + axis.pairs - 1) - axis.phase < size)
                previous = first
                var (sum, magnitude) = (0, 0)
                for place in 0..<2 * axis.pairs {
                    let pair = axis.weights.base[index * axis.pairs + place / 2]
                    let lanes = place % 2 == 0 ? pair.evenHalf : pair.oddHalf
                    #expect(lanes == SIMD4(repeating: lanes[0]))
                    let weight = Int(lanes[0])
                    sum += weight
                    magnitude += abs(weight)
                    let sample = 2 * first + place - axis.phase
                    let expected = samples.contains(sample) ? exact[sample - samples.lowerBound] : 0
                    #expect(abs(Double(weight) - expected * Double(one)) < 1.001, "\(index), \(sample)")
                }
                #expect(sum == one)
                #expect(magnitude < 2 * one)
            }
        }
    }

    @Test func `a reduction to half the size needs six pairs`() throws {
        let axis = try Self.axis(ResamplingKernel(size: 100, start: 0, length: 100, count: 50))
        let (pairs, phase) = (axis.pairs, axis.phase)
        #expect((pairs, phase) == (6, 1))
    }

    @Test(arguments: sizes + [Sizes(1_600, 1_200, 800, 600), Sizes(160, 160, 30, 30), Sizes(159, 53, 30, 10)])
    func `the predicted memory is not exceeded`(sizes: Sizes) throws {
        let kernels = [(sizes.width, sizes.toWidth), (sizes.height, sizes.toHeight)].map {
            ResamplingKernel(size: $0, start: 0, length: Double($0), count: $1)
        }
        let taps = kernels.map { ResamplingKernel.predictedTaps(size: $0.size, count: $0.count) }
        for (kernel, taps) in zip(kernels, taps) {
            #expect(kernel.taps <= taps)
            let axis = try Self.axis(kernel)
            let bytes = 4 * axis.first.count + 16 * axis.weights.count
            #expect(bytes <= FixedPointAxis.predictedBytes(taps: taps, count: kernel.count))
        }
        let columns = try Self.axis(kernels[0])
        let rows = try Self.axis(kernels[1])
        let resampler = FixedPointResampler(columns, rows, isOpaque: true)
        let (upper, lower) = (resampler.upper.count, resampler.lower.count)
        let bytes = 16 * (upper + lower + resampler.ring.count + resampler.ringWeights.count)
        let predicted = FixedPointResampler.predictedBytes(width: sizes.width, toWidth: sizes.toWidth, rowTaps: taps[1])
        #expect(bytes <= predicted)
        // Not far above it, either: a reservation is memory that others cannot use.
        #expect(predicted <= bytes + bytes / 2 + 1_024)
    }

    private static func axis(_ kernel: ResamplingKernel) throws -> FixedPointAxis {
        // `#require` does not accept values that cannot be copied.
        guard let axis = FixedPointAxis(kernel) else { throw Unsuitable() }
        return axis
    }

    private struct Unsuitable: Error {}

    // MARK: Pictures

    private static func draw(_ pattern: Pattern, _ sizes: Sizes) -> [[UInt32]] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        let across = weights(sizes.width, 0, Double(sizes.width), sizes.toWidth)[sizes.toWidth / 2]
        let along = weights(sizes.height, 0, Double(sizes.height), sizes.toHeight)[sizes.toHeight / 2]
        return (0..<sizes.height).map { y in
            (0..<sizes.width).map { x in
                let isLight: Bool
                switch pattern {
                case .noise:
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt32(truncatingIfNeeded: state >> 32)
                case .level: return 0x01FE_7F80
                case .black: isLight = false
                case .white: isLight = true
                case .columns: isLight = x % 2 == 1
                case .rows: isLight = y % 2 == 1
                case .squares: isLight = (x + y) % 2 == 1
                case .edges: isLight = (x / 5 + y / 4) % 2 == 1
                case .overshoot: isLight = across[x] * along[y] > 0
                case .undershoot: isLight = across[x] * along[y] < 0
                }
                // The second lane is the inverse.
                return isLight ? 0xFFFF_00FF : 0x0000_FF00
            }
        }
    }

    private static func resample(
        _ rows: [[UInt32]],
        _ sizes: Sizes,
        _ alpha: Resampler.Alpha,
        part: Resampler.Part? = nil
    ) -> (pixels: [UInt8], isFixed: Bool) {
        let resampler = Resampler(
            width: sizes.width,
            height: sizes.height,
            part: part ?? sizes.whole,
            toWidth: sizes.toWidth,
            toHeight: sizes.toHeight,
            alpha: alpha
        )
        for row in rows {
            // In memory of its exact size, in which a sanitizer detects accesses beyond it.
            row.withUnsafeBufferPointer { pixels in
                if let base = pixels.baseAddress { resampler.consume(base) }
            }
        }
        if case .fixedPoint = resampler { return (resampler.finish().pixels, true) }
        return (resampler.finish().pixels, false)
    }

    /// Returns the four lanes of each pixel, not clamped.
    private static func reference(
        _ rows: [[UInt32]],
        _ sizes: Sizes,
        part: Resampler.Part? = nil
    ) -> [Double] {
        let part = part ?? sizes.whole
        let columns = weights(sizes.width, part.left, part.width, sizes.toWidth).map(used)
        let narrow = rows.map { row in
            let lanes = row.map { SIMD4<Double>(unsafeBitCast($0, to: SIMD4<UInt8>.self)) }
            return columns.map { sum($0, lanes) }
        }
        var result: [Double] = []
        for weights in weights(sizes.height, part.top, part.height, sizes.toHeight).map(used) {
            for x in 0..<sizes.toWidth {
                let lanes = sum(weights, narrow.map { $0[x] })
                for lane in 0..<4 { result.append(lanes[lane]) }
            }
        }
        return result
    }

    private static func sum(_ weights: [(sample: Int, weight: Double)], _ lanes: [SIMD4<Double>]) -> SIMD4<Double> {
        var sum = SIMD4<Double>.zero
        for (sample, weight) in weights { sum += lanes[sample] * weight }
        return sum
    }

    private static func used(_ weights: [Double]) -> [(sample: Int, weight: Double)] {
        weights.enumerated().filter { $0.element != 0 }.map { (sample: $0.offset, weight: $0.element) }
    }

    /// Returns the weight of every sample for every result.
    private static func weights(_ size: Int, _ start: Double, _ length: Double, _ count: Int) -> [[Double]] {
        let scale = length / Double(count)
        return (0..<count).map { index in
            let center = start + (Double(index) + 0.5) * scale
            let weights = (0..<size).map { lanczos((Double($0) + 0.5 - center) / max(scale, 1)) }
            let sum = weights.reduce(0, +)
            return weights.map { $0 / sum }
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(Double.pi * x) / (Double.pi * x) }
        return abs(x) < 3 - 1e-12 ? sinc(x) * sinc(x / 3) : 0
    }
}
