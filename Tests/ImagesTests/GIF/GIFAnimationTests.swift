import Foundation
import TestSupport
import Testing

@testable import Images
@testable import Serialization

/// Screens are written with one letter per pixel: `.` is transparent; `k`, `r`, `g` and `b` are the four colours.
@Suite struct GIFAnimationTests {
    private static let colors: [[UInt8]] = [[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]]

    @Test(
        arguments: [
            (0, "rrr/rbr/rrr", "no disposal said: it stays"),
            (1, "rrr/rbr/rrr", "it stays"),
            (2, ".../.b./...", "its place is cleared, to nothing and not to the background colour"),
            (3, "rgr/gbg/rgr", "what was there comes back"),
            (4, "rgr/gbg/rgr", "another way to say so"),
            (7, "rrr/rbr/rrr", "not defined: it stays"),
        ]
    )
    func `a frame is disposed of with its method before the next one`(disposal: Int, third: String, story: String)
        throws
    {
        // The second frame is a red cross, which does not change the corners.
        let content = gif {
            $0.frame(0, 0, 3, 3, [1, 2, 1, 2, 2, 2, 1, 2, 1])
            $0.control(transparent: 0, disposal: disposal)
            $0.frame(0, 0, 3, 3, [0, 1, 0, 1, 1, 1, 0, 1, 0])
            $0.frame(1, 1, 1, 1, [3])
        }
        #expect(try screens(content) == ["rgr/ggg/rgr", "rrr/rrr/rrr", third], "\(story)")
    }

    @Test func `only the area of a frame is cleared or restored`() throws {
        let content = gif {
            $0.frame(0, 0, 3, 3, [2, 2, 2, 2, 2, 2, 2, 2, 2])
            $0.control(disposal: 2)
            $0.frame(1, 0, 2, 1, [1, 1])
            $0.control(disposal: 3)
            $0.frame(0, 1, 2, 2, [3, 3, 3, 3])
            $0.frame(2, 2, 1, 1, [0])
        }
        #expect(try screens(content) == ["ggg/ggg/ggg", "grr/ggg/ggg", "g../bbg/bbg", "g../ggg/ggk"])
    }

    @Test func `the screen before the first frame is empty, and can be restored`() throws {
        let content = gif {
            $0.control(disposal: 3)
            $0.frame(0, 0, 2, 2, [1, 1, 1, 1])
            $0.frame(1, 1, 1, 1, [2])
        }
        #expect(try screens(content) == ["rr./rr./...", ".../.g./..."])
    }

