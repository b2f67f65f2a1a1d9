import Platform
import Serialization
import Testing

@testable import Workers

@Suite struct ProtocolTests {
    private static let order: ImageOrder = {
        var options = SerializationOptions()
        options.exif = .public
        options.scale = 1.5
        options.decode = .full
        options.placeholders = [.average, .blurhash]
        options.fingerprints = .phash
        options.truncated = .allow
        options.rules = .afnetworking
        var small = ThumbnailRequest(width: 16, height: 9)
        small.fit = .cover
        small.enlarge = true
        small.format = .webp
        small.quality = 1
        small.background = RGBA(red: 1, green: 2, blue: 3, alpha: 4)
        options.thumbnails = [ThumbnailRequest(width: 640, height: 480), small]
        var order = ImageOrder(.value, options, Limits())
        order.maxFrames = 1
        order.maxOutputBytes = Int.max
        return order
    }()

    private static let content: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [UInt8](repeating: 0, count: 92)

    private static let record: ImageRecord = {
        var findings = ImageFindings(.png, isAnimated: true)
        findings.isSuspect = true
        findings.warnings = [
            ImageWarning(.metadata("zTXt"), at: 100), ImageWarning(.invalidDate("2024:13:01 é"), at: 0),
            ImageWarning(.missingColorTable), ImageWarning(.profile),
            ImageWarning(.withoutPixels(.unsupportedPixels(feature: "12-bit samples"))),
            ImageWarning(.damaged(.corrupt(part: "IDAT")), at: 7), ImageWarning(.missingEnd),
            ImageWarning(.unlisted(count: 3)),
        ]
        var record = ImageRecord(findings, json: Array(#"{"null":null,"a":[{"base64":""},{"base64":""}]}"#.utf8))
        record.insertions = [29, 43]
        record.thumbnails = [
            ImageRecord.Thumbnail(width: 640, height: 1, format: .jpeg, content: [0xFF, 0xD8, 0xFF, 0xE0, 7]),
            ImageRecord.Thumbnail(
                width: 16,
                height: 9,
                format: .webp,
                content: Array("RIFF\0\0\0\0WEBPVP8 ".utf8)[...]
            ),
        ]
        record.size = ImageRecord.Size(width: 70_000, height: 1)
        record.damage = ImageWarning(.damaged(.truncated), at: 99)
        return record
    }()

    @Test func `orders are preserved`() throws {
        let orders = [Self.order, ImageOrder(.thumbnail, SerializationOptions(), Limits())]
        #expect(try [ImageOrder](wire: orders.wire) == orders)
        #expect(throws: WireError.self) { try [ImageOrder](wire: Array(orders.wire.dropLast())) }
    }

    @Test(arguments: [
        WorkerAnswer([.success(record)]),
        WorkerAnswer([.failure(ImageRejection(ImageError(.truncated, at: 100), acceptsTruncated: true))]),
        WorkerAnswer([.failure(ImageRejection(ImageError(.corrupt(part: nil)), record.findings))]),
        WorkerAnswer([.failure(ImageRejection(ImageError(.corrupt(part: "SOS"), at: 0)))]),
        WorkerAnswer([.failure(ImageRejection(ImageError(.notAnImage, at: 0)))]),
        WorkerAnswer([.failure(ImageRejection(ImageError(.unsupportedPixels(feature: "12-bit samples"))))]),
        WorkerAnswer([.failure(ImageRejection(ImageError(.tooLargeToDecode(amount: "pixels", max: .max))))]),
    ])
    func `an answer is preserved`(answer: WorkerAnswer) throws {
        #expect(try Self.read(answer.wire) == answer)
    }

    @Test func `only a worker that decodes no pixels may report that they are needed`() throws {
        let answer = WorkerAnswer([.failure(ImageRejection(ImageError(.deferred)))])
        #expect(try Self.read(answer.wire, decodesPixels: false) == answer)
        #expect(throws: WireError.invalid("error")) { try Self.read(answer.wire) }
        var header = Self.order
        header.decode = .header
        #expect(throws: WireError.invalid("error")) {
            try WorkerAnswer(wire: answer.wire, for: [header], of: Self.content.span, decodesPixels: false)
        }
        var record = Self.record
        record.findings.warnings = [ImageWarning(.withoutPixels(.deferred))]
        let warned = WorkerAnswer([.success(record)]).wire
        #expect(throws: WireError.invalid("error")) { try Self.read(warned, decodesPixels: false) }
    }

    @Test func `JSON of more than 8 MiB is rejected by the worker and by the service`() throws {
        func record(_ bytes: Int) -> ImageRecord {
            var record = ImageRecord(ImageFindings(.png), json: [])
            record.json = Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x61, count: bytes - 8) + Array(#""}"#.utf8)
            return record
        }
        func read(_ wire: [UInt8]) throws(WireError) -> WorkerAnswer {
            var order = Self.order
            order.thumbnails = []
            return try WorkerAnswer(wire: wire, for: [order], of: Self.content.span, decodesPixels: true)
        }
        let longest = WorkerAnswer([.success(record(8 << 20))])
        #expect(try read(longest.wire(maxBytes: .max)) == longest)
        let tooLong = WorkerAnswer([.success(record((8 << 20) + 1))])
        #expect(throws: WireError.invalid("json")) { try read(tooLong.wire) }
        let rejected = try read(tooLong.wire(maxBytes: .max))
        let reason = ImageError.Reason.tooLargeToDecode(amount: "bytes of results", max: 8 << 20)
        #expect(rejected == WorkerAnswer([.failure(ImageRejection(ImageError(reason)))]))
    }

    @Test(arguments: ["[]", "1", "null", #""a""#, ""]) func `JSON that is not an object is rejected`(json: String) {
        var order = Self.order
        order.thumbnails = []
        var record = ImageRecord(ImageFindings(.png), json: Array(json.utf8))
        func read() throws(WireError) -> WorkerAnswer {
            let wire = WorkerAnswer([.success(record)]).wire
            return try WorkerAnswer(wire: wire, for: [order], of: Self.content.span, decodesPixels: true)
        }
        #expect(throws: WireError.invalid("json")) { try read() }
        record.json = Array("{}".utf8)
        #expect(throws: Never.self) { try read() }
    }

    @Test func `an answer that would be too long rejects every order`() throws {
        let answer = WorkerAnswer([.success(Self.record)])
        #expect(answer.wire(maxBytes: answer.wire.count) == answer.wire)
        let short = answer.wire(maxBytes: answer.wire.count - 1)
        let reason = ImageError.Reason.tooLargeToDecode(amount: "bytes of results", max: answer.wire.count - 1)
        // The content may still have manipulated the worker.
        var findings = ImageFindings()
        findings.isSuspect = true
        #expect(try Self.read(short) == WorkerAnswer([.failure(ImageRejection(ImageError(reason), findings))]))
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
        ImageError.Reason.decodeTime(seconds: 1), .decoderCrashed, .pixelsUnavailable, .noDecoder, .saturated,
    ])
    func `a worker cannot send errors of the service`(reason: ImageError.Reason) {
        let answer = WorkerAnswer([.failure(ImageRejection(ImageError(reason)))])
        #expect(throws: WireError.invalid("error")) { try Self.read(answer.wire) }
    }

    @Test func `an answer that ends early or late is rejected, wherever it ends`() {
        let wire = WorkerAnswer([.success(Self.record)]).wire
        for count in wire.indices {
            #expect(throws: WireError.self) { try Self.read(Array(wire.prefix(count))) }
        }
        #expect(throws: WireError.trailing) { try Self.read(wire + [0]) }
    }

    /// A change that makes a record impossible for its order, and the part that is reported.
    struct Lie: Sendable {
        var part: StaticString
        var tell: @Sendable (inout ImageRecord) -> Void

        init(_ part: StaticString, _ tell: @escaping @Sendable (inout ImageRecord) -> Void) {
            self.part = part
            self.tell = tell
        }

        /// The same record with another value.
        init(json: String) {
            self.init("json") {
                $0.json = Array(json.utf8)
                let offsets = json.ranges(of: #""base64":""#).map { $0.upperBound.utf16Offset(in: json) }
                $0.insertions = offsets.count == 2 ? offsets : [11, 11]
            }
        }
    }

    private static let two = #""x":{"base64":""},"y":{"base64":""}"#

    /// Texts that are not one minified object without duplicate names.
    private static let texts: [String] = [
        "", " ", "1", "null", "[\(two)]", "{\(two)", "{\(two)}}", "{\(two)}{}", "{\(two)} ", " {\(two)}",
        "{\(two),}",
        #"{"a":1,"a":2,\#(two)}"#, #"{"a":1,"\u0061":2,\#(two)}"#, #"{"a":NaN,\#(two)}"#, #"{"a":01,\#(two)}"#,
        #"{a:1,\#(two)}"#, #"{'a':1,\#(two)}"#, #"{"a":"\#u{1}",\#(two)}"#, #"{"a":"\ud800",\#(two)}"#,
        "{\(two)}//", ")]}'{\(two)}", "\u{FEFF}{\(two)}",
        #"{"a":\#(String(repeating: "[", count: 16) + String(repeating: "]", count: 16)),\#(two)}"#,
    ]

    private static let lies: [Lie] = texts.map { Lie(json: $0) } + changes

    private static let changes: [Lie] = [
        Lie("json") { $0.json[1] = 0xFF },
        Lie("json") { $0.insertions[0] -= 1 },
        Lie("json") { $0.insertions[1] = $0.insertions[0] },
        Lie("json") { $0.insertions.swapAt(0, 1) },
        Lie("json") { $0.insertions[1] = $0.json.count },
        Lie("json") { $0.insertions[1] = $0.json.count + 1 },
        Lie("insertion") { $0.insertions[0] = -1 },
        Lie("insertions") { $0.insertions.removeLast() },
        Lie("thumbnails") { $0.thumbnails.removeLast() },
        Lie("thumbnails") { $0.thumbnails.append($0.thumbnails[0]) },
        Lie("size") { $0.thumbnails[0].width = 641 },
        Lie("size") { $0.thumbnails[1].height = 10 },
        Lie("width") { $0.thumbnails[0].width = 0 },
        Lie("height") { $0.thumbnails[0].height = -1 },
        Lie("width") { $0.thumbnails[0].width = 65_536 },
        Lie("width") { $0.size?.width = -1 },
        Lie("format") { $0.thumbnails[1].format = .jpeg },
        Lie("format") { $0.thumbnails[0].format = .webp },
        Lie("format") { $0.findings.format = .jpeg },
        Lie("content") { $0.thumbnails[0].content = Array("<svg onload=x>".utf8)[...] },
        Lie("content") { $0.thumbnails[1].content = [] },
        Lie("byte") { $0.damage?.byte = 101 },
        Lie("byte") { $0.findings.warnings[0].byte = -1 },
        Lie("error") { $0.findings.warnings[4].kind = .damaged(.saturated) },
        Lie("unlisted") { $0.findings.warnings[7].kind = .unlisted(count: (1 << 32) + 1) },
        Lie("warnings") { $0.findings.warnings = Array(repeating: $0.findings.warnings[0], count: 65) },
    ]

    @Test(arguments: lies.indices)
    func `a record that is impossible for its order is rejected`(index: Int) {
        let lie = Self.lies[index]
        var record = Self.record
        lie.tell(&record)
        #expect(throws: WireError.invalid(lie.part)) { try Self.read(WorkerAnswer([.success(record)]).wire) }
    }

    @Test(arguments: [0, 2]) func `as many results as orders are required`(count: Int) {
        let answer = WorkerAnswer(Array(repeating: .success(Self.record), count: count))
        #expect(throws: WireError.invalid("results")) { try Self.read(answer.wire) }
    }

    @Test(arguments: [0, 1, 2]) func `the form of one thumbnail has one, and no insertions`(count: Int) throws {
        var order = Self.order
        order.form = .thumbnail
        var record = Self.record
        record.thumbnails = Array(repeating: record.thumbnails[0], count: count)
        record.insertions = []
        let wire = WorkerAnswer([.success(record)]).wire
        let answer = try? WorkerAnswer(wire: wire, for: [order], of: Self.content.span, decodesPixels: true)
        #expect((answer != nil) == (count == 1))
    }

    @Test func `text with control characters is rejected`() {
        var wire = WorkerAnswer([.failure(ImageRejection(ImageError(.unsupportedPixels(feature: "ab"))))]).wire
        let position = wire.firstIndex(of: UInt8(ascii: "b")) ?? 0
        wire[position] = 0x0A
        #expect(throws: WireError.invalid("feature")) { try Self.read(wire) }
    }

    /// A compromised worker may send anything. Nothing may trap, and an accepted answer must be possible for its order.
    @Test func `no answer is harmful`() {
        let rejection = ImageRejection(ImageError(.corrupt(part: "x"), at: 1), Self.record.findings)
        let wires = [WorkerAnswer([.success(Self.record)]).wire, WorkerAnswer([.failure(rejection)]).wire]
        var random = SystemRandomNumberGenerator()
        var taken = 0
        for round in 0..<20_000 {
            var wire = wires[round % wires.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: wire.indices, using: &random)
                wire[index] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0 ... .max, using: &random)].randomElement() ?? 0
            }
            guard case .success(let record)? = (try? Self.read(wire))?.results.first else { continue }
            taken += 1
            #expect(record.hasValidJSON)
            #expect(record.thumbnails.count == 2)
            #expect(record.thumbnails.allSatisfy { 1...640 ~= $0.width && 1...480 ~= $0.height })
            #expect(record.findings.warnings.allSatisfy { $0.byte.map { 0...100 ~= $0 } ?? true })
        }
        #expect(taken > 100)
    }

    private static func read(_ wire: [UInt8], decodesPixels: Bool = true) throws(WireError) -> WorkerAnswer {
        try WorkerAnswer(wire: wire, for: [order], of: content.span, decodesPixels: decodesPixels)
    }
}
