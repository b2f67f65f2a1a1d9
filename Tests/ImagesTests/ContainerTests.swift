import Testing

@testable import Images
@testable import Serialization

/// Facts and pixels of PNG, GIF and WebP come from one reader of the container, so they agree on what it contains.
@Suite struct ContainerTests {
    // MARK: PNG

    private static let png: [UInt8] = {
        let picture = RGBAImage(width: 5, height: 4, filledWith: RGBA(red: 1, green: 2, blue: 3))
        return (try? PNGEncoder.encode(picture, isGrey: false, quality: 80)) ?? []
    }()

    @Test(arguments: [[], [0, 0, 0, 0], [9, 9, 9, 9, 9, 9, 9, 9]] as [[UInt8]])
    func `a chunk whose type is not four letters is corrupt at its start`(rest: [UInt8]) throws {
        let start = Self.png.count - 12
        let content = Self.png.dropLast(12) + [0, 0, 0, 4] + .ascii("a1cd") + rest
        let corrupt = ImageIntegrity(.corrupt, checked: .structure, byte: start, part: "chunk")
        #expect(try header(content).integrity == corrupt)
        #expect(try render(content, .png).integrity == corrupt.withWholePicture.withPixels)
    }

    @Test func `a chunk without which no image is displayed must have a valid checksum`() throws {
        let content = Self.png.prefix(33) + [0, 0, 0, 1] + .ascii("CriT") + [7, 0, 0, 0, 0] + Self.png.dropFirst(33)
        let corrupt = ImageIntegrity(.corrupt, checked: .structure, byte: 33, part: "CriT")
        #expect(try header(Array(content)).integrity == corrupt)
        #expect(throws: RenderingError.corrupt(byte: 33, part: "CriT")) { try render(Array(content), .png) }
    }

    @Test func `nothing after a second image header is read`() throws {
        var png = PNGBuilder()
        png.add("IHDR", .big32(1) + .big32(1) + [8, 2, 0, 0, 0])
        let facts = try header(png.finished())
        #expect(facts.integrity == ImageIntegrity(.corrupt, checked: .structure, byte: 33, part: "IHDR"))
        #expect(!facts.mayHaveAllPixels)
    }

    // MARK: GIF

    @Test(arguments: [(0, false), (3, false), (4, true), (5, true)])
    func `a graphic control extension has at least four bytes`(length: Int, isRead: Bool) throws {
        var gif = GIFBuilder(1, 1, colors: [[0, 0, 0], [9, 9, 9]])
        gif.raw([0x21, 0xF9, UInt8(length)] + Array([1, 7, 0, 1, 0].prefix(length)))
        if length > 0 { gif.raw([0]) }
        gif.frame(0, 0, 1, 1, [1])
        gif.frame(0, 0, 1, 1, [1])
        let facts = try header(gif.content)
        #expect(facts.color.alpha == isRead)
        #expect(facts.animation?.delaysMilliseconds == [isRead ? 70 : 0, 0])
        var blocks = GIFBlocks(at: GIFScreen(gif.content.span)?.end ?? 0)
        guard case .frame(let frame) = blocks.nextFrame(gif.content.span) else {
            Issue.record("there is no frame")
            return
        }
        #expect((frame.control.transparentIndex == 1) == isRead)
        #expect(frame.control.delayMilliseconds == (isRead ? 70 : 0))
    }

    // MARK: WebP

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        .ascii(type) + .little32(data.count) + data + (data.count % 2 == 1 ? [0] : [])
    }

    private static func riff(_ body: [UInt8]) -> [UInt8] {
        .ascii("RIFF") + .little32(body.count + 4) + .ascii("WEBP") + body
    }

    private static let webp: [UInt8] = {
        let picture = RGBAImage(width: 5, height: 4, filledWith: RGBA(red: 1, green: 2, blue: 3))
        return (try? Array(WebPEncoder.encode(picture, isGrey: false, quality: 80).dropFirst(12))) ?? []
    }()

    @Test(arguments: 0...8)
    func `less than eight bytes at the end of a WebP are no chunk`(count: Int) throws {
        let content = Self.riff(Self.webp + [UInt8](repeating: 0x41, count: count))
        #expect(try header(content).integrity.verdict == (count < 8 ? .complete : .corrupt))
        #expect((try? render(content, .webp))?.integrity.verdict == (count < 8 ? .complete : nil))
    }

    @Test func `the first profile of a WebP counts, in facts and pixels`() throws {
        let canvas = Self.chunk("VP8X", [0x20, 0, 0, 0, 4, 0, 0, 3, 0, 0])
        let (first, second) = (profile(description: "First"), profile(description: "Second"))
        let content = Self.riff(
            canvas + Self.chunk("ICCP", first) + Self.chunk("ICCP", second) + Self.webp
        )
        #expect(try header(content).color.profile?.description == "First")
        #expect(try WebPFrames(content.span, maxFrames: 1).profile.map { Array(content[$0]) } == first)
    }

    @Test func `the number of loops is not read from the chunk after a short one`() throws {
        let canvas = Self.chunk("VP8X", [2, 0, 0, 0, 4, 0, 0, 3, 0, 0])
        let frame = Self.chunk("ANMF", [UInt8](repeating: 0, count: 16) + Self.webp)
        let facts = try header(Self.riff(canvas + Self.chunk("ANIM", [0, 0, 0, 0]) + frame))
        #expect(facts.frames == 1 && facts.animation == nil)
    }

    private func render(_ content: [UInt8], _ format: ImageFormat) throws(RenderingError) -> Rendering {
        var request = RenderingRequest(format)
        request.decode = .full
        return try PixelRenderer().render(content.span, request)
    }
}
