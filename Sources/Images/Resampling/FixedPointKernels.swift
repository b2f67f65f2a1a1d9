internal import CPixels
internal import Serialization

// The loops of a `FixedPointResampler`, without bounds checks: callers prove the bounds at each call.
//
// The range of all numbers follows from that of the weights, whose magnitudes add up to at most 32767 for each result
// (`FixedPointAxis`):
//
// - Samples are from 0 to 255. Their weighted sums have a magnitude of at most 255 × 32767, which is below 2^23.
// - They are rounded to `ringBits` bits after the point, by a division by 2^8. The magnitude is then at most 32640,
//   which fits into 16 bits.
// - The weighted sums of these have a magnitude of at most 32640 × 32767, which is below 2^30, also with the addend
//   that rounds them.
// - Rounded to integers, they are from -1020 to 1020, and are clamped to bytes.

/// Eight 16-bit numbers: two pixels, whose lanes alternate.
typealias Words = SIMD8<Int16>

enum FixedPointKernels {
    private typealias Sums = SIMD4<Int32>

    /// The number of bits after the point in the ring.
    private static let ringBits = 6
    private static let toRing = Int32(FixedPointAxis.fractionBits - ringBits)
    private static let toInteger = Int32(FixedPointAxis.fractionBits + ringBits)

    /// Converts pixels to pairs.
    ///
    /// - Parameters:
    ///   - count: The number of pixels.
    ///   - result: The pairs to which these belong.
    ///   - skipped: 1 if the first pixel is the second of its pair, otherwise 0. Words without a pixel are not written.
    static func pair(
        _ row: UnsafePointer<Packed>,
        count: Int,
        into result: UnsafeMutablePointer<Words>,
        skipping skipped: Int
    ) {
        var index = 0
        var pair = 0
        if skipped == 1 {
            // The caller guarantees at least one pixel.
            unsafe result[0].oddHalf = words(row[0])
            index = 1
            pair = 1
        }
        while index + 4 <= count {
            // `index + 4` pixels are in the row, and belong to pairs that the caller guarantees.
            let pixels = unsafe UnsafeRawPointer(row + index).loadUnaligned(as: SIMD4<UInt32>.self)
            var bytes = SIMD16<UInt8>.zero
            bytes.evenHalf = unsafe unsafeBitCast(pixels.evenHalf, to: SIMD8<UInt8>.self)
            bytes.oddHalf = unsafe unsafeBitCast(pixels.oddHalf, to: SIMD8<UInt8>.self)
            unsafe result[pair] = SIMD8(truncatingIfNeeded: bytes.lowHalf)
            unsafe result[pair + 1] = SIMD8(truncatingIfNeeded: bytes.highHalf)
            index += 4
            pair += 2
        }
        while index < count {
            // As above, with `index + 1` pixels.
            let lanes = unsafe words(row[index])
            if (index + skipped) % 2 == 0 {
                unsafe result[pair].evenHalf = lanes
            } else {
                unsafe result[pair].oddHalf = lanes
                pair += 1
            }
            index += 1
        }
    }

    @inline(__always) private static func words(_ pixel: Packed) -> SIMD4<Int16> {
        SIMD4(truncatingIfNeeded: unsafe unsafeBitCast(pixel, to: SIMD4<UInt8>.self))
    }

    /// Resamples two rows horizontally to `axis.count` pixels, whose lanes alternate.
    ///
    /// - Parameter upper: All pairs that the axis needs, beginning with the pair `origin`; likewise `lower`.
    static func resample(
        _ upper: UnsafePointer<Words>,
        _ lower: UnsafePointer<Words>,
        origin: Int,
        along axis: borrowing FixedPointAxis,
        into result: UnsafeMutablePointer<Words>
    ) {
        let half = Sums(repeating: 1 << (toRing - 1))
        let low = Sums(repeating: 0xFFFF)
        var weight = unsafe UnsafePointer(axis.weights.base)
        for index in 0..<axis.count {
            // An axis needs only pairs from `first` to `first + pairs`, and has `pairs` weights for each pixel.
            let start = unsafe Int(axis.first.base[index]) &- origin
            var above = half
            var below = half
            for pair in start..<start &+ axis.pairs {
                unsafe above &+= cpixels_multiply_pairs(upper[pair], weight.pointee)
                unsafe below &+= cpixels_multiply_pairs(lower[pair], weight.pointee)
                unsafe weight += 1
            }
            // The 16 bits above the last `toRing` ones are the result.
            let even = (above &>> Sums(repeating: toRing)) & low
            let odd = (below &<< Sums(repeating: 16 - toRing)) & ~low
            unsafe result[index] = unsafeBitCast(even | odd, to: Words.self)
        }
    }

    /// Adds up rows by their weights, and rounds the sums to bytes: vertical resampling.
    ///
    /// - Parameters:
    ///   - ring: `pairs` rows of `count` pixels.
    ///   - weights: The weights of these rows.
    ///   - filling: The bits that are set in each pixel.
    static func combine(
        _ ring: UnsafePointer<Words>,
        weights: UnsafePointer<Words>,
        pairs: Int,
        count: Int,
        filling: Packed,
        into result: UnsafeMutablePointer<Packed>
    ) {
        let half = Sums(repeating: 1 << (toInteger - 1))
        let shift = Sums(repeating: toInteger)
        let fill = unsafe unsafeBitCast(SIMD4<UInt32>(repeating: filling), to: SIMD16<UInt8>.self)
        var index = 0
        // Four pixels stay in registers while their rows are added; all reads are below pairs × count, and four pixels
        // fit into the result.
        while index + 4 <= count {
            var a = half
            var b = half
            var c = half
            var d = half
            var row = unsafe ring + index
            for pair in 0..<pairs {
                let weight = unsafe weights[pair]
                unsafe a &+= cpixels_multiply_pairs(row[0], weight)
                unsafe b &+= cpixels_multiply_pairs(row[1], weight)
                unsafe c &+= cpixels_multiply_pairs(row[2], weight)
                unsafe d &+= cpixels_multiply_pairs(row[3], weight)
                unsafe row += count
            }
            let pixels = cpixels_bytes_of(a &>> shift, b &>> shift, c &>> shift, d &>> shift) | fill
            unsafe UnsafeMutableRawPointer(result + index).storeBytes(of: pixels, as: SIMD16<UInt8>.self)
            index += 4
        }
        while index < count {
            // As above, with one pixel.
            var sum = half
            var row = unsafe ring + index
            for pair in 0..<pairs {
                unsafe sum &+= cpixels_multiply_pairs(row.pointee, weights[pair])
                unsafe row += count
            }
            let bytes = cpixels_bytes_of(sum &>> shift, .zero, .zero, .zero) | fill
            unsafe result[index] = unsafeBitCast(bytes, to: SIMD4<UInt32>.self)[0]
            index += 1
        }
    }
}
