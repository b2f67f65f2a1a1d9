import Testing

@testable import Images
@testable import Serialization

@Suite struct BMPFactsTests {
    /// Returns a header of `length` bytes: sides, planes, bits, then its other fields.
    private func bitmap(
        _ length: Int,
        width: Int,
        height: Int,
        bits: Int,
        compression: Int = 0,
        density: Int = 0,
        rest: [UInt8] = [],
        pixels: Int
    ) -> [UInt8] {
        var head: [UInt8] = .little32(length)
        if length == 12 {
            head += .little16(width) + .little16(height) + .little16(1) + .little16(bits)
        } else {
            head += .little32(width) + .little32(height & 0xFFFF_FFFF) + .little16(1) + .little16(bits)
            head += .little32(compression) + .little32(0) + .little32(density) + .little32(density)
        }
        head += rest
        head += [UInt8](repeating: 0, count: max(0, length - head.count))
        let offset = 14 + head.count
        return .ascii("BM") + .little32(offset + pixels) + .little32(0) + .little32(offset) + head
            + [UInt8](repeating: 0, count: pixels)
    }

    @Test func `a Windows bitmap with its density`() throws {
        #expect(
            try facts(bitmap(40, width: 3, height: 2, bits: 24, density: 2_835, pixels: 24)) == """
                {"format":"bmp","mediaType":"image/bmp","width":3,"height":2,"scale":1,"size":{"width":3,"height":2},\
                "color":{"model":"rgb","channels":3,"bitsPerChannel":8,"alpha":false},\
                "density":{"x":2835,"y":2835,"unit":"meter","source":"bmp"},"coding":{"compression":"none"},"frames":1,\
                "integrity":{"verdict":"unchecked","checked":"header"},"decoded":"header"}
                """
        )
    }

    @Test func `an OS/2 bitmap has a palette and nothing else`() throws {
        #expect(
            try facts(bitmap(12, width: 9, height: 7, bits: 4, pixels: 56)) == """
                {"format":"bmp","mediaType":"image/bmp","width":9,"height":7,"scale":1,"size":{"width":9,"height":7},\
                "color":{"model":"palette","channels":1,"bitsPerChannel":4,"alpha":false},\
                "coding":{"compression":"none"},"frames":1,\
                "integrity":{"verdict":"unchecked","checked":"header"},"decoded":"header"}
                """
        )
    }

    @Test func `version 5, top row first, with masks, alpha and a colour profile`() throws {
        // Four masks, then the colour space 'MBED', 48 bytes of end points and gammas, the intent, the profile and its
        // length.
        let masks: [UInt8] = .little32(0xFF_0000) + .little32(0xFF00) + .little32(0xFF) + .little32(0xFF00_0000)
        let profile = profile()
        let rest =
            [UInt8](repeating: 0, count: 8) + masks + .little32(0x4D42_4544) + [UInt8](repeating: 0, count: 48)
            + .little32(4) + .little32(124 + 16) + .little32(profile.count)
        let content = bitmap(124, width: 2, height: -2, bits: 32, compression: 3, rest: rest, pixels: 16) + profile
        #expect(
            try facts(content) == """
                {"format":"bmp","mediaType":"image/bmp","width":2,"height":2,"scale":1,"size":{"width":2,"height":2},\
                "color":{"model":"rgb","channels":4,"bitsPerChannel":8,"alpha":true,\
                "icc":{"bytes":161,"description":"Test","space":"RGB","intent":"perceptual"}},\
                "coding":{"compression":"bitfields"},"frames":1,\
                "integrity":{"verdict":"unchecked","checked":"header"},"decoded":"header"}
                """
        )
        let cut = try header(Array(content.dropLast(100)))
        #expect(cut.color.profile == nil)
        #expect(cut.flaws == [ImageFlaw(byte: 154, part: "ICC profile")])
    }

    @Test func `missing rows are reported; padding after the last row may be missing`() throws {
        let whole = bitmap(40, width: 3, height: 2, bits: 24, pixels: 24)
        #expect(try header(Array(whole.dropLast(3))).integrity.verdict == .unchecked)
        let cut = Array(whole.dropLast(4))
        #expect(try header(cut).integrity == ImageIntegrity(.truncated, checked: .structure, byte: cut.count))
    }

    @Test(arguments: [(0, 2), (3, 0), (-3, 2)])
    func `impossible sides are corrupt`(width: Int, height: Int) {
        #expect(throws: ImageError(.corrupt(part: "bitmap header"), at: 14)) {
            try header(bitmap(40, width: width & 0xFFFF_FFFF, height: height, bits: 24, pixels: 24))
        }
    }

    @Test func `missing rows are reported without a file header, and if its offset is impossible`() throws {
        let whole = bitmap(40, width: 3, height: 2, bits: 24, pixels: 24)
        let bare = Array(whole.dropFirst(14))
        #expect(try header(bare).integrity.verdict == .unchecked)
        let cut = Array(bare.dropLast(4))
        #expect(try header(cut).integrity == ImageIntegrity(.truncated, checked: .structure, byte: cut.count))
        for offset in [0, 53, whole.count + 1] {
            var moved = whole
            moved.replaceSubrange(10..<14, with: [UInt8].little32(offset))
            #expect(try header(moved).integrity.verdict == .unchecked)
            #expect(try header(Array(moved.dropLast(4))).integrity.verdict == .truncated)
        }
    }

    @Test(arguments: [(3, 0xFF00_0000, true), (3, 0, false), (6, 0xFF00_0000, true), (6, 0, false)])
    func `there is alpha if its mask is not empty`(compression: Int, mask: Int, hasAlpha: Bool) throws {
        let masks: [UInt8] = .little32(0xFF_0000) + .little32(0xFF00) + .little32(0xFF) + .little32(mask)
        let rest = [UInt8](repeating: 0, count: 8) + masks
        for length in compression == 6 ? [40, 56] : [56] {
            let content = bitmap(
                length,
                width: 1,
                height: 1,
                bits: 32,
                compression: compression,
                rest: rest,
                pixels: 4
            )
            #expect(try header(content).color.alpha == hasAlpha)
        }
    }
}
