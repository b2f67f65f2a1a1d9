import Testing

@testable import Images
@testable import Serialization

@Suite struct WebPPixelsTests {
    /// A smooth picture, which the lossy coding changes only slightly; its right half is transparent.
    private static let picture: RGBAImage = {
        var picture = RGBAImage(width: 32, height: 24, filledWith: RGBA(red: 0, green: 0, blue: 0))
        for y in 0..<24 {
            for x in 0..<32 {
                let at = 4 * (y * 32 + x)
                picture.pixels.replaceSubrange(
                    at..<at + 4,
                    with: [UInt8(x * 4), UInt8(y * 6), UInt8(255 - x * 4), x < 16 ? 255 : 0]
                )
            }
        }
        return picture
    }()

    @Test(arguments: [true, false])
    func `encoded pictures can be decoded`(isOpaque: Bool) throws {
        let picture = isOpaque ? Self.opaque : Self.picture
        let decoded = try decode(try WebPEncoder.encode(picture, isGrey: false, quality: 95))
        #expect(decoded.layout == (isOpaque ? .rgbx8 : .rgba8))
        #expect(decoded.integrity == ImageIntegrity(.complete, checked: .pixels))
        for index in 0..<32 * 24 where index % 32 < 12 {
            for channel in 0..<3 {
                let at = 4 * index + channel
                #expect(abs(Int(decoded.bytes[at]) - Int(picture.pixels[at])) <= 14, "\(index) \(channel)")
            }
        }
        if !isOpaque {
            let alpha = stride(from: 3, to: decoded.bytes.count, by: 4).map { decoded.bytes[$0] }
            #expect(alpha == stride(from: 3, to: picture.pixels.count, by: 4).map { picture.pixels[$0] })
        }
    }

    @Test func `lower quality results in fewer bytes`() throws {
        let low = try WebPEncoder.encode(Self.opaque, isGrey: false, quality: 10)
        let high = try WebPEncoder.encode(Self.opaque, isGrey: false, quality: 100)
        #expect(low.count < high.count)
    }

    @Test(arguments: [2, 4, 8])
    func `a reduced image has its size rounded up`(reduction: Int) throws {
        let content = try WebPEncoder.encode(Self.opaque, isGrey: false, quality: 95)
        var source = try WebPPixels(content.span, RenderingRequest(.webp))
        let format = try source.begin(content.span, reduction: reduction, maxMemoryBytes: 64 << 20)
        #expect((format.width, format.height) == (32 / reduction, 24 / reduction))
        var rows = [UInt8](repeating: 0, count: format.height * format.rowBytes)
        var span = rows.mutableSpan
        #expect(try source.readRows(content.span, into: &span) == format.height)
        // The red of a pixel in the middle of the first row.
        #expect(abs(Int(rows[2]) - 255) < 30)
    }

