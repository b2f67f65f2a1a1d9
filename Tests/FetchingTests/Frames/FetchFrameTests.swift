import FuzzOracles
import Serialization
import Testing

@testable import Fetching

@Suite struct FetchFrameTests {
    static let commands: [FetchCommand] =
        [
            try? .start(id: 1, start()), try? .start(id: .max, start(method: "POST", content: [])),
            try? .start(id: 2, start(method: "PUT", content: Array(repeating: 7, count: 1_000), hostIsNamed: true)),
            .cancel(id: 0), .cancel(id: 1 << 40), .ping(sequence: 9),
        ].compactMap(\.self)

    static let replies: [FetchReply] =
        [
            head(200), head(999, [field("Content-Type", "a/b"), field("x", ""), field("X", "ü\t")]),
            .data(id: 1, content: [0]), .data(id: 1, content: Array(repeating: 1, count: FetchFrame.maxDataBytes)),
            .end(id: 1, FetchEnd(contentBytes: 65_537, timings: FetchTimings(resolve: 0, transfer: 5))),
            .failed(
                id: 1,
                FetchFailureReport(.timedOut, in: .head, timings: FetchTimings(), detail: "no byte in 15 s")
            ),
            .pong(sequence: .max), .ready(sandbox: 127),
        ]

    @Test func `the samples contain every kind of frame`() {
        #expect(Self.commands.count == 6)
        #expect(Self.replies.map(\.frame.kind) == [.head, .head, .data, .data, .end, .failed, .pong, .ready])
        #expect([Self.head, Self.empty, Self.unchanged].map(\.frame.kind) == [.head, .head, .head])
    }

    @Test(arguments: commands)
    func `a command is read as it was written`(command: FetchCommand) throws {
        var reader = FetchFrameReader(receiving: .toFetcher, maxContentBytes: 1_000)
        reader.append(bytes: command.frame.bytes)
        let frame = try #require(try reader.next())
        #expect(frame == command.frame)
        #expect(try FetchCommand(frame) == command)
        #expect(try reader.next() == nil)
        #expect(reader.bufferedBytes == 0)
    }

    /// The arguments are indices because one of the replies is long.
    @Test(arguments: replies.indices)
    func `a reply is read as it was written`(index: Int) throws {
        let reply = Self.replies[index]
        var reader = FetchFrameReader(receiving: .toService)
        reader.append(bytes: reply.frame.bytes)
        let frame = try #require(try reader.next())
        let isSame = try FetchReply(frame) == reply
        #expect(isSame)
        #expect(try reader.next() == nil)
    }

    @Test func `a frame has the documented bytes`() {
        let bytes = FetchReply.data(id: 7, content: Array("ok".utf8)).frame.bytes
        #expect(bytes == [2, 0, 0, 0, 18, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0x6F, 0x6B])
        #expect(FetchFrame.dataHeader(id: 7, contentBytes: 2) == Array(bytes.prefix(16)))
    }

    @Test func `frames are read however their bytes are received`() throws {
        let bytes = Self.replies.flatMap(\.frame.bytes)
        var random = RandomSource(seed: 4)
        for largest in [1, 2, 15, 16, 17, 1_000, 100_000] {
            var reader = FetchFrameReader(receiving: .toService)
            var replies: [FetchReply] = []
            var offset = 0
            while offset < bytes.count {
                let count = min(1 + random.below(largest), bytes.count - offset)
                reader.append(bytes: Array(bytes[offset..<offset + count]))
                offset += count
                while let frame = try reader.next() { replies.append(try FetchReply(frame)) }
                if reader.bufferedBytes > FetchFrame.maxDataBytes + 16 { Issue.record("more than a frame is buffered") }
            }
            #expect(replies == Self.replies)
            #expect(reader.bufferedBytes == 0)
        }
    }

    // MARK: Headers

