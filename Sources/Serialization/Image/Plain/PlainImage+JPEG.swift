extension PlainImage {
    /// The image as baseline JPEG (ITU-T T.81) with JFIF, in three components of which two are subsampled.
    ///
    /// The quantization step of the mean of a block is 8, so that a coefficient is the sample less 128. The tables of
    /// codes contain only what occurs: "the same mean" and "no more coefficients" have one bit.
    var jpeg: [UInt8] {
        let samples = color.onWhite.ycbcr
        var file: [UInt8] = [0xFF, 0xD8]
        Self.append(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0], to: &file)
        Self.append(0xDB, [0] + [UInt8](repeating: 8, count: 64), to: &file)
        // Eight bits; three components with two blocks in each direction, and with one.
        let frame: [UInt8] = [1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]
        Self.append(0xC0, [8] + Self.number(height) + Self.number(width) + [3] + frame, to: &file)
        // Differences of means by their number of bits: 0 has the code 0, and 1 to 8 have 10000 to 10111.
        Self.append(0xC4, [0x00, 1, 0, 0, 0, 8] + [UInt8](repeating: 0, count: 11) + Array(0...8), to: &file)
        // The end of a block has the code 0.
        Self.append(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0], to: &file)
        Self.append(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0], to: &file)
        Self.appendScan(samples, units: ((width + 15) / 16) * ((height + 15) / 16), to: &file)
        return file + [0xFF, 0xD9]
    }

    /// Appends the blocks: four of the luma and one of each chroma per unit. After the first unit, every block is the
    /// same again.
    private static func appendScan(_ samples: [Int], units: Int, to file: inout [UInt8]) {
        var bits = BigEndianBits()
        for (index, sample) in samples.enumerated() {
            let mean = sample - 128
            let count = Int.bitWidth - mean.magnitude.leadingZeroBitCount
            if count == 0 {
                bits.append(0, count: 1)
            } else {
                bits.append(0b10000 + count - 1, count: 5)
                // §F.1.2.1.1: a negative number is written less one.
                bits.append(mean < 0 ? mean - 1 : mean, count: count)
            }
            // The end of the block, and for the luma three more blocks.
            bits.append(0, count: index == 0 ? 7 : 1)
        }
        var zeros = (units - 1) * 12
        let first = min(zeros, bits.missingCount)
        bits.append(0, count: first)
        zeros -= first
        if zeros > 0 { bits.append(zeroBytes: zeros / 8) }
        bits.append(0, count: zeros % 8)
        // §F.1.2.3: the last byte is padded with ones.
        bits.append(0xFF, count: bits.missingCount)
        file += bits.bytes
    }

    private static func append(_ marker: UInt8, _ data: [UInt8], to file: inout [UInt8]) {
        file += [0xFF, marker] + number(data.count + 2) + data
    }

    private static func number(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}

extension RGBA {
    /// The samples Y, Cb and Cr of JFIF, in 16 fractional bits and rounded.
    fileprivate var ycbcr: [Int] {
        let (red, green, blue) = (Int(red), Int(green), Int(blue))
        let luma = 19_595 * red + 38_470 * green + 7_471 * blue
        let blueness = -11_059 * red - 21_709 * green + 32_768 * blue + (128 << 16)
        let redness = 32_768 * red - 27_439 * green - 5_329 * blue + (128 << 16)
        return [luma, blueness, redness].map { min(255, ($0 + 32_768) >> 16) }
    }
}

/// Bits that are packed into bytes from the most significant one. A zero follows each byte 0xFF, as in a scan of JPEG.
private struct BigEndianBits {
    private(set) var bytes: [UInt8] = []
    private var pending = 0
    private var pendingCount = 0

    /// The number of bits that complete the last byte, 0 to 7.
    var missingCount: Int { (8 - pendingCount) % 8 }

    /// Appends the lowest bits of a number.
    /// - Parameter count: The number of bits, at most 8.
    mutating func append(_ bits: Int, count: Int) {
        pending = (pending << count) | (bits & ((1 << count) - 1))
        pendingCount += count
        guard pendingCount >= 8 else { return }
        pendingCount -= 8
        let byte = UInt8(truncatingIfNeeded: pending >> pendingCount)
        bytes.append(byte)
        if byte == 0xFF { bytes.append(0) }
        pending &= (1 << pendingCount) - 1
    }

    /// - Precondition: The last byte is complete.
    mutating func append(zeroBytes count: Int) {
        precondition(pendingCount == 0, "the last byte is complete")
        bytes += repeatElement(0, count: count)
    }
}