    @Test func `truncation at any offset is reported, and more data never shows less`() throws {
        let whole = try WebPEncoder.encode(Self.picture, isGrey: false, quality: 95)
        for count in 0..<whole.count {
            do throws(RenderingError) {
                let picture = try decode(Array(whole[..<count]))
                #expect(
                    picture.integrity == ImageIntegrity(.truncated, checked: picture.integrity.checked, byte: count)
                )
            } catch {
                #expect(error == .truncated(byte: count))
            }
        }
    }

    @Test func `trailing bytes are reported, and broken data is corrupt`() throws {
        let whole = try WebPEncoder.encode(Self.opaque, isGrey: false, quality: 95)
        let following = try decode(whole + [0]).integrity
        #expect(following == ImageIntegrity(.trailingBytes, checked: .pixels, byte: whole.count))
        // The signature of the key frame.
        var broken = whole
        broken[12 + 8 + 3] ^= 0xFF
        #expect(throws: RenderingError.corrupt(byte: 12, part: "VP8")) { try decode(broken) }
        #expect(throws: RenderingError.corrupt(byte: 12, part: "VP8")) { try decode(riff([])) }
    }

    @Test func `only the padding of the last chunk may be missing`() throws {
        let image = try Array(WebPEncoder.encode(Self.opaque, isGrey: false, quality: 95)[12...])
        let content = riff(image + chunk("XMP ", [1, 2, 3]))
        let cut = Array(content.dropLast())
        #expect(try decode(cut).integrity == ImageIntegrity(.missingEnd, checked: .pixels, byte: cut.count))
        #expect(try decode(Array(content.dropLast(2))).integrity.verdict == .truncated)
    }

    @Test func `the memory limit is checked before allocation`() throws {
        let content = try WebPEncoder.encode(Self.opaque, isGrey: false, quality: 95)
        #expect(throws: RenderingError.self) { try decode(content, maxMemoryBytes: 1 << 20) }
    }

    // MARK: Animations

    @Test func `the first frame is shown on its canvas`() throws {
        let content = try animation([(4, 2), (0, 0)])
        let picture = try decode(content)
        #expect((picture.width, picture.height) == (40, 30))
        #expect(picture.pixels[0] == "00000000")
        #expect(picture.pixels[2 * 40 + 4].hasSuffix("ff"))
        #expect(picture.pixels[2 * 40 + 3] == "00000000")
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .structure))
        #expect(try decode(content) { $0.decode = .full }.integrity.checked == .pixels)
    }

    @Test func `later frames are decoded only if all pixels are requested`() throws {
        var content = try animation([(0, 0), (0, 0)])
        content[content.count - 60] ^= 0xFF
        content.replaceSubrange(content.count - 40..<content.count, with: [UInt8](repeating: 0xFF, count: 40))
        #expect(try decode(content).integrity.verdict == .complete)
        // Lossy data may be anything, but a frame must not extend beyond its canvas.
        let beyond = try animation([(0, 0), (20, 0)])
        #expect(try decode(beyond).integrity.verdict == .complete)
        #expect(try decode(beyond) { $0.decode = .full }.integrity.part == "ANMF")
    }

    @Test func `the number of frames and their pixels are limited`() throws {
        let content = try animation([(0, 0), (0, 0), (0, 0)])
        #expect(throws: RenderingError.tooManyFrames(max: 2)) {
            try decode(content) {
                $0.decode = .full
                $0.maxFrames = 2
            }
        }
        #expect(throws: RenderingError.tooManyPixels(max: 3 * 32 * 24 - 1)) {
            try decode(content) {
                $0.decode = .full
                $0.maxPixels = 3 * 32 * 24 - 1
            }
        }
    }

    // MARK: Support

    private static let opaque = picture.flattened(on: RGBA(red: 255, green: 255, blue: 255))

    /// Returns an animation on a canvas of 40 × 30, with the picture as each frame at the given positions.
    private func animation(_ places: [(Int, Int)]) throws(RenderingError) -> [UInt8] {
        let still = try WebPEncoder.encode(Self.opaque, isGrey: false, quality: 95)
        let data = Array(still.dropFirst(12))
        var chunks = chunk("VP8X", [0x12, 0, 0, 0] + littleEndian(39, 3) + littleEndian(29, 3))
        chunks += chunk("ANIM", [0, 0, 0, 0, 0, 0])
        for (left, top) in places {
            let place = littleEndian(left / 2, 3) + littleEndian(top / 2, 3) + littleEndian(31, 3) + littleEndian(23, 3)
            chunks += chunk("ANMF", place + littleEndian(100, 3) + [0] + data)
        }
        return riff(chunks)
    }

    private func riff(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + littleEndian(4 + chunks.count, 4) + Array("WEBP".utf8) + chunks
    }

    private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + littleEndian(data.count, 4) + data + (data.count % 2 == 0 ? [] : [0])
    }

    private func decode(
        _ content: [UInt8],
        maxMemoryBytes: Int = 64 << 20,
        _ change: (inout RenderingRequest) -> Void = { _ in }
    ) throws(RenderingError) -> DecodedPicture {
        var request = RenderingRequest(.webp)
        change(&request)
        var source = try WebPPixels(content.span, request)
        return try DecodedPicture(content, from: &source, maxMemoryBytes: maxMemoryBytes)
    }
}
