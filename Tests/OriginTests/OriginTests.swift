import Glibc
import Testing

@testable import Origin

@Suite struct OriginTests {
    private let origin: Origin
    private let client: OriginClient

    init() throws {
        origin = try Origin()
        client = try OriginClient(origin)
    }

    // MARK: Commands

    @Test(arguments: [
        ("/", ["HTTP/1.1 200 OK", "Content-Length: 0"], ""),
        ("/status/404", ["HTTP/1.1 404 Not Found", "Content-Length: 0"], ""),
        ("/status/204", ["HTTP/1.1 204 Scripted"], ""),
        ("/status/304/fields/ETag:%20%22a%22", ["HTTP/1.1 304 Not Modified", #"ETag: "a""#], ""),
        ("/json/1", ["HTTP/1.1 200 OK", "Content-Type: application/json", "Content-Length: 1"], "1"),
        (
            "/json/12?a=/status/500",
            ["HTTP/1.1 200 OK", "Content-Type: application/json", "Content-Length: 12"], #"{"data":"a"}"#
        ),
        (
            "/fields/content-type:%20a%2Fb%0D%0AX:%201%0AX:%202/json/1",
            ["HTTP/1.1 200 OK", "content-type: a/b", "X: 1", "X: 2", "Content-Length: 1"], "1"
        ),
        ("/text/a%20b%2Fc", ["HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: 5"], "a b/c"),
        (
            "/redirect/302/http%3A%2F%2Fb.example%2F",
            ["HTTP/1.1 302 Found", "Location: http://b.example/", "Content-Length: 0"], ""
        ),
        (
            "/version/HTTP%2F1.0/extra-fields/2/long-field/3",
            ["HTTP/1.0 200 OK", "Content-Length: 0", "x-0: 0", "x-1: 1", "x-long: aaa"], ""
        ),
        ("/delay/1/delay-content/1/drip-head/10/1", ["HTTP/1.1 200 OK", "Content-Length: 0"], ""),
        ("/close", ["HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close"], ""),
        ("/interim/103/1/status/404", ["HTTP/1.1 103 Interim", "x-interim: 1"], ""),
    ])
    func `commands in the path specify the response`(target: String, lines: [String], content: String) throws {
        client.get(target)
        #expect(client.readResponse() == OriginClient.Response(lines: lines, content: Array(content.utf8)))
    }

    @Test(arguments: ["/x", "/status", "/status/x", "/status/-1", "/reset/later", "/text/%2", "/drip/1"])
    func `an invalid command is reported`(target: String) throws {
        client.get(target)
        #expect(client.readResponse()?.status == 501)
    }

    @Test func `content has the requested size, whatever the size of the pieces`() throws {
        for count in [0, 1, 250, 251, 252, 65_536, 200_000] {
            client.get("/content/\(count)")
            #expect(client.readResponse()?.content == (0..<count).map { UInt8($0 % 251) })
            client.get("/content/\(count)/drip/100000/0")
            #expect(client.readResponse()?.content == Script.pattern(count))
        }
        #expect((1...30).allSatisfy { Script.json($0).count == $0 })
    }

    @Test func `a response to HEAD has no content`() throws {
        client.get("/json/10", method: "HEAD")
        #expect(client.readResponse(hasContent: false)?.lines.last == "Content-Length: 10")
        client.get("/json/10/chunked/1", method: "HEAD")
        #expect(client.readResponse(hasContent: false)?.lines.last == "Transfer-Encoding: chunked")
        client.get("/status/404")
        #expect(client.readResponse()?.status == 404)
    }

    @Test func `content can be chunked, or end with the connection`() throws {
        client.get("/json/12/chunked/5")
        client.get("/json/12/until-close")
        let (text, end) = client.readToEnd()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        #expect(
            text == head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"dat\r\n5\r\na\":\"a\r\n2\r\n\"}\r\n0\r\n\r\n"
                + head + "Connection: close\r\n\r\n{\"data\":\"a\"}"
        )
        #expect(end == .closed)
    }

    @Test func `the stated length may be false`() throws {
        client.get("/json/12/length/-1/close")
        #expect(client.readToEnd().text.hasSuffix("Content-Length: -1\r\nConnection: close\r\n\r\n{\"data\":\"a\"}"))
    }

    @Test func `content can count and repeat requests`() throws {
        for count in 1...3 {
            client.get("/count?a")
            #expect(client.readResponse()?.text == "{\"count\":\(count)}")
        }
        client.get("/count?b")
        #expect(client.readResponse()?.text == "{\"count\":1}")
        client.send("POST /echo HTTP/1.1\r\nContent-Length: 2\r\n\r\nab")
        #expect(client.readResponse()?.text == "POST /echo HTTP/1.1\r\nContent-Length: 2\r\n\r\nab")
    }

    @Test func `each request of a target has its own script, and the last one is repeated`() throws {
        for status in [503, 404, 200, 200] {
            client.get("/status/503/then/status/404/then/json/1")
            #expect(client.readResponse()?.status == status)
        }
    }

    @Test(arguments: Script.Stage.allCases, [true, false])
    func `a response fails at each stage`(stage: Script.Stage, isReset: Bool) throws {
        client.get("/json/1000/\(isReset ? "reset" : "end")/\(stage.rawValue)")
        // A reset may overtake the bytes that were sent before.
        let (text, end) = client.readToEnd()
        #expect(end == (isReset ? .reset : .closed))
        let content = text.split(separator: "\r\n\r\n").dropFirst().first?.utf8.count ?? 0
        switch stage {
        case .beforeHead: #expect(text == "")
        case .inHead: #expect(isReset || text.hasPrefix("HTTP/1.1 200 OK\r\n") && !text.contains("\r\n\r\n"))
        case .inContent: #expect(isReset || content == 500)
        case .afterContent: #expect(isReset || content == 1000)
        }
    }

    @Test func `a request authenticates its connection, and no other one`() throws {
        let target = "/authenticate/NTLM"
        client.get(target)
        #expect(client.readResponse()?.status == 401)
        client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nAuthorization: NTLM x\r\n\r\n")
        #expect(client.readResponse()?.text == "NTLM x")
        client.get(target)
        #expect(client.readResponse()?.text == "NTLM x")
        let other = try OriginClient(origin)
        other.get(target)
        #expect(other.readResponse()?.status == 401)
    }

    @Test(arguments: ["GET", "HEAD"])
    func `the ignored content of a request is the next one`(method: String) throws {
        let next = "GET /text/next HTTP/1.1\r\nHost: a\r\n\r\n"
        client.send(
            "\(method) /ignore-content/text/a HTTP/1.1\r\nHost: a\r\nContent-Length: \(next.utf8.count)\r\n\r\n\(next)"
        )
        let isHead = method == "HEAD"
        #expect(client.readResponse(hasContent: !isHead)?.text == (isHead ? "" : "a"))
        #expect(client.readResponse()?.text == "next")
    }

    @Test func `raw bytes are sent unchanged`() throws {
        origin.register(raw: "a b", Array("garbage\n".utf8))
        client.get("/raw/a%20b")
        #expect(client.readToEnd() == ("garbage\n", .closed))
    }

    @Test func `a registered response overrides the commands in the path`() throws {
        origin.respond(to: "/status/404") { request, count in
            Script(status: 200 + count, fields: [("x-query", request.target)], content: .bytes([65]))
        }
        client.get("/status/404?a")
        #expect(
            client.readResponse()
                == OriginClient.Response(
                    lines: ["HTTP/1.1 201 Scripted", "x-query: /status/404?a", "Content-Length: 1"],
                    content: [65]
                )
        )
        origin.respondToOthers { _, _ in Script(status: 410) }
        client.get("/status/500")
        #expect(client.readResponse()?.status == 410)
        origin.respondToOthers(with: nil)
        client.get("/status/500")
        #expect(client.readResponse()?.status == 500)
    }

