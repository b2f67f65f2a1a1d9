import Images
import Platform
import Serialization
import Testing

@testable import Workers

@Suite struct ProtocolTests {
    private static let request: RenderingRequest = {
        var request = RenderingRequest(.tiff)
        request.orientation = 6
        request.decode = .full
        request.placeholders = [.average, .blurhash]
        request.phash = true
        request.allowsTruncated = true
        request.maxPixels = 1
        request.maxScans = 2
        request.maxFrames = 3
        request.maxMemoryBytes = Int.max
        var small = ThumbnailRequest(width: 16, height: 9)
        small.fit = .cover
        small.enlarge = true
        small.format = .webp
        small.quality = 1
        small.background = RGBA(red: 1, green: 2, blue: 3, alpha: 4)
        request.thumbnails = [ThumbnailRequest(width: 640, height: 480), small]
        return request
    }()

    private static let rendering: Rendering = {
        var rendering = Rendering(
            .scaled,
            integrity: ImageIntegrity(.truncated, checked: .pixels, byte: 99, part: "IDAT")
        )
        rendering.integrity.isPictureWhole = true
        rendering.ignoresProfile = true
        rendering.thumbnails = [
            ImageRecord.Thumbnail(width: 640, height: 1, format: .jpeg, content: [0xFF, 0xD8, 0xFF, 0xE0, 7]),
            ImageRecord.Thumbnail(width: 16, height: 9, format: .webp, content: Array("RIFF\0\0\0\0WEBPVP8 ".utf8)),
        ]
        rendering.average = RGBA(red: 9, green: 8, blue: 7)
        rendering.dominant = RGBA(red: 0, green: 0, blue: 0, alpha: 0)
        rendering.palette = [RGBA(red: 1, green: 1, blue: 1)]
        rendering.blurhash = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
        rendering.thumbhash = [1, 2, 3]
        rendering.phash = .max
        return rendering
    }()

    @Test(arguments: [request, RenderingRequest(.png)]) func `a request is preserved`(
        request: RenderingRequest
    ) throws {
        #expect(try RenderingRequest(wire: request.wire) == request)
    }

    @Test(arguments: [
        WorkerAnswer.rendering(rendering),
        .error(.truncated(byte: 100)), .error(.corrupt(byte: nil, part: nil)),
        .error(.corrupt(byte: 0, part: "SOS")), .error(.unsupported(feature: "12-bit samples")),
        .error(.tooLarge(bytes: Int.max, max: 1)), .error(.tooManyPixels(max: 2)), .error(.tooManyScans(max: 3)),
        .error(.tooManyFrames(max: 4)),
    ]) func `an answer is preserved`(answer: WorkerAnswer) throws {
        #expect(try Self.read(answer.wire) == answer)
    }

    @Test func `messages are preserved, and invalid ones are rejected`() {
        let messages: [WorkerMessage] = [
            .ready(.all), .job(number: .max, contentBytes: 1, requestBytes: 2), .answer(number: 3, answerBytes: .max),
        ]
        for message in messages {
            #expect(WorkerMessage(message.bytes) == message)
        }
        for kind: UInt32 in [0, 4, .max] {
            #expect(WorkerMessage(SIMD4(kind, 0, 0, 0)) == nil)
        }
    }

    /// Errors that only the service may produce are rejected if a worker sends them, and a worker cannot encode them.
    @Test(arguments: [
        RenderingError.timedOut(seconds: 1), .crashed, .sandboxUnavailable, .noRenderer, .saturated, .deferred,
    ])
    func `a worker cannot send errors of the service`(error: RenderingError) {
        #expect(throws: WireError.invalid("error")) { try Self.read(WorkerAnswer.error(error).wire) }
    }

    @Test func `an answer that ends early or late is rejected, wherever it ends`() {
        let wire = WorkerAnswer.rendering(Self.rendering).wire
        for count in wire.indices {
            #expect(throws: WireError.self) { try Self.read(Array(wire.prefix(count))) }
        }
        #expect(throws: WireError.trailing) { try Self.read(wire + [0]) }
    }

    /// A change that makes an answer impossible for its request, and the part that is reported.
    struct Lie: Sendable {
        var part: StaticString
        var tell: @Sendable (inout Rendering) -> Void
    }

    private static let lies = [
        Lie(part: "thumbnails") { $0.thumbnails.removeLast() },
        Lie(part: "thumbnails") { $0.thumbnails.append($0.thumbnails[0]) },
        Lie(part: "size") { $0.thumbnails[0].width = 641 },
        Lie(part: "size") { $0.thumbnails[1].height = 10 },
        Lie(part: "width") { $0.thumbnails[0].width = 0 },
        Lie(part: "height") { $0.thumbnails[0].height = -1 },
        Lie(part: "width") { $0.thumbnails[0].width = 65_536 },
        Lie(part: "format") { $0.thumbnails[1].format = .jpeg },
        Lie(part: "format") { $0.thumbnails[0].format = .webp },
        Lie(part: "content") { $0.thumbnails[0].content = Array("<svg onload=x>".utf8) },
        Lie(part: "content") { $0.thumbnails[1].content = [] },
        Lie(part: "byte") { $0.integrity.byte = 101 },
        Lie(part: "byte") { $0.integrity.byte = -1 },
        Lie(part: "palette") { $0.palette = [RGBA](repeating: RGBA(red: 0, green: 0, blue: 0), count: 65) },
        Lie(part: "blurhash") { $0.blurhash = String(repeating: "x", count: 129) },
        Lie(part: "thumbhash") { $0.thumbhash = [UInt8](repeating: 0, count: 129) },
    ]

    @Test(arguments: lies.indices)
    func `an answer that is impossible for its request is rejected`(index: Int) {
        let lie = Self.lies[index]
        var rendering = Self.rendering
        lie.tell(&rendering)
        #expect(throws: WireError.invalid(lie.part)) { try Self.read(WorkerAnswer.rendering(rendering).wire) }
    }

    @Test func `text with control characters is rejected`() {
        var wire = WorkerAnswer.error(.unsupported(feature: "ab")).wire
        wire[wire.count - 1] = 0x0A
        #expect(throws: WireError.invalid("feature")) { try Self.read(wire) }
    }

    /// A compromised worker may send anything. Nothing may trap, and an accepted answer must be possible for its
    /// request.
    @Test func `no answer is harmful`() {
        let wires = [
            WorkerAnswer.rendering(Self.rendering).wire, WorkerAnswer.error(.corrupt(byte: 1, part: "x")).wire,
        ]
        var random = SystemRandomNumberGenerator()
        var taken = 0
        for round in 0..<20_000 {
            var wire = wires[round % wires.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: wire.indices, using: &random)
                wire[index] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0 ... .max, using: &random)].randomElement() ?? 0
            }
            guard case .rendering(let rendering)? = try? Self.read(wire) else { continue }
            taken += 1
            #expect(rendering.thumbnails.count == 2)
            #expect(rendering.thumbnails.allSatisfy { 1...640 ~= $0.width && 1...480 ~= $0.height })
            #expect(rendering.integrity.byte.map { 0...100 ~= $0 } ?? true)
        }
        #expect(taken > 100)
    }

    private static func read(_ wire: [UInt8]) throws(WireError) -> WorkerAnswer {
        try WorkerAnswer(wire: wire, for: request, contentBytes: 100)
    }
}
