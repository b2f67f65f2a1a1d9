internal import Serialization

// The loops over all pixels, without bounds checks: callers prove the bounds at each call.
//
// A pixel in a row is four lanes, in one of two forms. `Packed` is four bytes: an opaque pixel. `Wide` is four times 16
// bits, with the colours multiplied by alpha. The lanes of a wide pixel made from 8-bit ones are the exact products, up
// to 255 × 255, including alpha.
/// Four bytes, the first lane lowest.
typealias Packed = UInt32
typealias Wide = SIMD4<UInt16>
/// Four lanes in the scale of their row.
typealias Lanes = SIMD4<Float>

enum PixelKernels {
    // MARK: From the rows of a source

    /// Multiplies 8-bit colours by their alpha.
    static func premultiply(_ row: UnsafePointer<Packed>, into result: UnsafeMutablePointer<Wide>, count: Int) {
        for index in 0..<count {
            // The caller guarantees `count` pixels in both.
            let pixel = unsafe unsafeBitCast(row[index], to: SIMD4<UInt8>.self)
            var lanes = SIMD4<UInt16>(truncatingIfNeeded: pixel)
            let alpha = SIMD4<UInt16>(repeating: lanes.w)
            lanes.w = 255
            unsafe result[index] = lanes &* alpha
        }
    }

    /// Multiplies 16-bit colours by their alpha, rounded to 16 bits.
    static func premultiply(_ row: UnsafePointer<Wide>, into result: UnsafeMutablePointer<Wide>, count: Int) {
        for index in 0..<count {
            // The caller guarantees `count` pixels in both.
            let pixel = unsafe row[index]
            if pixel.w == 0xFFFF {
                unsafe result[index] = pixel
                continue
            }
            let alpha = SIMD4<UInt32>(repeating: UInt32(pixel.w))
            var lanes = SIMD4<UInt32>(truncatingIfNeeded: pixel)
            lanes.w = 0xFFFF
            // The products are below 2^32; this is a division by 65535, rounded.
            let product = lanes &* alpha &+ SIMD4<UInt32>(repeating: 0x8000)
            let quotient = (product &+ (product &>> SIMD4<UInt32>(repeating: 16))) &>> SIMD4<UInt32>(repeating: 16)
            unsafe result[index] = SIMD4<UInt16>(truncatingIfNeeded: quotient)
        }
    }

    // MARK: Halving

    /// Reduces two rows to one: each pixel is the mean of two by two, or of one by two at the end of an odd row.
    static func halve(
        _ upper: UnsafePointer<Packed>,
        _ lower: UnsafePointer<Packed>,
        into result: UnsafeMutablePointer<Packed>,
        count: Int
    ) {
        // Two lanes of a pixel at a time, 16 bits each: the sum of four bytes and the rounding fit.
        let mask = SIMD4<UInt32>(repeating: 0x00FF_00FF)
        let eight = SIMD8<UInt32>(repeating: 8)
        let two = SIMD4<UInt32>(repeating: 2)
        let half = SIMD4<UInt32>(repeating: 0x0002_0002)
        @inline(__always) func sum(
            _ a: SIMD4<UInt32>,
            _ b: SIMD4<UInt32>,
            _ c: SIMD4<UInt32>,
            _ d: SIMD4<UInt32>
        ) -> SIMD4<UInt32> {
            (a &+ b) &+ (c &+ d) &+ half
        }
        let pairs = count / 2
        var index = 0
        while index + 4 <= pairs {
            // 2 × (index + 4) <= count pixels are in each row, and index + 4 fit in the result.
            let a = unsafe UnsafeRawPointer(upper + 2 * index).loadUnaligned(as: SIMD8<UInt32>.self)
            let b = unsafe UnsafeRawPointer(lower + 2 * index).loadUnaligned(as: SIMD8<UInt32>.self)
            let low = sum(a.evenHalf & mask, a.oddHalf & mask, b.evenHalf & mask, b.oddHalf & mask)
            let (aHigh, bHigh) = (a &>> eight, b &>> eight)
            let high = sum(aHigh.evenHalf & mask, aHigh.oddHalf & mask, bHigh.evenHalf & mask, bHigh.oddHalf & mask)
            let mean = ((low &>> two) & mask) | (((high &>> two) & mask) &<< eight.lowHalf)
            unsafe UnsafeMutableRawPointer(result + index).storeBytes(of: mean, as: SIMD4<UInt32>.self)
            index += 4
        }
        while index < (count + 1) / 2 {
            // The last pixel of an odd row is used twice.
            let right = min(2 * index + 1, count - 1)
            let (a, b, c, d) = unsafe (upper[2 * index], upper[right], lower[2 * index], lower[right])
            let mask: UInt32 = 0x00FF_00FF
            let low = (a & mask) &+ (b & mask) &+ (c & mask) &+ (d & mask) &+ 0x0002_0002
            let high = ((a >> 8) & mask) &+ ((b >> 8) & mask) &+ ((c >> 8) & mask) &+ ((d >> 8) & mask) &+ 0x0002_0002
            unsafe result[index] = ((low >> 2) & mask) | ((high >> 2) & mask) << 8
            index += 1
        }
    }