    // MARK: Waits

    @Test func `a delay is at least as long as requested`() throws {
        let start = Moment.now
        client.get("/delay/30/delay-content/30/json/1")
        #expect(client.readResponse()?.status == 200)
        #expect(Moment.now - start >= .milliseconds(60))
    }

    @Test func `a request waits until the test releases it`() throws {
        client.get("/hold/a/json/1/hold-content/b")
        #expect(origin.awaitHolding(1, at: "a"))
        #expect(!client.hasReceived)
        origin.release("a")
        #expect(origin.awaitHolding(1, at: "b"))
        #expect(client.awaitBytes(19))
        origin.release("b")
        #expect(client.readResponse()?.text == "1")
        // A released name does not wait any longer, until it holds again.
        client.get("/hold/a")
        #expect(client.readResponse()?.status == 200)
        origin.hold("a")
        client.get("/hold/a")
        #expect(origin.awaitHolding(1, at: "a"))
    }

    @Test func `requests can be released in batches`() throws {
        let clients = try (0..<3).map { _ in try OriginClient(origin) }
        for client in clients { client.get("/hold/a") }
        #expect(origin.awaitHolding(exactly: 3, at: "a"))
        origin.releaseWaiting(at: "a")
        #expect(clients.allSatisfy { $0.readResponse()?.status == 200 })
        #expect(origin.holdingCount(at: "a") == 0)
        client.get("/hold/a")
        #expect(origin.awaitHolding(exactly: 1, at: "a"))
    }

    @Test(arguments: ["/hold/a", "/delay/60000", "/json/10/drip/1/60000", "/interim/103/0", "/content/10000000000"])
    func `the end of a connection by the peer is noticed during a response`(target: String) throws {
        client.get(target)
        #expect(origin.awaitRequests(1, for: target))
        #expect(origin.connections[0].end == nil)
        let start = Moment.now
        client.reset()
        #expect(origin.awaitPeerClosed(1))
        #expect(origin.connections[0].end.map { $0.time > start && $0.reason == .resetByPeer } == true)
        #expect(origin.awaitNoConnection())
    }

