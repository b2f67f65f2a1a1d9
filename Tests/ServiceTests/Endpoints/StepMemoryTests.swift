import Encoders
import Fetching
import Flights
import Serialization
import Synchronization
import Testing

@testable import HTTP
@testable import Service

/// Tests of the memory of steps: what is written on an HTTP thread is bounded, and everything else is charged.
@Suite struct StepMemoryTests {
    private let application = DecantApplication(readiness: Readiness(.ready))

    /// A request whose content is charged to `account`.
    struct Request: Sendable, CustomTestStringConvertible {
        var name: String
        var target: String
        var fields: [(String, String)]
        var content: [UInt8]

        init(_ name: String, _ target: String, _ type: String, _ content: [UInt8]) {
            self.name = name
            self.target = target
            fields = [("Content-Type", type)]
            self.content = content
        }

        var testDescription: String { name }
    }

    /// Executes the first step, as an HTTP thread does.
    private func begin(_ request: Request, _ account: MemoryAccount) throws -> Step {
        let head = RequestHead(
            method: "POST",
            target: try RequestTarget(parsing: request.target.utf8.span),
            fields: HeaderFields(request.fields.map { HeaderFields.Field(name: $0.0, value: $0.1) }),
            declaredContentBytes: request.content.count,
            requestID: .given("a")
        )
        switch application.plan(for: head).decision {
        case .respond: throw RejectionReason.saturated
        case .accept(_, let firstStep):
            return try firstStep(request.content.span) { () throws(RejectionReason) in
                var buffer = ContentBuffer(declaredBytes: request.content.count, account: account)
                guard buffer.append(request.content.span) else { throw .saturated }
                return OwnedContent(buffer)
            }
        }
    }

    /// A response that is held, as if its client did not read it.
    private final class Held {
        let response: Response

        init(_ response: consuming Response) {
            self.response = response
        }

        var count: Int? { response.content.count }
    }

    /// Executes all steps.
    private func run(_ request: Request, _ account: MemoryAccount) throws -> (held: Held, computeSteps: Int) {
        var step: Step
        do {
            step = try begin(request, account)
        } catch let reason as RejectionReason {
            // The exchange responds with it.
            step = .done(Problem(reason).response(requestID: "a"))
        }
        var count = 0
        while true {
            switch consume step {
            case .done(let response): return (Held(response), count)
            case .next(on: .compute(let next)):
                count += 1
                step = next()
            case .next(on: .factsStep): throw RejectionReason.saturated
            case .next(on: .pixelsStep): throw RejectionReason.saturated
            case .park: throw RejectionReason.saturated
            }
        }
    }

    // MARK: Messages

    /// JSON that is sorted on the compute lane, in a message with one chunk.
    static let chunkedMessage: Request = {
        let json = "[\(Array(repeating: "1", count: 20_000).joined(separator: ","))]"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        let message = head + "\(String(json.utf8.count, radix: 16))\r\n\(json)\r\n0\r\n\r\n"
        return Request("message", "/v1/normalize/message?keys=sorted", "application/http", Array(message.utf8))
    }()

    /// 64 messages of 16 KB took 881 MB under an account of 64 MiB.
    @Test func `chunked messages are decoded within the memory of requests`() throws {
        let account = MemoryAccount(maxBytes: 4 << 20)
        do {
            var held: [Held] = []
            for _ in 0..<64 {
                let (response, steps) = try run(Self.chunkedMessage, account)
                #expect(steps == 1 || response.response.status == 503)
                held.append(response)
                #expect(account.usedBytes <= account.maxBytes)
            }
            let statuses = held.map { $0.response.status }
            #expect(Set(statuses) == [200, 503])
            #expect(statuses.count { $0 == 200 } < 10)
            let rejected = try #require(held.first { $0.response.status == 503 })
            #expect(rejected.response.problem == .saturated)
            let fields = rejected.response.fields
            #expect(fields.contains { $0.name == "Retry-After" })
        }
        #expect(account.usedBytes == 0)
    }

    // MARK: Amplification

