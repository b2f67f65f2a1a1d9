import Testing

@testable import Images
@testable import Serialization

/// Conversion of colours from other colour spaces.
@Suite struct ColorConversionTests {
    @Test func `a profile whose red and green are swapped swaps them`() {
        let conversion = ColorConversion(format(profile: ICCProfile.rgb(red: .srgbGreen, green: .srgbRed)))
        let ignoresProfile = conversion.ignoresProfile
        #expect(!ignoresProfile)
        let picture = RGBAImage(width: 2, height: 1, pixels: [200, 60, 90, 255, 10, 250, 0, 77])
        let converted = conversion.convert(picture)
        for (value, expected) in zip(converted.pixels, [60, 200, 90, 255, 250, 10, 0, 77]) {
            #expect(abs(Int(value) - expected) <= 2)
        }
        #expect(converted[1, 0].alpha == 77)
    }

    @Test func `an sRGB profile changes no value`() {
        let conversion = ColorConversion(format(profile: ICCProfile.rgb(red: .srgbRed, green: .srgbGreen)))
        let ignoresProfile = conversion.ignoresProfile
        #expect(!ignoresProfile)
        let pixels = (0..<1024).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let picture = RGBAImage(width: 256, height: 1, pixels: pixels)
        let converted = conversion.convert(picture)
        #expect(converted == picture)
    }

    @Test func `a malformed profile, or one for another colour space, is ignored and reported`() {
        let picture = RGBAImage(width: 1, height: 1, pixels: [1, 2, 3, 4])
        var broken = ICCProfile.rgb(red: .srgbGreen, green: .srgbRed)
        broken.removeLast(60)
        let ofInk = Array(broken.prefix(16)) + Array("CMYK".utf8) + Array(broken.dropFirst(20))
        for profile in [[1, 2, 3], broken, ofInk] {
            let conversion = ColorConversion(format(profile: profile))
            let (ignoresProfile, converted) = (conversion.ignoresProfile, conversion.convert(picture))
            #expect(ignoresProfile)
            #expect(converted == picture)
        }
    }

    @Test func `ink without a profile absorbs light`() {
        var format = RowFormat(width: 1, height: 1, layout: .cmyk8)
        format.reduction = 1
        let picture = RGBAImage(width: 3, height: 1, pixels: [255, 255, 255, 255, 255, 0, 100, 255, 200, 100, 0, 128])
        let expected = RGBAImage(width: 3, height: 1, pixels: [255, 255, 255, 255, 255, 0, 100, 255, 100, 50, 0, 255])
        let converted = ColorConversion(format).convert(picture)
        #expect(converted == expected)
    }

    private func format(profile: [UInt8]) -> RowFormat {
        var format = RowFormat(width: 1, height: 1, layout: .rgba8)
        format.profile = profile
        return format
    }
}

/// Builds profiles with three primaries and the curve of sRGB (ICC.1:2001).
private enum ICCProfile {
    struct Primary {
        var x, y, z: Double

        // The primaries of sRGB, adapted to D50 as in its own profile.
        static let srgbRed = Primary(x: 0.43607, y: 0.22249, z: 0.01392)
        static let srgbGreen = Primary(x: 0.38515, y: 0.71687, z: 0.09708)
        static let srgbBlue = Primary(x: 0.14307, y: 0.06061, z: 0.71410)
        static let white = Primary(x: 0.96420, y: 1, z: 0.82491)
    }

    static func rgb(red: Primary, green: Primary) -> [UInt8] {
        let curve = tag("curv", words: [1024]) + (0..<1024).flatMap { step in halfword(linear(Double(step) / 1023)) }
        let parts: [(name: String, data: [UInt8])] = [
            ("wtpt", xyz(.white)), ("rXYZ", xyz(red)), ("gXYZ", xyz(green)), ("bXYZ", xyz(.srgbBlue)),
            ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ]
        var table = word(parts.count)
        var data: [UInt8] = []
        let start = 128 + 4 + 12 * parts.count
        for part in parts {
            table += Array(part.name.utf8) + word(start + data.count) + word(part.data.count)
            data += part.data
        }
        var header = word(start + data.count) + word(0) + word(0x0210_0000)
        header += Array("mntrRGB XYZ ".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 28) + xyz(.white).dropFirst(8)
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return header + table + data
    }

    private static func linear(_ value: Double) -> Int {
        let light = value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055)
        return Int((light * 65535).rounded())
    }

    /// Returns the 2.4th power, with Newton's method for the fifth root.
    private static func power(_ value: Double) -> Double {
        let twelfth = (0..<11).reduce(value) { product, _ in product * value }
        var root = value
        for _ in 0..<100 { root -= (root * root * root * root * root - twelfth) / (5 * root * root * root * root) }
        return root
    }

    private static func xyz(_ primary: Primary) -> [UInt8] {
        tag("XYZ ", words: [primary.x, primary.y, primary.z].map { Int(($0 * 65536).rounded()) })
    }

    private static func tag(_ name: String, words: [Int]) -> [UInt8] {
        Array(name.utf8) + word(0) + words.flatMap { word($0) }
    }

    private static func word(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func halfword(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}