    @Test func `an orderly end by the peer is noticed between requests and while a request waits`() throws {
        client.get("/")
        #expect(client.readResponse()?.status == 200)
        client.endSending()
        #expect(origin.awaitPeerClosed(1))
        let waiting = try OriginClient(origin)
        waiting.get("/hold/a")
        #expect(origin.awaitRequests(1, for: "/hold/a"))
        waiting.endSending()
        #expect(origin.awaitPeerClosed(2))
        #expect(origin.connections.map { $0.end?.reason } == [.closedByPeer, .closedByPeer])
    }

    @Test(arguments: ["/hold/a", "/delay/60000", "/json/10/drip/1/60000", "/content/10000000000", ""])
    func `a stop interrupts all waits and ends all threads`(target: String) throws {
        if target != "" { client.get(target) }
        #expect(origin.awaitRequests(target == "" ? 0 : 1))
        #expect(origin.awaitConnections(1))
        origin.stop()
        #expect(origin.engine.state.read { $0.threads } == 0)
        #expect(origin.openConnectionCount == 0)
        #expect(origin.peerClosedCount == 0)
    }

    // MARK: Records

    @Test func `requests are counted by target, and recorded`() throws {
        client.send("PUT /echo?x=1 HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nx-two:  b c \r\nX-Two: d\r\n")
        client.send("Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nTrailer: 1\r\n\r\n")
        client.get("/")
        #expect(origin.awaitRequests(2))
        #expect(origin.requests(for: "/echo?x=1") == 1)
        #expect(origin.requests(for: "/echo") == 0)
        let requests = origin.recordedRequests
        #expect(requests.map(\.target) == ["/echo?x=1", "/"])
        #expect(requests.map(\.ordinal) == [1, 2])
        #expect(requests[0].path == "/echo")
        #expect(requests[0].method == "PUT")
        #expect(requests[0].values(of: "x-two") == ["b c", "d"])
        #expect(requests[0].values(of: "x-empty") == [""])
        #expect(requests[0].content == Array("abcd".utf8))
        #expect(origin.connections.map(\.requests) == [2])
    }

    @Test func `a client that announces content is asked for it`() throws {
        client.send("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
        #expect(client.readResponse()?.lines == ["HTTP/1.1 100 Continue"])
        client.send("a")
        #expect(client.readResponse()?.text.hasSuffix("\r\n\r\na") == true)
    }

    @Test func `a client of HTTP 1.0, or one that asks for it, has its connection closed`() throws {
        client.send("GET /json/1 HTTP/1.0\r\n\r\n")
        #expect(client.readToEnd().end == .closed)
        let second = try OriginClient(origin)
        second.send("GET /json/1 HTTP/1.1\r\nConnection: Close\r\n\r\n")
        #expect(second.readToEnd().end == .closed)
    }

    // MARK: Connections

    /// All their sockets are fewer than the 1 024 files that a process may usually open.
    @Test func `200 clients wait at the same time`() throws {
        let clients = try (0..<200).map { _ in try OriginClient(origin) }
        for client in clients { client.get("/hold/gate/json/64") }
        #expect(origin.awaitHolding(200, at: "gate"))
        origin.release("gate")
        #expect(clients.allSatisfy { $0.readResponse()?.content.count == 64 })
        #expect(origin.requests(for: "/hold/gate/json/64") == 200)
    }

    @Test func `connections can be reset when they are accepted`() throws {
        #expect(origin.awaitConnections(1))
        origin.resetNextConnections(2)
        let clients = try (0..<3).map { _ in
            let client = try OriginClient(origin)
            client.get("/")
            return client
        }
        #expect(clients.map { $0.readResponse() == nil } == [true, true, false])
    }

    @Test func `connections are not accepted during a pause`() throws {
        #expect(origin.awaitConnections(1))
        origin.pauseAccepting()
        let second = try OriginClient(origin)
        second.get("/")
        // The first connection is not affected.
        client.get("/")
        #expect(client.readResponse()?.status == 200)
        #expect(origin.connections.count == 1)
        origin.resumeAccepting()
        #expect(second.readResponse()?.status == 200)
    }

    @Test func `the origin can close all connections`() throws {
        client.get("/")
        #expect(client.readResponse() != nil)
        origin.closeConnections()
        #expect(client.readToEnd() == ("", .closed))
        let second = try OriginClient(origin)
        second.get("/")
        #expect(second.readResponse()?.status == 200)
    }

    @Test func `another process does not inherit descriptors`() throws {
        client.get("/hold/a")
        #expect(origin.awaitHolding(1, at: "a"))
        let flags = origin.engine.state.read { state in
            (Array(state.open.values) + state.waiting.values.flatMap(\.self)).map { fcntl($0, F_GETFD) }
        }
        #expect(flags == [FD_CLOEXEC, FD_CLOEXEC])
    }
}