    @Test(
        arguments: [
            ([0, 0, 0, 0, 0, 0], .unknownKind(0)), ([0, 0, 0, 0, 4, 0], .unknownKind(4)),
            ([0, 0, 0, 0, 23, 0], .unknownKind(23)),
            ([3, 0, 0, 0, 22, 0], .payloadLength(.ready, bytes: 3, allowed: 4...4)),
            ([0, 0, 0, 0, 18, 1], .unknownKind(274)), ([0, 0, 0, 0, 0xFF, 0xFF], .unknownKind(65_535)),
            ([1, 0, 0, 0, 1, 0], .wrongDirection(.start)), ([0, 0, 0, 0, 2, 0], .wrongDirection(.cancel)),
            ([0, 0, 0, 0, 3, 0], .wrongDirection(.ping)),
            ([1, 0, 0, 0, 18, 0, 1, 0], .reservedFlags(1, .data)),
            ([1, 0, 0, 0, 18, 0, 0, 0x80], .reservedFlags(0x8000, .data)),
            ([0, 0, 0, 0, 18, 0], .payloadLength(.data, bytes: 0, allowed: 1...65_536)),
            ([1, 0, 1, 0, 18, 0], .payloadLength(.data, bytes: 65_537, allowed: 1...65_536)),
            ([0xFF, 0xFF, 0xFF, 0xFF, 18, 0], .payloadLength(.data, bytes: 4_294_967_295, allowed: 1...65_536)),
            ([0, 0, 0, 0, 17, 0], .payloadLength(.head, bytes: 0, allowed: 1...65_540)),
            ([5, 0, 1, 0, 17, 0], .payloadLength(.head, bytes: 65_541, allowed: 1...65_540)),
            ([47, 0, 0, 0, 19, 0], .payloadLength(.end, bytes: 47, allowed: 48...48)),
            ([49, 0, 0, 0, 19, 0], .payloadLength(.end, bytes: 49, allowed: 48...48)),
            ([0x2D, 1, 0, 0, 20, 0], .payloadLength(.failed, bytes: 301, allowed: 1...300)),
            ([1, 0, 0, 0, 21, 0], .payloadLength(.pong, bytes: 1, allowed: 0...0)),
        ] as [([UInt8], FetchFrameError)]
    )
    func `rejects a header as soon as it is complete, and everything after it`(start: [UInt8], error: FetchFrameError)
        throws
    {
        let header = start + [UInt8](repeating: 0, count: 16 - start.count)
        var reader = FetchFrameReader(receiving: .toService)
        reader.append(bytes: Array(header.dropLast()))
        #expect(try reader.next() == nil)
        reader.append(bytes: [0])
        #expect(throws: error) { try reader.next() }
        // A valid frame behind it is not read.
        reader.append(bytes: FetchReply.pong(sequence: 1).frame.bytes)
        #expect(throws: error) { try reader.next() }
        #expect(reader.bufferedBytes == 0)
    }

    @Test(arguments: FetchFrame.Kind.allCases)
    func `each side accepts only what the other one sends`(kind: FetchFrame.Kind) throws {
        let own: FetchFrame.Direction = kind.direction == .toFetcher ? .toService : .toFetcher
        var reader = FetchFrameReader(receiving: own)
        reader.append(bytes: FetchFrame(kind: kind, id: 1).bytes)
        #expect(throws: FetchFrameError.wrongDirection(kind)) { try reader.next() }
        switch kind.direction {
        case .toFetcher:
            #expect(throws: FetchFrameError.wrongDirection(kind)) { try FetchReply(FetchFrame(kind: kind, id: 1)) }
        case .toService:
            #expect(throws: FetchFrameError.wrongDirection(kind)) { try FetchCommand(FetchFrame(kind: kind, id: 1)) }
        }
    }