    /// A binary property list of 2^`levels` references to an array of 14 dates.
    private static func dates(levels: Int, key: String? = nil) -> [UInt8] {
        func array(_ references: [Int]) -> [UInt8] { [0xA0 | UInt8(references.count)] + references.map { UInt8($0) } }
        let first = key == nil ? 0 : 1
        let date = first + levels + 1
        var objects: [[UInt8]] = key == nil ? [] : [[0xD1, UInt8(date + 1), 1]]
        for level in 0..<levels { objects.append(array([first + level + 1, first + level + 1])) }
        objects.append(array(Array(repeating: date, count: 14)))
        objects.append([0x33, 0x41, 0x97, 0xD7, 0x84, 0x02, 0, 0, 0])
        if let key {
            let count = key.utf8.count
            objects.append([0x5F, 0x11, UInt8(count >> 8), UInt8(count & 255)] + Array(key.utf8))
        }
        var content = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(content.count >> 8), UInt8(content.count & 255)]
            content += object
        }
        let table = content.count
        content += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [objects.count, 0, table] {
            content += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
        return content
    }

    private static func xml(_ element: String, count: Int) -> [UInt8] {
        let namespace = String(repeating: "u", count: 30_000)
        return Array("<r xmlns=\"\(namespace)\">\(String(repeating: element, count: count))</r>".utf8)
    }

    /// Contents that an HTTP thread reads in less than a millisecond, and whose values are much longer.
    static let amplified = [
        Request("shared dates", "/v1/normalize", "application/x-plist", dates(levels: 11)),
        Request(
            "hints with a long key",
            "/v1/normalize?hints=true",
            "application/x-plist",
            dates(levels: 8, key: String(repeating: "k", count: 5_000))
        ),
        Request(
            "a long namespace in the document form",
            "/v1/normalize?serializer=xml-document",
            "application/xml",
            xml("<a/>", count: 8_000)
        ),
        Request(
            "a long namespace in names",
            "/v1/normalize?xml-names=clark",
            "application/xml",
            xml("<a/>x", count: 6_500)
        ),
    ]

    @Test(arguments: amplified)
    func `a value that is much longer than its content is written on the compute lane, and charged`(
        request: Request
    ) throws {
        let account = MemoryAccount(maxBytes: 256 << 20)
        // Otherwise, the response is 413.
        let others = try account.reserve((256 << 20) - (3 << 19), besides: 0)
        let (held, steps) = try run(request, account)
        #expect(steps == 1)
        #expect(held.response.status == 503)
        let fields = held.response.fields
        #expect(fields.contains { $0.name == "Retry-After" })
        withExtendedLifetime(others) {}
    }

    @Test func `a long value is complete, and as much is reserved as it is long`() throws {
        let account = MemoryAccount(maxBytes: 64 << 20)
        let (held, steps) = try run(Self.amplified[0], account)
        #expect(steps == 1)
        #expect(held.response.status == 200)
        let count = try #require(held.count)
        #expect(count > 14 * 2_048 * 20)
        guard case .reserved = held.response.charge else {
            Issue.record("the response is not charged")
            return
        }
        #expect(account.usedBytes >= count)
    }

    @Test func `a value that is a little longer than its content is written at once`() throws {
        let account = MemoryAccount(maxBytes: 1 << 20)
        let request = Request("", "/v1/normalize", "application/x-plist", Self.dates(levels: 5))
        let (held, steps) = try run(request, account)
        #expect(steps == 0)
        #expect(held.response.status == 200)
        let count = try #require(held.count)
        #expect(count > 60 * request.content.count)
        #expect(account.usedBytes == 0)
    }

    @Test func `the search for a remedy that needs more memory continues on the compute lane`() throws {
        // The type is not that of a property list.
        let account = MemoryAccount(maxBytes: 64 << 20)
        let request = Request("", "/v1/normalize", "application/json", Self.dates(levels: 11))
        let (held, steps) = try run(request, account)
        #expect(steps == 1)
        #expect(held.response.status == 422)
    }

    // MARK: Waiting

    @Test func `a decoder that waits for the compute lane is charged`() throws {
        let account = MemoryAccount(maxBytes: 64 << 20)
        var request = Request(
            "",
            "/v1/normalize?serializer=http",
            "application/octet-stream",
            Encoder.zlib.encode([UInt8](repeating: 0, count: 3_000_000))
        )
        request.fields.append(("Content-Encoding", "deflate"))
        let step = try begin(request, account)
        switch consume step {
        case .next(on: .compute(let next)):
            #expect(account.usedBytes >= (128 << 10) + request.content.count)
            _ = next()
        case .next(on: .factsStep): Issue.record("decoding continues on the compute lane")
        case .next(on: .pixelsStep): Issue.record("decoding continues on the compute lane")
        case .done: Issue.record("decoding continues on the compute lane")
        case .park: Issue.record("decoding continues on the compute lane")
        }
        #expect(account.usedBytes == 0)
    }

    // MARK: Grants and charges

    @Test func `the memory of an HTTP thread is granted up to its bound, and nothing after a denial`() {
        let memory = InlineMemory(maxBytes: 100)
        #expect(memory.grow(by: 60))
        #expect(memory.grow(by: 40))
        #expect(!memory.isExceeded)
        #expect(!memory.grow(by: 1))
        #expect(memory.isExceeded)
        #expect(!memory.grow(by: 0))
        #expect(memory.usedBytes == 100)
        #expect(!InlineMemory(maxBytes: 100).grow(by: .max))
    }

    @Test func `an HTTP thread reads at most 4 KiB of content again`() {
        let memory = InlineMemory(maxBytes: 100)
        #expect(memory.permitsReadingAgain((4 << 10) - 1))
        #expect(memory.permitsReadingAgain(1))
        #expect(!memory.isExceeded)
        #expect(!memory.permitsReadingAgain(1))
        #expect(memory.isExceeded)
        #expect(!memory.permitsReadingAgain(0))
        #expect(!memory.permitsReadingAgain(.max))
    }

    private static func response(bytes: Int) -> Response {
        Response(
            status: 200,
            contentType: "application/json",
            content: OutputBuffer([UInt8](repeating: 0x20, count: bytes))
        )
    }

    @Test(arguments: [(4 << 20, true), (300_000, false)])
    func `a long response is compressed if there is memory for it, and is otherwise sent as it is`(
        maxBytes: Int,
        isCompressed: Bool
    ) throws {
        let account = MemoryAccount(maxBytes: maxBytes)
        let fields = RequestFields(HeaderFields([HeaderFields.Field(name: "Accept-Encoding", value: "gzip")]))
        let representation = ResponseRepresentation(fields, gzipAboveBytes: 1_000)
        var response = Self.response(bytes: 100_000)
        try response.reserveMemory(in: account)
        representation.apply(to: &response, account)
        let count = response.content.count
        #expect(isCompressed ? count < 1_000 : count == 100_000)
        #expect(response.fields.map(\.name) == (isCompressed ? ["Vary", "Content-Encoding"] : ["Vary"]))
        #expect(account.usedBytes == count)
    }

    /// References in a feed are resolved with it. Under a caller's key, another caller must not receive them.
    @Test(arguments: [(SerializerKind.feed, "feed", true), (.xml, "a", false)])
    func `only what is made of a feed depends on the URL`(
        kind: SerializerKind,
        name: String,
        dependsOnURL: Bool
    ) throws {
        let content = Array("<\(name) xmlns=\"http://www.w3.org/2005/Atom\"><link href=\"#a\"/></\(name)>".utf8)
        var response = UpstreamResponse(status: 200, url: "https://a.example/?secret")
        response.fields.append(name: "Content-Type", value: "application/xml")
        var options = SerializationOptions()
        options.serializer = .one(kind)
        options.acceptableMediaTypes = nil
        options.view = .value
        let answer = try ResponseSerializer(options: options)
            .serialize(response, content: content.span, memory: .unlimited)
        let rendered = RenderedResponse(AnswerResponse.value(answer, view: .value, isStored: true), .response)
        #expect(rendered.dependsOnURL == dependsOnURL)
        #expect(rendered.content.text.contains("secret") == dependsOnURL)
    }

    @Test(arguments: [(100_000, true), (99_999, false)])
    func `buffers that are joined for the compression need memory for the copy`(bytes: Int, isCompressed: Bool) {
        let needed = GzipMember.maxBytes(forContentBytes: 100_000) + GzipMember.workingBytes
        let account = MemoryAccount(maxBytes: needed + bytes)
        let fields = RequestFields(HeaderFields([HeaderFields.Field(name: "Accept-Encoding", value: "gzip")]))
        let halves = SharedContent.joining((0..<2).map { _ in SharedContent([UInt8](repeating: 0x20, count: 50_000)) })
        var response = Response(status: 404, contentType: "application/problem+json", content: .shared(halves))
        ResponseRepresentation(fields, gzipAboveBytes: 1_000).apply(to: &response, account)
        #expect((response.content.count < 1_000) == isCompressed)
    }

    @Test(arguments: [(Response.minChargedBytes - 1, 0), (Response.minChargedBytes, 1), (1 << 20, 1)])
    func `a response that does not fit into the buffer of its socket is charged once`(bytes: Int, times: Int) throws {
        let account = MemoryAccount(maxBytes: 1 << 20)
        var response = Self.response(bytes: bytes)
        try response.reserveMemory(in: account)
        try response.reserveMemory(in: account)
        #expect(account.usedBytes == bytes * times)
        var other = Self.response(bytes: 1 << 20)
        guard times > 0 else { return }
        do throws(RejectionReason) {
            try other.reserveMemory(in: account)
            Issue.record("there is no memory for it")
        } catch {
            #expect(error == .saturated)
        }
    }

    /// Otherwise a stored response that was validated would be charged to each request that receives it.
    @Test func `when what a response describes changes, only that is charged, until a cache pays for it`() throws {
        var response = UpstreamResponse(status: 200)
        response.fields.append(name: "Content-Type", value: "application/json")
        let content = Array("\"\(String(repeating: "x", count: 1 << 20))\"".utf8)
        let answer = try ResponseSerializer().serialize(response, content: content.span, memory: .unlimited)
        let original = RenderedResponse(AnswerResponse.value(answer, view: .full, isStored: true), .response)
        let account = CacheAccount()
        original.retain(CacheCharge(original.heapBytes, to: account))
        #expect(original.unchargedBytes == 0)
        let part = try #require(original.upstream)
        let changed = part.facts.replacing(
            HeaderFields([HeaderFields.Field(name: "etag", value: "\"\(String(repeating: "y", count: 200))\"")]),
            .all,
            url: "https://a.example/",
            history: []
        )
        let other = original.replacing(part, by: changed)
        #expect(other.content.text.contains("yyy") && !original.content.text.contains("yyy"))
        #expect(other.content.text.contains(String(repeating: "x", count: 1 << 20)))
        #expect(other.count > original.count && other.entityTag != original.entityTag)
        #expect((200..<2_000).contains(other.unchargedBytes))
        let again = other.replacing(try #require(other.upstream), by: part.facts)
        #expect(again.content.text == original.content.text && again.entityTag == original.entityTag)
        other.retain(CacheCharge(other.heapBytes, to: account))
        #expect(other.unchargedBytes == 0)
        guard case .once = other.charge else {
            Issue.record("each response is charged")
            return
        }
    }

    @Test func `a response for several clients is charged as long as one of them has it`() {
        let account = MemoryAccount(maxBytes: 150_000)
        let rendered = Mutex<[RenderedResponse]>([])
        for _ in 0..<2 {
            let work = SharedWork(requestID: .given("a"), account: account) { response, _ in
                rendered.withLock { $0.append(response) }
            }
            work.deliver(Self.response(bytes: 100_000))
        }
        #expect(rendered.withLock { $0.map(\.status) } == [200, 503])
        #expect(account.usedBytes == 100_000)
        rendered.withLock { $0 = [] }
        #expect(account.usedBytes == 0)
    }
}