    /// Reduces two rows of wide pixels to one.
    static func halve(
        _ upper: UnsafePointer<Wide>,
        _ lower: UnsafePointer<Wide>,
        into result: UnsafeMutablePointer<Wide>,
        count: Int
    ) {
        for index in 0..<(count + 1) / 2 {
            let right = min(2 * index + 1, count - 1)
            let (a, b, c, d) = unsafe (upper[2 * index], upper[right], lower[2 * index], lower[right])
            let above = SIMD4<UInt32>(truncatingIfNeeded: a) &+ SIMD4<UInt32>(truncatingIfNeeded: b)
            let below = SIMD4<UInt32>(truncatingIfNeeded: c) &+ SIMD4<UInt32>(truncatingIfNeeded: d)
            let sum = above &+ below
            let mean = (sum &+ SIMD4<UInt32>(repeating: 2)) &>> SIMD4<UInt32>(repeating: 2)
            unsafe result[index] = SIMD4<UInt16>(truncatingIfNeeded: mean)
        }
    }

    // MARK: Resampling

    static func widen(_ row: UnsafePointer<Packed>, into result: UnsafeMutablePointer<Lanes>, count: Int) {
        for index in 0..<count {
            // The caller guarantees `count` pixels in both.
            unsafe result[index] = Lanes(unsafeBitCast(row[index], to: SIMD4<UInt8>.self))
        }
    }

    static func widen(_ row: UnsafePointer<Wide>, into result: UnsafeMutablePointer<Lanes>, count: Int) {
        for index in 0..<count {
            // The caller guarantees `count` pixels in both.
            unsafe result[index] = Lanes(row[index])
        }
    }

    /// Resamples one row horizontally to `axis.count` pixels.
    ///
    /// - Parameter row: All samples that the axis needs, beginning with the sample `origin`.
    static func resample(
        _ row: UnsafePointer<Lanes>,
        origin: Int,
        along axis: borrowing ResamplingAxis,
        into result: UnsafeMutablePointer<Lanes>
    ) {
        let taps = axis.taps
        let evenTaps = taps & ~1
        for index in 0..<axis.count {
            // An axis needs only samples from `first` to `first + taps`, and has `taps` weights for each pixel.
            let pixels = unsafe row + (Int(axis.first.base[index]) - origin)
            let weights = unsafe axis.weights.base + index * taps
            var even = Lanes.zero
            var odd = Lanes.zero
            var tap = 0
            while tap < evenTaps {
                unsafe even += pixels[tap] * Lanes(repeating: weights[tap])
                unsafe odd += pixels[tap + 1] * Lanes(repeating: weights[tap + 1])
                tap += 2
            }
            if tap < taps { unsafe even += pixels[tap] * Lanes(repeating: weights[tap]) }
            unsafe result[index] = even + odd
        }
    }

