import Testing

@testable import Images
@testable import Serialization

@Suite struct IconTests {
    private static let red = RGBAImage(width: 4, height: 4, filledWith: RGBA(red: 255, green: 0, blue: 0))

    @Test func `the largest picture is used, and of the largest the one with most bits`() throws {
        let small = dib(2, [UInt8](repeating: 0xFF, count: 16), bits: 32)
        let coarse = dib(4, [UInt8](repeating: 0, count: 16), bits: 8)
        let fine = try PNGEncoder.encode(Self.red, isGrey: false, quality: 80)
        let rendering = try render(icon([small, coarse, fine]))
        #expect(rendering.average == RGBA(red: 255, green: 0, blue: 0))
        #expect(rendering.integrity == ImageIntegrity(.complete, checked: .structure))
        #expect(try render(icon([small, coarse, fine])) { $0.decode = .full }.integrity.checked == .pixels)
    }

    @Test func `the mask hides pixels, unless there is alpha`() throws {
        let rows: [UInt8] = [10, 20, 30, 40, 50, 60, 0, 0, 7, 8, 9, 1, 2, 3, 0, 0]
        let masked = try decode(dib(2, rows, bits: 24, mask: [0x40, 0x80]))
        #expect(masked == ["00000000", "030201ff", "1e140aff", "00000000"])
        let alpha = try decode(
            dib(2, [1, 2, 3, 128, 1, 2, 3, 0, 1, 2, 3, 255, 1, 2, 3, 4], bits: 32, mask: [0xC0, 0xC0])
        )
        #expect(alpha == ["030201ff", "03020104", "03020180", "03020100"])
        let none = try decode(dib(2, [1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0], bits: 32, mask: [0x40, 0]))
        #expect(none == ["030201ff", "030201ff", "030201ff", "00000000"])
    }

    @Test func `offsets of damage refer to the complete content`() throws {
        let whole = icon([dib(4, [UInt8](repeating: 1, count: 64), bits: 32)])
        // The mask may be missing, but not the pixels.
        let content = Array(whole.dropLast(16 + 4))
        #expect(throws: RenderingError.truncated(byte: content.count)) { try render(content) }
        let rendering = try render(content) { $0.allowsTruncated = true }
        #expect(rendering.integrity == ImageIntegrity(.truncated, checked: .pixels, byte: content.count))
    }

    @Test func `a picture beyond the content is reported, and another is still shown`() throws {
        let content = icon([dib(2, [UInt8](repeating: 0xFF, count: 16), bits: 32), [1]])
        var far = content
        far.replaceSubrange(6 + 16 + 12..<6 + 16 + 16, with: [0xFF, 0xFF, 0xFF, 0x7F])
        #expect(throws: RenderingError.truncated(byte: far.count)) { try render(far) }
        #expect(try render(far) { $0.allowsTruncated = true }.average == RGBA(red: 255, green: 255, blue: 255))
    }

    @Test func `impossible sizes do not overflow`() {
        let png = [0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 0, count: 12) + [UInt8](repeating: 0xFF, count: 9)
        #expect(throws: RenderingError.self) { try render(icon([png, png])) }
        var largest = png
        (largest[16], largest[20]) = (0x7F, 0x7F)
        #expect(throws: RenderingError.self) { try render(icon([largest, largest])) { $0.decode = .full } }
    }