    @Test func `a ready frame belongs to no transfer`() {
        #expect(throws: FetchFrameError.invalid(.sandbox)) {
            try FetchReply(FetchFrame(kind: .ready, id: 1, payload: [1, 0, 0, 0]))
        }
    }

    @Test func `the content of a request is limited`() throws {
        let command = FetchCommand.start(
            id: 1,
            try Self.start(method: "POST", content: Array(repeating: 0, count: 1_000_000))
        )
        var reader = FetchFrameReader(receiving: .toFetcher, maxContentBytes: 1_000_000)
        reader.append(bytes: command.frame.bytes)
        #expect(try reader.next().map { try FetchCommand($0) } == command)
        reader = FetchFrameReader(receiving: .toFetcher, maxContentBytes: 100_000)
        reader.append(bytes: command.frame.bytes)
        #expect(throws: FetchFrameError.self) { try reader.next() }
    }

    @Test func `the longest request fits into a frame`() throws {
        let url = "http://a.example/" + String(repeating: "x", count: FetchURL.maxBytes - 17)
        let fields = [
            Self.field("a", String(repeating: "x", count: 65_531)),
            Self.field("b", String(repeating: "x", count: 4_091)),
        ]
        let start = try Self.start(method: String(repeating: "M", count: 64), url: url, fields: fields, content: [1])
        let command = FetchCommand.start(id: 1, start)
        var reader = FetchFrameReader(receiving: .toFetcher, maxContentBytes: 1)
        reader.append(bytes: command.frame.bytes)
        #expect(try reader.next().map { try FetchCommand($0) } == command)
    }

    // MARK: Payloads

    /// Every payload that ends early, or continues, is rejected.
    @Test func `payloads have exactly their length`() {
        for command in Self.commands {
            let frame = command.frame
            for count in 0..<frame.payload.count {
                let short = FetchFrame(kind: frame.kind, id: frame.id, payload: Array(frame.payload.prefix(count)))
                #expect(throws: FetchFrameError.self) { try FetchCommand(short) }
            }
            guard frame.kind == .start else { continue }
            let long = FetchFrame(kind: frame.kind, id: frame.id, payload: frame.payload + [0])
            #expect(throws: FetchFrameError.trailing(.start, bytes: 1)) { try FetchCommand(long) }
        }
        for reply in Self.replies where reply.frame.kind != .data && reply.frame.kind != .pong {
            let frame = reply.frame
            for count in 0..<frame.payload.count {
                let short = FetchFrame(kind: frame.kind, id: frame.id, payload: Array(frame.payload.prefix(count)))
                #expect(throws: FetchFrameError.self) { try FetchReply(short) }
            }
            let long = FetchFrame(kind: frame.kind, id: frame.id, payload: frame.payload + [0])
            #expect(throws: FetchFrameError.trailing(frame.kind, bytes: 1)) { try FetchReply(long) }
        }
    }

    @Test(arguments: [0, 100, 101, 103, 199, 1_000, 65_535])
    func `rejects a status that is not final`(status: Int) {
        #expect(throws: FetchFrameError.invalid(.status)) { try FetchHead(status: status, fields: []) }
        let payload = [UInt8(truncatingIfNeeded: status), UInt8(status >> 8), 0, 0]
        #expect(throws: FetchFrameError.invalid(.status)) {
            try FetchReply(FetchFrame(kind: .head, id: 1, payload: payload))
        }
    }

    @Test(
        arguments: [
            ("", "x", .fieldName), ("a b", "x", .fieldName), ("a\r", "x", .fieldName), ("é", "x", .fieldName),
            ("a:", "x", .fieldName),
            ("a", "x\r\nSet-Cookie: b", .fieldValue), ("a", "\n", .fieldValue), ("a", "\0", .fieldValue),
            ("a", "\u{7F}", .fieldValue),
        ] as [(String, String, FramePart)]
    )
    func `rejects fields that HTTP cannot have`(name: String, value: String, part: FramePart) throws {
        #expect(throws: FetchFrameError.invalid(part)) { try FetchHead(status: 200, fields: [Self.field(name, value)]) }
        let payload: [UInt8] =
            [200, 0, 1, 0, UInt8(name.utf8.count), 0] + Array(name.utf8) + [UInt8(value.utf8.count), 0]
            + Array(value.utf8)
        #expect(throws: FetchFrameError.invalid(part)) {
            try FetchReply(FetchFrame(kind: .head, id: 1, payload: payload))
        }
        #expect(throws: FetchFrameError.invalid(part)) { try Self.start(fields: [Self.field(name, value)]) }
    }

    @Test func `limits the fields of a head`() throws {
        let value = String(repeating: "x", count: FetchHead.maxFieldBytes - 5)
        let head = try FetchHead(status: 200, fields: [Self.field("a", value)])
        #expect(try FetchReply(FetchReply.head(id: 1, head).frame) == .head(id: 1, head))
        #expect(throws: FetchFrameError.invalid(.fields)) {
            try FetchHead(status: 200, fields: [Self.field("ab", value)])
        }
        let many = Array(repeating: Self.field("a", ""), count: FetchHead.maxFieldCount)
        #expect(try FetchHead(status: 200, fields: many).fields == many)
        #expect(throws: FetchFrameError.invalid(.fields)) {
            try FetchHead(status: 200, fields: many + [Self.field("a", "")])
        }
    }

    @Test(
        arguments: [
            ([200, 0, 1, 0], .truncated(.fieldName)), ([200, 0, 0xFF, 0xFF], .truncated(.fieldName)),
            ([200, 0, 1, 0, 0xFF, 0xFF, 0x61], .truncated(.fieldName)),
            ([200, 0, 1, 0, 1, 0, 0x61, 0xFF, 0xFF], .truncated(.fieldValue)),
            ([200, 0, 1, 0, 1, 0, 0xFF, 0, 0], .invalid(.fieldName)),
            ([200, 0, 1, 0, 1, 0, 0x61, 1, 0, 0xC3], .invalid(.fieldValue)),
            ([200], .truncated(.status)), ([200, 0, 1], .truncated(.fieldCount)),
        ] as [([UInt8], FetchFrameError)]
    )
    func `rejects heads whose lengths are wrong`(payload: [UInt8], error: FetchFrameError) {
        #expect(throws: error) { try FetchReply(FetchFrame(kind: .head, id: 1, payload: payload)) }
    }

    @Test func `rejects failures, phases, timings and details that do not exist`() {
        let report = FetchFailureReport(.connectFailed, in: .connect, timings: FetchTimings(connect: 5), detail: "ab")
        let valid = FetchReply.failed(id: 1, report).frame.payload
        func error(_ change: (inout [UInt8]) -> Void) -> FetchFrameError? {
            var payload = valid
            change(&payload)
            do throws(FetchFrameError) {
                _ = try FetchReply(FetchFrame(kind: .failed, id: 1, payload: payload))
                return nil
            } catch {
                return error
            }
        }
        #expect(error { _ in } == nil)
        for number in [0, 11, 255] as [UInt8] { #expect(error { $0[0] = number } == .invalid(.failure)) }
        // A process does not report its own death.
        #expect(error { $0[0] = FetchFailure.fetcherDied.rawValue } == .invalid(.failure))
        for number in [0, 6, 255] as [UInt8] { #expect(error { $0[1] = number } == .invalid(.phase)) }
        #expect(error { $0[9] = 0xFE } == .invalid(.timing))
        for byte in [0, 0x0A, 0x1F, 0x7F] as [UInt8] { #expect(error { $0[44] = byte } == .invalid(.detail)) }
        #expect(error { $0[44] = 0x80 } == .invalid(.detail))
        #expect(
            error { $0.replaceSubrange(42..., with: [1, 1] + Array(repeating: 0x61, count: 257)) } == .invalid(.detail)
        )
    }

    @Test func `durations are at most a day`() throws {
        let day = FetchTimings.maxMicroseconds
        #expect(FetchTimings(tls: day + 1) == FetchTimings(tls: day))
        var payload = FetchReply.end(id: 1, FetchEnd(contentBytes: 0, timings: FetchTimings(resolve: day))).frame
            .payload
        #expect(try FetchEnd(payload: payload).timings.resolve == day)
        payload[8] += 1
        #expect(throws: FetchFrameError.invalid(.timing)) { try FetchEnd(payload: payload) }
    }

    @Test func `a detail is limited and visible`() {
        let report = FetchFailureReport(
            .tlsFailed,
            in: .tls,
            timings: FetchTimings(),
            detail: "a\nü" + String(repeating: "x", count: 300)
        )
        #expect(report.detail.hasPrefix("a???xx"))
        #expect(report.detail.utf8.count == 256)
    }

    @Test func `rejects requests that a frame cannot contain`() throws {
        #expect(throws: FetchFrameError.invalid(.method)) { try Self.start(method: "") }
        #expect(throws: FetchFrameError.invalid(.method)) { try Self.start(method: "G T") }
        #expect(throws: FetchFrameError.invalid(.method)) { try Self.start(method: String(repeating: "M", count: 65)) }
        #expect(try Self.start(partition: String(repeating: "p", count: 128)).partition.count == 128)
        #expect(throws: FetchFrameError.invalid(.partition)) {
            try Self.start(partition: String(repeating: "p", count: 129))
        }
        for timeout in [0, 86_400_001, .max] as [UInt32] {
            for index in 0..<4 {
                var values: [UInt32] = [1, 1, 1, 86_400_000]
                values[index] = timeout
                #expect(throws: FetchFrameError.invalid(.timeout)) { try Self.start(timeouts: values) }
            }
        }
        #expect(try Self.start(timeouts: [1, 1, 1, 86_400_000]).timeouts.total == 86_400_000)
    }

    @Test(arguments: [
        "HTTP://a.example/", "http://a.example", "http://a.example:80/", "http://a.example/x/../",
        "http://a.example/#f", "", "file:///x",
        "http://0x7f.1/", "http://a@b.example/", "http://a.example/\r\n",
    ])
    func `a request has a canonical URL`(url: String) throws {
        let frame = FetchCommand.start(id: 1, try Self.start(url: "http://a.example/")).frame
        // The URL follows one byte of flags, five numbers, and the method after its length.
        let start = 1 + 20 + 2 + 3
        var payload = frame.payload
        payload.replaceSubrange(start..<start + 2 + 17, with: [UInt8(url.utf8.count), 0] + Array(url.utf8))
        #expect(throws: FetchFrameError.invalid(.url)) {
            try FetchCommand(FetchFrame(kind: .start, id: 1, payload: payload))
        }
    }

    @Test func `rejects unknown flags of a request`() throws {
        var payload = FetchCommand.start(id: 1, try Self.start()).frame.payload
        for flag in [4, 8, 0x80] as [UInt8] {
            payload[0] = flag
            #expect(throws: FetchFrameError.invalid(.flags)) { try FetchStart(payload: payload) }
        }
        payload[0] = 1
        #expect(try FetchStart(payload: payload).hostIsNamed)
        payload[0] = 2
        #expect(throws: FetchFrameError.truncated(.content)) { try FetchStart(payload: payload) }
    }

    // MARK: The order of frames

    private static let head = head(200)
    private static let empty = head(204)
    private static let unchanged = head(304)
    private static let data = FetchReply.data(id: 1, content: [1, 2, 3])
    private static let failed = FetchReply.failed(
        id: 1,
        FetchFailureReport(.timedOut, in: .head, timings: FetchTimings())
    )
    private static let pong = FetchReply.pong(sequence: 1)
    private static func end(_ bytes: UInt64) -> FetchReply {
        .end(id: 1, FetchEnd(contentBytes: bytes, timings: FetchTimings()))
    }

    @Test(arguments: [
        ("GET", [head, end(0)]), ("GET", [head, data, data, end(6)]), ("GET", [failed]), ("GET", [head, failed]),
        ("GET", [head, data, failed]), ("HEAD", [head, end(0)]), ("GET", [empty, end(0)]),
        ("GET", [unchanged, end(0)]),
        ("HEAD", [failed]),
    ])
    func `accepts the frames of a transfer`(method: String, replies: [FetchReply]) throws {
        var progress = TransferProgress(method: method)
        for reply in replies {
            #expect(!progress.isFinished)
            try progress.accept(reply)
        }
        #expect(progress.isFinished)
        for reply in [Self.head, Self.data, Self.end(0), Self.failed, Self.pong] {
            #expect(throws: FetchFrameError.unexpected(reply.frame.kind)) { try progress.accept(reply) }
        }
    }

    @Test(
        arguments: [
            ("GET", [], data, .unexpected(.data)), ("GET", [], end(0), .unexpected(.end)),
            ("GET", [head], head, .unexpected(.head)),
            ("GET", [head, data], head, .unexpected(.head)),
            ("GET", [head], end(1), .contentLength(reported: 1, received: 0)),
            ("GET", [head, data], end(2), .contentLength(reported: 2, received: 3)),
            ("GET", [head, data], end(.max), .contentLength(reported: .max, received: 3)),
            ("HEAD", [head], data, .unexpected(.data)), ("GET", [empty], data, .unexpected(.data)),
            ("GET", [unchanged], data, .unexpected(.data)), ("GET", [head], pong, .unexpected(.pong)),
        ] as [(String, [FetchReply], FetchReply, FetchFrameError)]
    )
    func `rejects frames that cannot follow each other`(
        method: String,
        replies: [FetchReply],
        last: FetchReply,
        error: FetchFrameError
    ) throws {
        var progress = TransferProgress(method: method)
        for reply in replies { try progress.accept(reply) }
        #expect(throws: error) { try progress.accept(last) }
    }

    private static func start(
        method: String = "GET",
        url: String = "https://a.example:8443/x?y",
        fields: [HeaderFields.Field] = [field("Accept", "a/b"), field("x", "")],
        content: [UInt8]? = nil,
        partition: String = "p",
        hostIsNamed: Bool = false,
        timeouts: [UInt32] = [3_000, 5_000, 15_000, 60_000]
    ) throws -> FetchStart {
        try FetchStart(
            FetchRequest(method: method, url: try FetchURL(parsing: url), fields: fields, content: content),
            partition: partition,
            hostIsNamed: hostIsNamed,
            timeouts: FetchStart.Timeouts(
                resolve: timeouts[0],
                connect: timeouts[1],
                idle: timeouts[2],
                total: timeouts[3]
            ),
            slowestBytesPerSecond: 1_024
        )
    }

    /// A head that can be created, or else a pong, which no test expects.
    private static func head(_ status: Int, _ fields: [HeaderFields.Field] = []) -> FetchReply {
        (try? FetchHead(status: status, fields: fields)).map { .head(id: 1, $0) } ?? .pong(sequence: 0)
    }

    private static func field(_ name: String, _ value: String) -> HeaderFields.Field {
        HeaderFields.Field(name: name, value: value)
    }
}

extension FetchFrameReader {
    fileprivate mutating func append(bytes: [UInt8]) {
        append(bytes.span)
    }
}