    /// Adds up rows by their weights: vertical resampling.
    ///
    /// - Parameter ring: A ring of `taps` rows of `count` pixels. The first weight belongs to row number `start`.
    static func combine(
        _ ring: UnsafePointer<Lanes>,
        start: Int,
        weights: UnsafePointer<Float>,
        taps: Int,
        count: Int,
        into result: UnsafeMutablePointer<Lanes>
    ) {
        var index = 0
        // Four pixels stay in registers while their rows are added; all reads are below taps × count.
        while index + 4 <= count {
            var a = Lanes.zero
            var b = Lanes.zero
            var c = Lanes.zero
            var d = Lanes.zero
            var slot = start
            for tap in 0..<taps {
                let weight = unsafe Lanes(repeating: weights[tap])
                let row = unsafe ring + (slot * count + index)
                unsafe a += row[0] * weight
                unsafe b += row[1] * weight
                unsafe c += row[2] * weight
                unsafe d += row[3] * weight
                slot += 1
                if slot == taps { slot = 0 }
            }
            unsafe result[index] = a
            unsafe result[index + 1] = b
            unsafe result[index + 2] = c
            unsafe result[index + 3] = d
            index += 4
        }
        while index < count {
            var sum = Lanes.zero
            var slot = start
            for tap in 0..<taps {
                unsafe sum += ring[slot * count + index] * Lanes(repeating: weights[tap])
                slot += 1
                if slot == taps { slot = 0 }
            }
            unsafe result[index] = sum
            index += 1
        }
    }

    // MARK: To 8 bits

    /// Rounds lanes from 0 to 255 to bytes; others are clamped.
    @inline(__always) private static func bytes(_ lanes: Lanes) -> Packed {
        let most = Lanes(repeating: 255)
        var clamped = lanes.replacing(with: Lanes.zero, where: lanes .< Lanes.zero)
        clamped.replace(with: most, where: clamped .> most)
        // 2^23 + x contains x, rounded, in its lowest bits.
        let bits = unsafe unsafeBitCast(clamped + Lanes(repeating: 8_388_608), to: SIMD4<UInt32>.self)
        return unsafe unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: bits), to: Packed.self)
    }

    /// Converts pixels with four lanes, none of which is alpha.
    static func narrow(_ row: UnsafePointer<Lanes>, into result: UnsafeMutablePointer<Packed>, count: Int) {
        for index in 0..<count {
            // The caller guarantees `count` pixels in both.
            unsafe result[index] = bytes(row[index])
        }
    }

    /// Converts opaque pixels, whose fourth lane is ignored.
    static func narrowOpaque(_ row: UnsafePointer<Lanes>, into result: UnsafeMutablePointer<Packed>, count: Int) {
        for index in 0..<count {
            // The caller guarantees `count` pixels in both.
            unsafe result[index] = bytes(row[index]) | 0xFF00_0000
        }
    }

    /// Converts pixels and divides their colours by alpha.
    /// - Parameter full: The alpha of an opaque pixel.
    static func narrow(
        _ row: UnsafePointer<Lanes>,
        full: Float,
        into result: UnsafeMutablePointer<Packed>,
        count: Int
    ) {
        let byteScale = 255 / full
        for index in 0..<count {
            // The caller guarantees `count` pixels in both.
            let pixel = unsafe row[index]
            let alpha = min(pixel.w, full)
            // Less than half of the smallest 8-bit value.
            if alpha * byteScale < 0.5 {
                unsafe result[index] = 0
                continue
            }
            var lanes = pixel * Lanes(repeating: 255 / alpha)
            lanes.w = alpha * byteScale
            unsafe result[index] = bytes(lanes)
        }
    }
}