    @Test func `the part of a frame beyond the screen is ignored`() throws {
        for disposal in 1...3 {
            let content = gif {
                $0.frame(0, 0, 3, 3, [2, 2, 2, 2, 2, 2, 2, 2, 2])
                $0.control(disposal: disposal)
                $0.frame(2, 2, 2, 2, [1, 1, 1, 1])
                $0.control(disposal: disposal)
                $0.frame(7, 9, 2, 2, [1, 1, 1, 1])
                $0.control(disposal: disposal)
                $0.frame(0, 0, 1, 1, [3])
            }
            let corner = disposal == 1 ? "r" : disposal == 2 ? "." : "g"
            #expect(
                try screens(content)
                    == ["ggg/ggg/ggg", "ggg/ggg/ggr", "ggg/ggg/gg\(corner)", "bgg/ggg/gg\(corner)"]
            )
        }
    }

    @Test func `an interlaced frame among others has its rows in order`() throws {
        let content = gif {
            $0.frame(0, 0, 3, 3, [0, 0, 0, 0, 0, 0, 0, 0, 0])
            $0.frame(1, 0, 1, 3, [1, 2, 3], isInterlaced: true)
        }
        // Rows 0, 2 and 1, in three of the four passes.
        #expect(try screens(content).last == "krk/kbk/kgk")
    }

    @Test func `each frame uses its own colours or those of the screen`() throws {
        let content = gif {
            $0.frame(0, 0, 3, 1, [1, 1, 1], colors: [[0, 0, 0], [0, 0, 255]], codeSize: 1)
            $0.frame(0, 1, 3, 1, [1, 1, 1])
        }
        #expect(try screens(content) == ["bbb/.../...", "bbb/rrr/..."])
    }

    // MARK: Displayed frames

    @Test func `the first frame is shown, whether the others are decoded or not`() throws {
        let content = gif {
            $0.control(transparent: 0)
            $0.frame(1, 1, 2, 1, [0, 1])
            $0.frame(0, 0, 3, 3, [2, 2, 2, 2, 2, 2, 2, 2, 2])
        }
        for decode in [DecodePolicy.auto, .full] {
            let picture = try shown(content) { $0.decode = decode }
            #expect(picture.screen == ".../..r/...")
            #expect(picture.integrity == ImageIntegrity(.complete, checked: decode == .full ? .pixels : .structure))
        }
    }

    @Test func `if the first frames paint nothing, the first that does is shown`() throws {
        let content = gif {
            $0.control(transparent: 0)
            $0.frame(0, 0, 3, 3, [0, 0, 0, 0, 0, 0, 0, 0, 0])
            $0.frame(5, 5, 1, 1, [1])
            $0.control(transparent: 0)
            $0.frame(0, 1, 3, 1, [0, 2, 0])
            $0.frame(0, 0, 3, 3, [1, 1, 1, 1, 1, 1, 1, 1, 1])
        }
        for decode in [DecodePolicy.auto, .full] {
            let picture = try shown(content) { $0.decode = decode }
            #expect(picture.screen == ".../.g./...")
            #expect(picture.integrity == ImageIntegrity(.complete, checked: decode == .full ? .pixels : .structure))
        }
    }

    @Test func `if no frame paints anything, or the search exceeds the limit, nothing is shown`() throws {
        let empty = gif {
            for _ in 0..<3 {
                $0.control(transparent: 0)
                $0.frame(0, 0, 3, 3, [0, 0, 0, 0, 0, 0, 0, 0, 0])
            }
        }
        let picture = try shown(empty)
        #expect(picture.screen == ".../.../...")
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .pixels))
        let late = gif {
            $0.control(transparent: 0)
            $0.frame(0, 0, 3, 3, [0, 0, 0, 0, 0, 0, 0, 0, 0])
            $0.frame(0, 0, 3, 3, [1, 1, 1, 1, 1, 1, 1, 1, 1])
        }
        let limited = try shown(late) { $0.maxFrames = 1 }
        #expect(limited.screen == ".../.../...")
        #expect(limited.integrity == ImageIntegrity(.complete, checked: .structure))
    }

    @Test func `the search for a visible frame covers 32 million pixels`() throws {
        let content = gif {
            $0.control(transparent: 0)
            $0.frame(0, 0, 1, 1, [0])
            // It would be found to be damaged if it were decoded.
            $0.raw([0x2C] + [0, 0, 8_192, 4_096].flatMap { littleEndian($0, 2) } + [0, 2, 1, 0xFF, 0])
            $0.frame(0, 0, 1, 1, [1])
        }
        let picture = try shown(content)
        #expect(picture.screen == ".../.../...")
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .structure))
    }

    // MARK: Limits and damage

    @Test func `the screen and the restored area count against the memory limit`() throws {
        let content = gif {
            $0.frame(0, 0, 3, 3, [2, 2, 2, 2, 2, 2, 2, 2, 2])
            $0.control(disposal: 3)
            $0.frame(0, 0, 2, 2, [1, 1, 1, 1])
        }
        // 36 bytes of the screen and 9 indices; then 16 that are restored, and 4 indices.
        #expect(throws: RenderingError.tooLarge(bytes: 45, max: 44)) { try screens(content, maxMemoryBytes: 44) }
        #expect(throws: RenderingError.tooLarge(bytes: 56, max: 55)) { try screens(content, maxMemoryBytes: 55) }
        #expect(try screens(content, maxMemoryBytes: 56).count == 2)
        var builder = GIFBuilder(16_000, 16_000, colors: Self.colors)
        builder.frame(0, 0, 1, 1, [1])
        builder.frame(0, 0, 1, 1, [1])
        #expect(throws: RenderingError.tooLarge(bytes: 1_024_000_000, max: 64 << 20)) {
            try shown(builder.content) { $0.decode = .full }
        }
    }

    @Test func `damage in a later frame is found and located`() throws {
        let content = gif {
            $0.frame(0, 0, 3, 3, [2, 2, 2, 2, 2, 2, 2, 2, 2])
            $0.raw([0x2C] + [0, 0, 2, 2].flatMap { littleEndian($0, 2) } + [0, 2, 1, 0xFF, 0])
        }
        let picture = try shown(content) { $0.decode = .full }
        #expect(picture.screen == "ggg/ggg/ggg")
        let damage = ImageIntegrity(.corrupt, checked: .pixels, byte: content.count - 3, part: "image data")
        #expect(picture.integrity == damage.withWholePicture)
    }

    @Test func `a later frame without colours is grey`() throws {
        var builder = GIFBuilder(1, 1, colors: [])
        builder.frame(0, 0, 1, 1, [0], colors: [[1, 1, 1], [2, 2, 2]])
        builder.frame(0, 0, 1, 1, [0])
        let content = builder.content
        #expect(try shown(content).integrity == ImageIntegrity(.complete, checked: .structure))
        #expect(
            try shown(content) { $0.decode = .full }.integrity == ImageIntegrity(.complete, checked: .pixels)
        )
    }

    // MARK: Other decoders

    /// The SHA-256 of all frames, one after another, from Pillow 13 and libvips 8.14, with transparent pixels as zeros.
    @Test(
        .needs("images/image-gif"),
        arguments: [
            ("anim-gr.gif", 2, "4f72a145628d9d9ce583c9880e48a813b890c42a071cad97226509112d53b2ff"),
            ("beacon.gif", 2, "633cfe726a41263cc14be66071654f3cd5c13ed911cad99e4ae3eebae437f394"),
            ("beacon_icc.gif", 2, "633cfe726a41263cc14be66071654f3cd5c13ed911cad99e4ae3eebae437f394"),
            ("moon_impact.gif", 14, "6668337de5afc09ea983af028e410a749f09f6518a7dfd4ddd640b814a661fb8"),
        ]
    )
    func `animations have the frames that Pillow and libvips see`(name: String, count: Int, digest: String) throws {
        let url = Suites.url("images/image-gif/samples/\(name)")
        let content = try Array(Data(contentsOf: url))
        var bytes: [UInt8] = []
        var frames = 0
        try compose(content) { canvas in
            for pixel in canvas.pixels { bytes += (0..<4).map { UInt8(truncatingIfNeeded: pixel >> (8 * $0)) } }
            frames += 1
        }
        #expect(frames == count)
        let hash = SHA256.digest(of: bytes.span)
        #expect(hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == digest)
    }

    // MARK: Support

    private func gif(_ build: (inout GIFBuilder) -> Void) -> [UInt8] {
        var builder = GIFBuilder(3, 3, colors: Self.colors)
        build(&builder)
        return builder.content
    }

    /// Returns the screen after each frame.
    private func screens(_ content: [UInt8], maxMemoryBytes: Int = 64 << 20) throws -> [String] {
        var screens: [String] = []
        try compose(content, maxMemoryBytes: maxMemoryBytes) { canvas in
            screens.append(Self.drawn(canvas.pixels.map { $0.littleEndian }, width: canvas.width))
        }
        return screens
    }

    private func compose(_ content: [UInt8], maxMemoryBytes: Int = 64 << 20, _ see: (GIFCanvas) -> Void) throws {
        let header = GIFScreen(content.span)
        let screen = try #require(header)
        var animation = try GIFAnimation(
            screen,
            width: screen.width,
            height: screen.height,
            RenderingRequest(.gif),
            maxPixels: .max,
            maxMemoryBytes: maxMemoryBytes
        )
        while try animation.next(content.span) == .frame { see(animation.canvas) }
    }

    private struct Shown {
        var screen: String
        var integrity: ImageIntegrity
    }

    private func shown(_ content: [UInt8], _ change: (inout RenderingRequest) -> Void = { _ in }) throws -> Shown {
        var request = RenderingRequest(.gif)
        change(&request)
        var source = try GIFPixels(content.span, request)
        let picture = try DecodedPicture(content, from: &source)
        let bytes = picture.rgba
        let pixels = stride(from: 0, to: bytes.count, by: 4).map { at -> UInt32 in
            bytes[at..<at + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        return Shown(screen: Self.drawn(pixels, width: picture.width), integrity: picture.integrity)
    }

    /// - Parameter pixels: Pixels with red in the lowest byte.
    private static func drawn(_ pixels: [UInt32], width: Int) -> String {
        let letters: [UInt32: Character] = [
            0: ".", 0xFF00_0000: "k", 0xFF00_00FF: "r", 0xFF00_FF00: "g", 0xFFFF_0000: "b",
        ]
        return stride(from: 0, to: pixels.count, by: width).map { start in
            String(pixels[start..<start + width].map { letters[$0] ?? "?" })
        }.joined(separator: "/")
    }
}