    @Test func `the total number of pixels in the others is limited`() throws {
        let content = icon([
            dib(4, [UInt8](repeating: 1, count: 64), bits: 32), dib(2, [UInt8](repeating: 1, count: 16), bits: 32),
        ])
        #expect(throws: RenderingError.tooManyPixels(max: 19)) {
            try render(content) {
                $0.decode = .full
                $0.maxPixels = 19
            }
        }
        #expect(
            try render(content) {
                $0.decode = .full
                $0.maxPixels = 20
            }.integrity.verdict == .complete
        )
    }

    @Test(arguments: [
        [], [0, 0, 1, 0], [0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 255, 255],
        [0, 0, 1, 0, 1, 0] + [UInt8](repeating: 0, count: 16),
    ])
    func `a directory without a picture is rejected`(content: [UInt8]) {
        #expect(throws: RenderingError.self) { try render(content) }
    }

    // MARK: Support

    private func icon(_ pictures: [[UInt8]]) -> [UInt8] {
        var start = 6 + 16 * pictures.count
        var content = [0, 0, 1, 0] + littleEndian(pictures.count, 2)
        for picture in pictures {
            content += [UInt8](repeating: 0, count: 8) + littleEndian(picture.count, 4) + littleEndian(start, 4)
            start += picture.count
        }
        return content + pictures.flatMap { $0 }
    }

    /// Returns a square bitmap with its mask. `mask` contains the first byte of each row, the lowest row first.
    private func dib(_ side: Int, _ pixels: [UInt8], bits: Int, mask: [UInt8]? = nil) -> [UInt8] {
        var content = littleEndian(40, 4) + littleEndian(side, 4) + littleEndian(2 * side, 4) + littleEndian(1, 2)
        content += littleEndian(bits, 2) + littleEndian(0, 24)
        content += [UInt8](repeating: 0, count: bits <= 8 ? 4 << bits : 0) + pixels
        return content + (mask ?? [UInt8](repeating: 0, count: side)).flatMap { [$0, 0, 0, 0] }
    }

    private func decode(_ bitmap: [UInt8]) throws(RenderingError) -> [String] {
        var source = try BMPSource(bitmap.span, isInIcon: true)
        return try DecodedPicture(bitmap, from: &source).pixels
    }

    private func render(
        _ content: [UInt8],
        _ change: (inout RenderingRequest) -> Void = { _ in }
    ) throws(RenderingError) -> Rendering {
        var request = RenderingRequest(.ico)
        request.placeholders = .average
        change(&request)
        return try PixelRenderer().render(content.span, request)
    }

    private func with(_ best: [UInt8], _ other: [UInt8], full: Bool = false) throws(RenderingError) -> Rendering {
        try render(icon([best, other])) { if full { $0.decode = .full } }
    }

    @Test func `a picture that cannot be decoded is reported with its own error`() throws {
        let small = dib(2, [UInt8](repeating: 0xFF, count: 16), bits: 32)
        // The bitmap headers are after the directory of six bytes, its entries, and in the second case the first
        // picture.
        var corrupt = dib(1, [1, 2, 3, 0], bits: 32)
        corrupt[16] = 99
        let first = 6 + 16
        #expect(throws: RenderingError.corrupt(byte: first, part: "bitmap header")) { try render(icon([corrupt])) }
        let second = 6 + 32 + small.count
        #expect(throws: RenderingError.corrupt(byte: second, part: "bitmap header")) { try with(small, corrupt) }
        let rendering = try render(icon([small, corrupt])) { $0.allowsTruncated = true }
        #expect(
            rendering.integrity
                == ImageIntegrity(.corrupt, checked: .structure, byte: second, part: "bitmap header")
        )
        // An unsupported one is an error only if all pixels are requested.
        let deep = dib(1, [UInt8](repeating: 0, count: 8), bits: 64)
        #expect(try with(small, deep).integrity == ImageIntegrity(.complete, checked: .structure))
        let unsupported = RenderingError.unsupported(feature: "bitmaps of 64 bits per pixel")
        #expect(throws: unsupported) { try with(small, deep, full: true) }
        #expect(throws: unsupported) { try render(icon([deep])) }
    }

    @Test func `damage in a PNG is reported at its offset in the complete content`() throws {
        var png = try PNGEncoder.encode(Self.red, isGrey: false, quality: 80)
        // The first byte of the data of IDAT, after the signature, IHDR of 25 bytes, a length and a type.
        png[8 + 25 + 8 + 4] ^= 0xFF
        #expect(throws: RenderingError.corrupt(byte: 6 + 16 + 8 + 25, part: "IDAT")) { try render(icon([png])) }
        png[16] = 0xFF
        #expect(throws: RenderingError.corrupt(byte: 6 + 16 + 8, part: "IHDR")) { try render(icon([png])) }
    }
}
