import Foundation
import TestSupport
import Testing

@testable import Images
@testable import Serialization

@Suite struct GIFPixelsTests {
    private static let colors: [[UInt8]] = [[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]]

    @Test func `a frame that covers the screen is opaque`() throws {
        let picture = try decode(gif { $0.frame(0, 0, 3, 2, [1, 2, 3, 0, 1, 2]) })
        #expect(picture.pixels == ["ff0000", "00ff00", "0000ff", "000000", "ff0000", "00ff00"])
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .pixels))
    }

    @Test func `unpainted pixels are transparent, and pixels beyond the screen are invisible`() throws {
        let picture = try decode(gif { $0.frame(2, 1, 2, 2, [1, 2, 3, 0]) })
        let none = "00000000"
        #expect(picture.pixels == [none, none, none, none, none, "ff0000ff"])
    }

    @Test func `neither the transparent index nor an index without a colour paints`() throws {
        let picture = try decode(
            gif {
                $0.transparent(1)
                $0.frame(0, 0, 3, 2, [1, 2, 7, 0, 1, 2], codeSize: 3)
            }
        )
        let none = "00000000"
        #expect(picture.pixels == [none, "00ff00ff", none, "000000ff", none, "00ff00ff"])
    }

    @Test func `a frame's own colours are used before the screen's`() throws {
        let own: [[UInt8]] = [[1, 1, 1], [2, 2, 2]]
        let picture = try decode(gif { $0.frame(0, 0, 3, 2, [0, 1, 0, 1, 0, 1], colors: own, codeSize: 1) })
        #expect(picture.pixels == ["010101", "020202", "010101", "020202", "010101", "020202"])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 8, 9, 16, 17])
    func `an interlaced frame has its rows in four passes`(height: Int) throws {
        let passes = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
        var builder = GIFBuilder(1, height, colors: (0..<32).map { [UInt8($0), 0, 0] })
        builder.frame(0, 0, 1, height, passes.map { UInt8($0) }, isInterlaced: true, codeSize: 5)
        let picture = try decode(builder.content)
        #expect(picture.reds == (0..<height).map { UInt8($0) })
    }

    @Test(arguments: [true, false])
    func `the code table may be full, with or without a following clear code`(clears: Bool) throws {
        var state: UInt32 = 7
        // Runs and noise: strings of all lengths, and codes that are used immediately after they were added.
        let indices = (0..<300 * 200).map { place -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return place % 3_000 < 1_000 ? 9 : UInt8(state >> 24)
        }
        var builder = GIFBuilder(300, 200, colors: (0..<256).map { [UInt8($0), 0, 0] })
        builder.frame(0, 0, 300, 200, indices, codeSize: 8, clearsWhenFull: clears)
        let picture = try decode(builder.content)
        #expect(picture.reds == indices)
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .pixels))
    }

    @Test func `the first code need not be the clear code`() throws {
        var builder = GIFBuilder(2, 1, colors: Self.colors)
        builder.raw([0x2C] + [0, 0, 2, 1].flatMap { littleEndian($0, 2) } + [0, 2])
        builder.raw(GIFBuilder.subBlocks(GIFBuilder.pack([(3, 3), (1, 3), (5, 3)])))
        #expect(try decode(builder.content).pixels == ["0000ff", "ff0000"])
    }

    /// Such sizes leave fewer codes for strings. The indices are those of 8 bits.
    @Test(arguments: 9...11)
    func `a minimum code size above 8 bits is valid as long as no index is above 255`(codeSize: Int) throws {
        let indices = (0..<60 * 40).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var builder = GIFBuilder(60, 40, colors: (0..<256).map { [UInt8($0), 0, 0] })
        builder.frame(0, 0, 60, 40, indices, codeSize: codeSize)
        let picture = try decode(builder.content)
        #expect(picture.reds == indices)
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .pixels))

        var other = GIFBuilder(2, 1, colors: Self.colors)
        other.raw([0x2C] + [0, 0, 2, 1].flatMap { littleEndian($0, 2) } + [0, UInt8(codeSize)])
        let bits = codeSize + 1
        other.raw(GIFBuilder.subBlocks(GIFBuilder.pack([(1 << codeSize, bits), (3, bits), (256, bits)])))
        #expect(try decode(other.content).integrity.verdict == .corrupt)
    }

    @Test(arguments: [0, 12, 255])
    func `other minimum code sizes are corrupt`(codeSize: UInt8) throws {
        var builder = GIFBuilder(2, 1, colors: Self.colors)
        builder.raw([0x2C] + [0, 0, 2, 1].flatMap { littleEndian($0, 2) } + [0, codeSize])
        builder.raw(GIFBuilder.subBlocks([1, 2, 3, 4, 5, 6]))
        #expect(try decode(builder.content).integrity.verdict == .corrupt)
    }

    // MARK: Damage

    @Test func `truncation at any offset is reported`() throws {
        let whole = gif { $0.frame(0, 0, 3, 2, [1, 2, 3, 0, 1, 2]) }
        for count in 0..<whole.count {
            let content = Array(whole[..<count])
            do throws(RenderingError) {
                let picture = try decode(content)
                // The trailer, and the block that ends the data.
                let verdict: ImageIntegrity.Verdict = count >= whole.count - 2 ? .missingEnd : .truncated
                let checked: ImageIntegrity.Check = verdict == .missingEnd ? .pixels : picture.integrity.checked
                #expect(picture.integrity == ImageIntegrity(verdict, checked: checked, byte: count))
            } catch {
                #expect(error == .truncated(byte: count))
            }
        }
    }

    @Test func `the data before the end is shown`() throws {
        var builder = GIFBuilder(2, 3, colors: Self.colors)
        builder.transparent(0)
        builder.frame(0, 0, 2, 3, [1, 2, 3, 1, 2, 3])
        // The trailer, the terminator, and the last of three bytes of codes are missing.
        let picture = try decode(Array(builder.content.dropLast(3)))
        #expect(picture.pixels.prefix(2) == ["ff0000ff", "00ff00ff"])
        #expect(picture.pixels.count == 6)
        #expect(picture.pixels.last == "00000000")
        #expect(picture.integrity.verdict == .truncated)
    }

    @Test(
        arguments: [
            ([(4, 3), (1, 3), (7, 3)], "a code that is not made yet"),
            ([(4, 3), (6, 3)], "a first code that is none"),
            ([(4, 3), (1, 3), (5, 3)], "the end code before the last pixel"),
            ([(4, 3), (1, 3)], "the last sub-block before the last pixel"),
        ] as [([(code: Int, bits: Int)], String)]
    )
    func `impossible codes are corrupt`(codes: [(code: Int, bits: Int)], story: String) throws {
        var builder = GIFBuilder(2, 2, colors: Self.colors)
        builder.raw([0x2C] + [0, 0, 2, 2].flatMap { littleEndian($0, 2) } + [0, 2])
        builder.raw(GIFBuilder.subBlocks(GIFBuilder.pack(codes)))
        let integrity = try decode(builder.content).integrity
        #expect(integrity.verdict == .corrupt, "\(story)")
        #expect(integrity.part == "image data", "\(story)")
    }

    @Test(arguments: [0, 9, 12, 255])
    func `an impossible code size is corrupt`(size: UInt8) throws {
        var builder = GIFBuilder(2, 2, colors: Self.colors)
        builder.raw([0x2C] + [0, 0, 2, 2].flatMap { littleEndian($0, 2) } + [0, size, 1, 0, 0])
        #expect(try decode(builder.content).integrity.part == "image data")
    }

    @Test func `no frame and an unknown block are corrupt`() throws {
        let empty = GIFBuilder(1, 1, colors: [])
        #expect(throws: RenderingError.corrupt(byte: 13, part: "image descriptor")) { try decode(empty.content) }
        let unknown = gif {
            $0.frame(0, 0, 3, 2, [1, 2, 3, 0, 1, 2])
            $0.raw([0x77])
        }
        let integrity = try decode(unknown).integrity
        let corrupt = ImageIntegrity(.corrupt, checked: .structure, byte: unknown.count - 2, part: "block")
        #expect(integrity == corrupt.withWholePicture)
    }

    @Test func `bytes after the trailer are reported`() throws {
        let content = gif { $0.frame(0, 0, 3, 2, [1, 2, 3, 0, 1, 2]) }
        let integrity = try decode(content + [0, 0]).integrity
        #expect(integrity == ImageIntegrity(.trailingBytes, checked: .pixels, byte: content.count))
    }

    // MARK: Many frames

    @Test func `later frames are decoded only if all pixels are requested`() throws {
        let content = gif {
            $0.frame(0, 0, 3, 2, [1, 2, 3, 0, 1, 2])
            $0.raw([0x2C] + [0, 0, 2, 2].flatMap { littleEndian($0, 2) } + [0, 2, 1, 0xFF, 0])
        }
        #expect(try decode(content).integrity == ImageIntegrity(.complete, checked: .structure))
        let full = try decode(content) { $0.decode = .full }
        #expect(full.integrity.verdict == .corrupt)
        #expect(full.integrity.checked == .pixels)
    }

    @Test func `the number of frames and their pixels are limited`() throws {
        let content = gif { for _ in 0..<3 { $0.frame(0, 0, 3, 2, [1, 2, 3, 0, 1, 2]) } }
        let full = try decode(content) {
            $0.decode = .full
            $0.maxFrames = 3
            $0.maxPixels = 18
        }
        #expect(full.integrity == ImageIntegrity(.complete, checked: .pixels))
        #expect(throws: RenderingError.tooManyFrames(max: 2)) {
            try decode(content) {
                $0.decode = .full
                $0.maxFrames = 2
            }
        }
        #expect(throws: RenderingError.tooManyPixels(max: 17)) {
            try decode(content) {
                $0.decode = .full
                $0.maxPixels = 17
            }
        }
    }

    @Test func `a frame that is larger than its screen does not get around the limits`() throws {
        var builder = GIFBuilder(1, 1, colors: Self.colors)
        builder.frame(0, 0, 60_000, 60_000, [1], isInterlaced: true)
        let content = builder.content
        #expect(throws: RenderingError.tooManyPixels(max: 256 << 20)) { try decode(content) }
        #expect(throws: RenderingError.self) {
            try decode(content, maxMemoryBytes: 1 << 20) { $0.maxPixels = 60_000 * 60_000 }
        }
    }

    /// The SHA-256 of the pixels from Pillow, with transparent ones as zeros.
    @Test(
        .needs("images/image-gif"),
        arguments: [
            ("2x2.gif", "f38d522927a4f3eebe2cc4647870653de12ad51f6937f0e49fb398a9324ec6d6"),
            ("alpha_gif_a.gif", "a05220d5d89b6632f3907f1ee193e92ac482aded52a67a543cab758c855dbec9"),
            ("anim-gr.gif", "42f918becde1d7a197cb96baebd4e9f7217e4492414f277e39198c4a7d17721d"),
            ("beacon.gif", "72d724e2348d479c87488ff799adefb69dafd30559f17c0d82aee83c08541401"),
            ("beacon_icc.gif", "72d724e2348d479c87488ff799adefb69dafd30559f17c0d82aee83c08541401"),
            ("beacon_xmp.gif", "72d724e2348d479c87488ff799adefb69dafd30559f17c0d82aee83c08541401"),
            ("gifplayer-muybridge.gif", "68050707c4b30614a11888efe9011d07ccc1a69799b1a246bb628fe281e3d9b2"),
            ("interlaced.gif", "6e313bb8c71a5456536b9b4d73d15fe2625205397a88cd357cce51eb8ebc0ee1"),
            ("moon_impact.gif", "42fb2709de483bf5126356bea788e29fbf208fdc1a72f65fa9a5948515a43cb9"),
            ("sample_1.gif", "6a9402fd06b3491c8372ce0356c07b7010c4a39f0a23a3b90289c709ad999099"),
            ("sample_big.gif", "bcdcc53159e0ad1459919b842452dc8bd6b7b05aedaf68250e56374d7f7f23b7"),
            ("set_hsts.gif", "df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119"),
        ]
    )
    func `pictures of the image-gif project have the pixels that Pillow sees`(name: String, digest: String) throws {
        let url = Suites.url("images/image-gif/samples/\(name)")
        let picture = try decode(Array(Data(contentsOf: url)))
        let hash = SHA256.digest(of: picture.rgba.span)
        #expect(hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == digest)
    }

    // MARK: Support

    private func gif(_ build: (inout GIFBuilder) -> Void) -> [UInt8] {
        var builder = GIFBuilder(3, 2, colors: Self.colors)
        build(&builder)
        return builder.content
    }

    private func decode(
        _ content: [UInt8],
        maxMemoryBytes: Int = 64 << 20,
        _ change: (inout RenderingRequest) -> Void = { _ in }
    ) throws(RenderingError) -> DecodedPicture {
        var request = RenderingRequest(.gif)
        change(&request)
        var source = try GIFPixels(content.span, request)
        return try DecodedPicture(content, from: &source, maxMemoryBytes: maxMemoryBytes)
    }
}
