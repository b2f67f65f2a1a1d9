import Testing

@testable import Images
@testable import Serialization

/// JPEGs of every coding that the library supports, and the verdicts on damaged ones.
@Suite struct JPEGRendererTests {
    /// The tolerance for quality 95, in steps of 255.
    private static let tolerance = 6

    @Test(arguments: SmallJPEG.allCases)
    func `every coding is decoded to the picture`(jpeg: SmallJPEG) throws {
        let picture = try picture(of: jpeg.content)
        #expect((picture.width, picture.height) == (24, 16))
        for y in 0..<16 {
            for x in 0..<24 {
                let (red, green, blue) = (10 * x + 8, 15 * y + 8, 255 - 5 * x - 5 * y)
                let pixel = picture[x, y]
                if jpeg == .grey {
                    let grey = (299 * red + 587 * green + 114 * blue) / 1000
                    #expect(abs(Int(pixel.red) - grey) <= Self.tolerance && pixel.red == pixel.blue, "\(x), \(y)")
                } else {
                    let differences = [Int(pixel.red) - red, Int(pixel.green) - green, Int(pixel.blue) - blue]
                    #expect(differences.allSatisfy { abs($0) <= Self.tolerance }, "\(x), \(y): \(differences)")
                }
            }
        }
    }

    @Test func `a thumbnail of an opaque image is a JPEG, and grey stays grey`() throws {
        for jpeg in SmallJPEG.allCases {
            let rendering = try render(jpeg.content) { $0.thumbnails[0].format = nil }
            let thumbnail = try #require(rendering.thumbnails.first)
            #expect(thumbnail.format == .jpeg)
            // The components of the frame: its header has two bytes of marker, two of length, one of precision, four of
            // size.
            let frame = try #require(
                thumbnail.content.indices.dropLast().first { thumbnail.content[$0...].starts(with: [0xFF, 0xC0]) }
            )
            #expect(thumbnail.content[frame + 9] == (jpeg == .grey ? 1 : 3))
        }
    }

    @Test func `a strongly reduced picture is decoded at a fraction of the size and looks the same`() throws {
        let large = DrawnPicture.gradients.sample(100, 75)
        var picture = RGBAImage(width: 100, height: 75, pixels: large.pixels)
        let small = try JPEGEncoder.encode(picture, isGrey: false, quality: 95)
        picture = try self.picture(of: small, side: 20)
        let full = try self.picture(of: small, side: 20) { $0.decode = .full }
        #expect(try render(small, side: 20).extent == .scaled)
        #expect(try render(small, side: 20) { $0.decode = .full }.extent == .full)
        #expect(try render(small, side: 51).extent == .full)
        #expect((picture.width, picture.height) == (20, 15))
        for (scaled, whole) in zip(picture.pixels, full.pixels) { #expect(abs(Int(scaled) - Int(whole)) <= 3) }
    }

    @Test(arguments: [SmallJPEG.baseline, .progressive, .restarts, .arithmetic])
    func `content that ends early is never complete`(jpeg: SmallJPEG) {
        for count in 0..<jpeg.content.count {
            let content = Array(jpeg.content.prefix(count))
            do throws(RenderingError) {
                let integrity = try render(content).integrity
                #expect(integrity == ImageIntegrity(.missingEnd, checked: .pixels, byte: count))
                #expect(count >= jpeg.content.count - 2 && jpeg != .arithmetic)
            } catch {
                #expect(error == .truncated(byte: count))
                #expect(count < jpeg.content.count - 2 || jpeg == .arithmetic)
            }
        }
    }

    @Test func `the available part of a truncated image is used if allowed`() throws {
        // Two rows of blocks with a restart after every block: the first row is complete in two thirds of the content.
        let content = Array(SmallJPEG.restarts.content.dropLast(12))
        let whole = try picture(of: SmallJPEG.restarts.content)
        let rendering = try render(content) { $0.allowsTruncated = true }
        #expect(rendering.integrity == ImageIntegrity(.truncated, checked: .pixels, byte: content.count))
        let picture = try decodedPNG(#require(rendering.thumbnails.first).content)
        #expect(picture.pixels.prefix(4 * 24 * 8) == whole.pixels.prefix(4 * 24 * 8))
        #expect(picture.pixels != whole.pixels)
    }

    @Test func `a scan whose data is broken is corrupt there`() throws {
        var content = SmallJPEG.restarts.content
        let restart = try #require(content.indices.dropLast().first { content[$0...].starts(with: [0xFF, 0xD2]) })
        // The third restart marker becomes the seventh.
        content[restart + 1] = 0xD6
        let error = #expect(throws: RenderingError.self) { try render(content) }
        guard case .corrupt(let byte, part: "SOS") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try abs(#require(byte) - restart) <= 8)
    }

    @Test func `a malformed table is corrupt in its segment`() throws {
        var content = SmallJPEG.baseline.content
        let table = try #require(content.indices.dropLast().first { content[$0...].starts(with: [0xFF, 0xC4]) })
        // There cannot be that many codes of one bit.
        content[table + 5] = 0xFF
        let error = #expect(throws: RenderingError.self) { try render(content) }
        guard case .corrupt(_, part: "DHT") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `bytes after the image are recorded`() throws {
        let content = SmallJPEG.baseline.content
        let rendering = try render(content + [1, 2, 3, 4])
        #expect(rendering.integrity == ImageIntegrity(.trailingBytes, checked: .pixels, byte: content.count))
    }

    @Test func `scans and memory are bounded`() throws {
        let content = SmallJPEG.progressive.content
        #expect(throws: RenderingError.tooManyScans(max: 3)) { try render(content) { $0.maxScans = 3 } }
        #expect(try render(content) { $0.maxScans = 10 }.integrity.verdict == .complete)
        #expect(throws: RenderingError.self) { try render(content) { $0.maxMemoryBytes = 300 << 10 } }
    }

    @Test(arguments: SmallJPEG.allCases)
    func `no changed byte causes a crash`(jpeg: SmallJPEG) {
        for index in jpeg.content.indices {
            for bit in [0x01, 0x80] as [UInt8] {
                var content = jpeg.content
                content[index] ^= bit
                _ = try? render(content) { $0.maxPixels = 1 << 16 }
                _ = try? render(content) {
                    $0.maxPixels = 1 << 16
                    $0.allowsTruncated = true
                }
            }
        }
    }

    @Test func `lossless coding is reported as unsupported`() {
        var content = SmallJPEG.baseline.content
        let frame = content.indices.dropLast().first { content[$0...].starts(with: [0xFF, 0xC0]) } ?? 0
        content[frame + 1] = 0xC3
        #expect(throws: RenderingError.unsupported(feature: "lossless or hierarchical JPEG")) { try render(content) }
    }

    private func render(
        _ content: [UInt8],
        side: Int = 100,
        _ configure: (inout RenderingRequest) -> Void = { _ in }
    ) throws(RenderingError) -> Rendering {
        var thumbnail = ThumbnailRequest(width: side, height: side)
        thumbnail.format = .png
        var request = RenderingRequest(.jpeg)
        request.thumbnails = [thumbnail]
        configure(&request)
        return try PixelRenderer().render(content.span, request)
    }

    private func picture(
        of content: [UInt8],
        side: Int = 100,
        _ configure: (inout RenderingRequest) -> Void = { _ in }
    ) throws -> RGBAImage {
        try decodedPNG(#require(render(content, side: side, configure).thumbnails.first).content)
    }
}
