import Fetching
import Glibc
import Origin
import Platform
import Serialization
import TestSupport
import Testing

/// Fetches from a scripted origin with the real program.
@Suite struct TransferTests {
    private typealias Cause = TestFetcher.Cause

    @Test func `the sandbox is in effect, and a ping is answered`() throws {
        let fetcher = try TestFetcher()
        #expect(fetcher.sandbox == SandboxParts.all.subtracting(.parentBound))
        try fetcher.send(.ping(sequence: 7))
        #expect(try fetcher.next() == .pong(sequence: 7))
    }

    @Test func `the process ends when the service closes the socket`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        _ = try fetcher.start(TestFetcher.Request(origin.url("/hold/gate")))
        #expect(origin.awaitHolding(1, at: "gate"))
        #expect(fetcher.close() == 0)
        #expect(origin.awaitPeerClosed(1))
    }

    @Test func `bytes that are not a frame end the process`() throws {
        let fetcher = try TestFetcher()
        try fetcher.send([UInt8](repeating: 0xFF, count: 16))
        #expect(try fetcher.lastWords()?.contains("unknownKind(65535)") == true)
    }

    @Test func `a second start of an active transfer ends the process`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        for _ in 0..<2 { try fetcher.send(.start(id: 9, Self.start(origin.url("/hold/gate")))) }
        #expect(try fetcher.lastWords()?.contains("unexpected(") == true)
    }

    private static func start(_ url: String) throws -> FetchStart {
        try FetchStart(
            FetchRequest(method: "GET", url: FetchURL(parsing: url)),
            partition: "",
            hostIsNamed: true,
            timeouts: FetchStart.Timeouts(resolve: 1_000, connect: 30_000, idle: 30_000, total: 30_000),
            slowestBytesPerSecond: 0
        )
    }

    // MARK: Responses

    @Test(arguments: [
        "/json/1", "/content/16384", "/content/1000000", "/chunked/7/content/100000", "/until-close/content/70000",
        "/version/HTTP%2F1.0/until-close/content/10",
    ])
    func `content is delivered as it was sent`(path: String) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url(path))
        let bytes = path.split(separator: "/").last.flatMap { Int($0) } ?? 0
        #expect(result.head?.status == 200)
        #expect(result.content == (path.contains("json") ? Script.json(bytes) : Script.pattern(bytes)))
        let end = try #require(result.end)
        #expect(end.contentBytes == UInt64(bytes))
        #expect(end.timings.connect != nil && end.timings.firstByte != nil && end.timings.transfer != nil)
        #expect(end.timings.resolve == nil && end.timings.tls == nil)
    }

    @Test func `fields are delivered in their order, and content codings are not decoded`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let lines = "Content-Encoding:%20gzip%0AX:%20%0AContent-Encoding:%20br%0ASet-Cookie:%20a=b"
        let result = try fetcher.fetch(origin.url("/fields/\(lines)/content/9"))
        let fields = try #require(result.head).fields.filter { !["Content-Length", "Content-Type"].contains($0.name) }
        #expect(
            fields == [
                HeaderFields.Field(name: "Content-Encoding", value: "gzip"), HeaderFields.Field(name: "X", value: ""),
                HeaderFields.Field(name: "Content-Encoding", value: "br"),
                HeaderFields.Field(name: "Set-Cookie", value: "a=b"),
            ]
        )
        #expect(result.content == Script.pattern(9))
    }

    @Test(arguments: [204, 304, 404, 500, 302, 999])
    func `every status is a response`(status: Int) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/redirect/\(status)/%2Felsewhere"))
        #expect(result.head?.status == status)
        #expect(result.end?.contentBytes == 0)
        #expect(origin.requestCount == 1)
    }

    @Test func `a response to HEAD has no content`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/length/5")) { $0.method = "HEAD" }
        #expect(result.head?.status == 200)
        #expect(result.end?.contentBytes == 0)
        #expect(origin.recordedRequests.map(\.method) == ["HEAD"])
    }

    @Test func `interim responses are skipped`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/interim/103/20/json/5"))
        #expect(result.head?.status == 200)
        #expect(result.content == Script.json(5))
    }

    // MARK: Requests

    @Test func `a request has only the fields that it was given`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        _ = try fetcher.fetch(origin.url("/")) { $0.fields = [("X-B", "1"), ("x-a", ""), ("Accept", "a/b")] }
        _ = try fetcher.fetch(origin.url("/")) { $0.fields = [("User-Agent", "mine")] }
        let heads = origin.recordedRequests.map { String(decoding: $0.head, as: UTF8.self) }
        let host = "127.0.0.1:\(origin.port)"
        #expect(
            heads == [
                "GET / HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: test/1\r\nX-B: 1\r\nx-a:\r\nAccept: a/b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: mine\r\n\r\n",
            ]
        )
    }

    @Test func `the target is sent as it was written`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        origin.respondToOthers { _, _ in Script() }
        let targets = ["//a//b/", "/%2F%5c/x;y=1?a[]=b&c='d'&e=%20#".dropLast().description, "/?", "/a?http://b@c/"]
        for target in targets { _ = try fetcher.fetch(origin.url(target)) }
        #expect(origin.recordedRequests.map(\.target) == targets)
    }

    @Test(
        arguments: [
            ("POST", LongArgument(Array("a=b".utf8))), ("POST", LongArgument([])),
            ("PUT", LongArgument([UInt8](repeating: 7, count: 3_000_000))),
            ("DELETE", LongArgument([1])), ("GET", LongArgument([0, 1])), ("PROPFIND", LongArgument([2])),
        ]
    )
    func `content is sent with its length, and without fields of libcurl`(
        method: String,
        content: LongArgument<[UInt8]>
    ) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher { $0.maxContentBytes = 4 << 20 }
        let result = try fetcher.fetch(origin.url("/")) {
            $0.method = method
            $0.content = content.value
        }
        #expect(result.head?.status == 200)
        let request = try #require(origin.recordedRequests.first)
        #expect(request.method == method)
        let isSame = request.content == content.value
        #expect(isSame, "\(request.content.count) bytes")
        #expect(request.fields.map(\.name).sorted() == ["Content-Length", "Host", "User-Agent"])
    }

    @Test func `methods that are expected to have content send its length even without any`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            _ = try fetcher.fetch(origin.url("/")) { $0.method = method }
        }
        #expect(origin.recordedRequests.map { $0.values(of: "content-length") } == [["0"], ["0"], ["0"], [], []])
    }

    /// The origin has not failed: its breaker must not open.
    @Test func `contents that are too long together fail before they are sent`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher { $0.maxContentBytes = 16 << 20 }
        var request = TestFetcher.Request(origin.url("/hold/gate"))
        request.method = "POST"
        request.content = [UInt8](repeating: 7, count: 11 << 20)
        let ids = try (0..<3).map { _ in try fetcher.start(request) }
        let last = try fetcher.result(of: ids[2], method: "POST")
        #expect(last.cause == Cause(failure: .connectFailed, phase: .resolve))
        origin.release("gate")
        for id in ids.dropLast() { #expect(try fetcher.result(of: id, method: "POST").head?.status == 200) }
    }

    // MARK: Connections

    @Test func `safe requests share a connection, and others have one of their own`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        for method in ["GET", "HEAD", "GET", "POST", "DELETE", "GET"] {
            let result = try fetcher.fetch(origin.url("/json/10")) { $0.method = method }
            #expect(result.head?.status == 200)
        }
        let connections = origin.recordedRequests.map(\.connection)
        #expect(connections.prefix(3) == [1, 1, 1])
        #expect(connections[3] == 2 && connections[4] == 3)
    }

    @Test func `partitions share no connection`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        for partition in ["", "a", "b", "a", "b", ""] {
            let result = try fetcher.fetch(origin.url("/text/x\(partition)")) { $0.partition = partition }
            #expect(result.text == "x" + partition)
        }
        #expect(origin.recordedRequests.map(\.connection) == [1, 2, 3, 2, 3, 1])
    }

    @Test func `the connections of 64 partitions are kept, and those of the partition used last`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let partitions = 65
        for partition in Array(0..<partitions) + [partitions - 1, 1, 0] {
            _ = try fetcher.fetch(origin.url("/json/1")) { $0.partition = "\(partition)" }
        }
        #expect(origin.recordedRequests.map(\.connection).suffix(3) == [partitions, 2, partitions + 1])
    }

    @Test(arguments: [["a"], ["a", "b"], ["a", "b", "c"]])
    func `idle connections are limited together`(partitions: [String]) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let before = try fetcher.sockets()
        let ids = try (0..<150).flatMap { number in
            try partitions.map { partition in
                var request = TestFetcher.Request(origin.url("/hold/gate/json/\(number)"))
                request.partition = partition
                return try fetcher.start(request)
            }
        }
        #expect(origin.awaitHolding(ids.count, at: "gate"))
        #expect(try fetcher.sockets() - before == ids.count)
        origin.release("gate")
        for id in ids { #expect(try fetcher.result(of: id).head?.status == 200) }
        let idle = try fetcher.sockets() - before
        #expect(idle <= 128)
        // Each of them still has some.
        let connections = origin.recordedRequests.count
        for partition in partitions { _ = try fetcher.fetch(origin.url("/text/x")) { $0.partition = partition } }
        #expect(origin.recordedRequests.suffix(partitions.count).allSatisfy { $0.connection <= connections })
    }

    @Test func `a connection with unread bytes is not used again`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        // The second response is that of nobody. It has been received with the first one.
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
        origin.respond(to: "/first") { _, _ in
            var script = Script()
            script.bytes = Array((head + "\r\nfirst" + head + "\r\nextra").utf8)
            return script
        }
        #expect(try fetcher.fetch(origin.url("/first")).text == "first")
        #expect(try fetcher.fetch(origin.url("/text/second")).text == "second")
        #expect(origin.recordedRequests.map(\.connection) == [1, 2])
    }

    @Test func `a response that arrives over an idle connection is not that of the next request`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let unrequested = Script.argument("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nextra")
        // The first response has no content. What the origin sends as content belongs to no response.
        let first = try fetcher.fetch(origin.url("/length/0/hold-content/gate/text/\(unrequested)"))
        #expect(first.end?.contentBytes == 0)
        origin.release("gate")
        #expect(try fetcher.awaitUnreadBytes(ofOriginAt: origin.port))
        #expect(try fetcher.fetch(origin.url("/text/second")).text == "second")
        #expect(origin.recordedRequests.map(\.connection) == [1, 2])
    }

    @Test(arguments: ["<html>\n", "extra", "{\"a\":1}\r\n\r\n"])
    func `a safe request is sent again if bytes that are no response arrive over an idle connection`(
        extra: String
    ) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        origin.register(raw: "extra", Array(extra.utf8))
        _ = try fetcher.fetch(origin.url("/json/1"))
        let target = "/raw/extra/then/text/second"
        #expect(try fetcher.fetch(origin.url(target)).text == "second")
        #expect(origin.recordedRequests.map(\.connection) == [1, 1, 2])
        // A connection of its own has no response before it, and other methods may have effects.
        for (method, path, requests) in [("GET", "/raw/extra?1", 2), ("DELETE", "/raw/extra?2", 1)] {
            _ = try fetcher.fetch(origin.url("/json/1"))
            let result = try fetcher.fetch(origin.url(path)) { $0.method = method }
            #expect(result.cause?.failure == .malformedResponse)
            #expect(origin.requests(for: path) == requests)
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `content that the origin ignores chooses no response of another request`(method: String) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let result = try fetcher.fetch(origin.url("/ignore-content/text/first")) { request in
            request.method = method
            request.content = Array("GET /hold/gate/text/chosen HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        }
        #expect(result.head?.status == 200)
        // The response that the first caller chose is sent while the second one waits.
        let second = try fetcher.start(TestFetcher.Request(origin.url("/text/second")))
        origin.release("gate")
        #expect(try fetcher.result(of: second).text == "second")
        let connections = origin.recordedRequests.filter { $0.target != "/hold/gate/text/chosen" }.map(\.connection)
        #expect(connections == [1, 2])
    }

    @Test(arguments: ["NTLM", "Negotiate"])
    func `an origin that authenticates connections sends nobody else's response`(scheme: String) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let url = origin.url("/authenticate/\(scheme)")
        _ = try fetcher.fetch(origin.url("/json/1"))
        let own = try fetcher.fetch(url) { $0.fields = [("authorization", "\(scheme) secret")] }
        #expect(own.text == "\(scheme) secret")
        for _ in 0..<2 {
            let other = try fetcher.fetch(url)
            #expect(other.head?.status == 401 && other.text == "")
        }
    }

    @Test(arguments: ["NTLM TlRMTVNTUAAB", "Negotiate YII=", "negotiate"])
    func `a connection that the origin may have authenticated is not used again`(credentials: String) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        _ = try fetcher.fetch(origin.url("/json/1"))
        _ = try fetcher.fetch(origin.url("/json/2")) { $0.fields = [("authorization", credentials)] }
        _ = try fetcher.fetch(origin.url("/json/3"))
        #expect(origin.recordedRequests.map(\.connection) == [1, 2, 1])
    }

    @Test(arguments: [
        ("WWW-Authenticate: NTLM", true), ("www-authenticate: Basic realm=\"a\", Negotiate", true),
        ("WWW-Authenticate: Basic realm=\"a\"\nWWW-Authenticate: Negotiate YII=", true),
        ("Persistent-Auth: true", true), ("WWW-Authenticate: Basic realm=\"a\"", false),
    ])
    func `a connection over which authentication was offered is not used again`(lines: String, closes: Bool) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        _ = try fetcher.fetch(origin.url("/status/401/fields/\(Script.argument(lines))/text/x"))
        _ = try fetcher.fetch(origin.url("/json/1"))
        #expect(origin.recordedRequests.map(\.connection) == [1, closes ? 2 : 1])
    }

    @Test func `a request with effects is not repeated when its connection is reset`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        _ = try fetcher.fetch(origin.url("/json/1"))
        let result = try fetcher.fetch(origin.url("/reset/before-head")) {
            $0.method = "POST"
            $0.content = [1]
        }
        #expect(result.cause == Cause(failure: .connectionLost, phase: .head))
        #expect(origin.requests(for: "/reset/before-head") == 1)
    }

    @Test func `a safe request survives the end of an idle connection`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        _ = try fetcher.fetch(origin.url("/json/1"))
        origin.closeConnections()
        #expect(try fetcher.fetch(origin.url("/json/2")).content == Script.json(2))
        #expect(origin.recordedRequests.map(\.connection) == [1, 2])
    }

    @Test func `a safe request is sent again if an idle connection ends before its response`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let lost = Cause(failure: .connectionLost, phase: .head)
        #expect(try fetcher.fetch(origin.url("/reset/before-head")).cause == lost)
        #expect(origin.requests(for: "/reset/before-head") == 1)
        _ = try fetcher.fetch(origin.url("/json/1"))
        #expect(try fetcher.fetch(origin.url("/reset/before-head")).cause == lost)
        #expect(origin.requests(for: "/reset/before-head") == 3)
    }

    @Test func `many transfers run at the same time`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let ids = try (0..<200).map { _ in try fetcher.start(TestFetcher.Request(origin.url("/hold/gate/json/100"))) }
        #expect(origin.awaitHolding(200, at: "gate"))
        origin.release("gate")
        for id in ids { #expect(try fetcher.result(of: id).content == Script.json(100)) }
    }

    // MARK: Cancelling and back-pressure

    @Test(arguments: ["/hold/gate", "/hold-content/gate/json/100", "/interim/103/1/hold/gate"])
    func `an origin sees a cancellation, and nothing follows it`(path: String) throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let id = try fetcher.start(TestFetcher.Request(origin.url(path)))
        #expect(origin.awaitHolding(1, at: "gate"))
        try fetcher.send(.cancel(id: id))
        #expect(origin.awaitPeerClosed(1))
        try fetcher.send(.cancel(id: id))
        try fetcher.send(.cancel(id: 77))
        try fetcher.send(.ping(sequence: 1))
        var replies: [FetchReply] = []
        while replies.last != .pong(sequence: 1) { replies.append(try fetcher.next()) }
        #expect(
            replies.allSatisfy { reply in
                switch reply {
                case .head, .pong: true
                case .data, .end, .failed, .ready: false
                }
            }
        )
    }

    @Test func `an origin pauses while the service does not receive`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let bytes = 100_000_000
        let id = try fetcher.start(TestFetcher.Request(origin.url("/content/\(bytes)")))
        // Without a pause, the memory grows by the content.
        #expect(try fetcher.awaitPause(ofOriginAt: origin.port, maxBytes: 80 << 20))
        let result = try fetcher.result(of: id)
        #expect(result.content == Script.pattern(bytes))
    }

    @Test func `endless content needs little memory, and can be cancelled`() throws {
        let origin = try Origin()
        let fetcher = try TestFetcher()
        let id = try fetcher.start(TestFetcher.Request(origin.url("/chunked/60000/content/10000000000")))
        var received = 0
        while received < 200 << 20 {
            if case .data(_, let content) = try fetcher.next(of: id) { received += content.count }
        }
        #expect(try fetcher.residentBytes() < 80 << 20)
        try fetcher.send(.cancel(id: id))
        try fetcher.send(.ping(sequence: 1))
        while try fetcher.next() != .pong(sequence: 1) {}
        #expect(origin.awaitPeerClosed(1))
    }
}
