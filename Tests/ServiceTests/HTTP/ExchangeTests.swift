import Testing

@testable import HTTP
@testable import Service

struct ExchangeTests {
    // MARK: One connection, many requests

    @Test func `keeps a connection alive for the next request`() throws {
        let client = try TestServer().connect()
        for text in ["one", "two", ""] {
            client.send(Self.echo(text))
            let response = try client.readResponse()
            #expect(response.text == text)
            #expect(response.fields["connection"] == nil)
        }
    }

    @Test func `responds to pipelined requests in their order`() throws {
        let client = try TestServer().connect()
        client.send((0..<50).map { Self.echo("request \($0)") }.joined())
        for index in 0..<50 {
            #expect(try client.readResponse().text == "request \(index)")
        }
    }

    @Test func `responds to pipelined requests that are rejected, chunked or without content`() throws {
        let client = try TestServer(maxContentBytes: 4).connect()
        client.send(
            "GET /head?1 HTTP/1.1\r\nHost: a\r\n\r\n" + Self.echo("too long") + Self.echo("ok")
                + "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" + Self.chunked(["too", "long"])
                + Self.chunked(["o", "k"]) + Self.echo("last")
        )
        #expect(try client.readResponse().status == 200)
        #expect(try client.readResponse().status == 413)
        #expect(try client.readResponse().text == "ok")
        #expect(try client.readResponse().status == 404)
        #expect(try client.readResponse().status == 413)
        #expect(try client.readResponse().text == "ok")
        #expect(try client.readResponse().text == "last")
    }

    @Test(arguments: [
        "GET /head HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /head HTTP/1.0\r\n\r\n",
    ])
    func `closes the connection after the response if the client requests it`(request: String) throws {
        let client = try TestServer().connect()
        client.send(request)
        #expect(try client.readResponse().fields["connection"] == "close")
        #expect(client.isClosed(within: 30))
    }

    // MARK: Content

    @Test(arguments: [0, 1, 1_000, 8_000, 16_384, 100_000, 1_048_576])
    func `collects content of any length`(length: Int) throws {
        let client = try TestServer().connect()
        let text = String(repeating: "0123456789", count: length / 10 + 1).prefix(length)
        client.send(Self.echo(String(text)))
        #expect(try client.readResponse().text == text)
    }

    @Test func `collects content that is received byte by byte`() throws {
        let client = try TestServer().connect()
        client.sendByteByByte(Self.echo("hello") + Self.chunked(["hel", "lo"]))
        #expect(try client.readResponse().text == "hello")
        #expect(try client.readResponse().text == "hello")
    }

    @Test func `collects chunks`() throws {
        let client = try TestServer().connect()
        let chunks = (0..<500).map { "chunk \($0)\n" }
        client.send(Self.chunked(chunks))
        #expect(try client.readResponse().text == chunks.joined())
    }

    @Test func `accepts content up to the maximum size`() throws {
        let client = try TestServer(maxContentBytes: 5).connect()
        for request in [Self.echo("12345"), Self.chunked(["123", "45"])] {
            client.send(request)
            #expect(try client.readResponse().text == "12345")
        }
        for request in [Self.echo("123456"), Self.chunked(["123", "456"])] {
            client.send(request)
            let response = try client.readResponse()
            #expect(response.status == 413)
            #expect(response.text == "contentTooLarge(maxBytes: 5)")
        }
    }

    // MARK: Rejected content

    /// Python's `requests`, `http.client` and many other clients send the entire request before they read.
    @Test(arguments: ["/echo", "/nowhere"], [false, true])
    func `a client that sends everything before it reads receives the rejection`(path: String, isChunked: Bool) throws {
        let client = try TestServer(maxContentBytes: 32 << 20).connect()
        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(33 << 20)"
        client.send("POST \(path) HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
        for _ in 0..<33 {
            if isChunked { client.send("100000\r\n") }
            #expect(client.send(piece))
            if isChunked { client.send("\r\n") }
        }
        if isChunked { client.send("0\r\n\r\n") }
        #expect(try client.readResponse().status == (path == "/echo" ? 413 : 404))
        client.send(Self.echo("next"))
        #expect(try client.readResponse().text == "next")
    }

    @Test(arguments: [true, false])
    func `discards rejected content up to a maximum size`(isDeclared: Bool) throws {
        let client = try TestServer { $0.maxDiscardedBytes = 1 << 20 }.connect()
        let framing = isDeclared ? "Content-Length: \(8 << 20)" : "Transfer-Encoding: chunked"
        client.send("POST /nowhere HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
        if isDeclared {
            // The head declares the size: the response is sent immediately, and is the last one.
            let response = try client.readResponse()
            #expect(response.status == 404)
            #expect(response.fields["connection"] == "close")
        } else {
            let chunk = Array("10000\r\n\(String(repeating: "x", count: 0x10000))\r\n".utf8)
            for _ in 0..<17 { #expect(client.send(chunk)) }
            let response = try client.readResponse()
            #expect(response.status == 404)
            #expect(response.fields["connection"] == "close")
        }
        #expect(client.isClosed(within: 30))
    }

    @Test func `discards rejected content for a limited time`() throws {
        let client = try TestServer { $0.discardTimeout = .milliseconds(150) }.connect()
        client.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx")
        #expect(client.isClosed(within: 30))
    }

    /// Most clients do not read the response before they have sent everything.
    @Test func `extends the time for discarding content that is received at a sufficient rate`() throws {
        let client = try TestServer {
            $0.discardTimeout = .milliseconds(400)
            $0.slowestBytesPerSecond = 100
        }.connect()
        let half = String(repeating: "x", count: 5_000)
        client.send("POST /nope HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n" + half)
        #expect(client.staysSilent(for: 1))
        client.send(half)
        #expect(try client.readResponse().status == 404)
    }

    // MARK: Expect: 100-continue

    @Test func `sends a 100 for content that it accepts`() throws {
        let client = try TestServer().connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readResponse().status == 100)
        client.send("hello")
        #expect(try client.readResponse().text == "hello")
    }

    @Test(arguments: [
        ("POST /nowhere HTTP/1.1\r\nContent-Length: 5", 404),
        ("POST /nowhere HTTP/1.1\r\nTransfer-Encoding: chunked", 404),
        ("POST /echo HTTP/1.1\r\nContent-Length: 1048577", 413),
        ("POST /echo HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5", 400),
    ])
    func `rejects a request immediately if the client waits for a 100`(request: String, status: Int) throws {
        let client = try TestServer().connect()
        client.send("\(request)\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.status == status)
        #expect(response.fields["connection"] == "close")
        #expect(client.isClosed(within: 30))
    }

    // MARK: Head

    @Test func `passes the head to the application as it was received`() throws {
        let client = try TestServer().connect()
        client.send(
            "POST /head?a=%00&b=+&&c HTTP/1.1\r\nHost: a\r\nX-Request-ID: abc_DEF-123\r\nX:  1 \r\nx: 2\r\n"
                + "Content-Length: 2\r\n\r\nhi"
        )
        #expect(
            try client.readResponse().text == """
                POST
                /head
                a=%00&b=+&&c
                2
                abc_DEF-123
                Host: a
                X-Request-ID: abc_DEF-123
                X: 1
                x: 2
                Content-Length: 2
                """
        )
    }

    /// The library would parse a query, exhaust its memory for it, and never respond.
    @Test(arguments: [1, 100, 300, 1_000, 5_000])
    func `accepts queries with any number of parameters`(count: Int) throws {
        let client = try TestServer().connect()
        let query = "x?/" + String(repeating: "&a", count: count) + "?"
        client.send("GET /head?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().text.split(separator: "\n").dropFirst(2).first == query[...])
    }

    @Test func `does not decode the path`() throws {
        let client = try TestServer().connect()
        client.send("GET /%68ead HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readResponse().status == 404)
    }

    @Test func `responds to HEAD with the length and without the content`() throws {
        let client = try TestServer().connect()
        client.send("HEAD /head HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try client.readResponse(isToHead: true)
        #expect(response.status == 200)
        #expect(response.fields["content-length"].flatMap { Int($0) } ?? 0 > 0)
        client.send(Self.echo("next"))
        #expect(try client.readResponse().text == "next")
    }

    // MARK: X-Request-ID

    @Test(arguments: ["a", "abc_DEF-123", String(repeating: "x", count: 128)])
    func `accepts the client's identifier`(identifier: String) throws {
        let client = try TestServer().connect()
        client.send("GET /head HTTP/1.1\r\nHost: a\r\nx-request-id: \(identifier)\r\n\r\n")
        #expect(try client.readResponse().fields["x-request-id"] == identifier)
    }

    @Test(arguments: ["", "a b", "a.b", "a\u{e9}", String(repeating: "x", count: 129)])
    func `generates an identifier if the client's is not acceptable`(identifier: String) throws {
        let client = try TestServer().connect()
        var made: Set<String> = []
        for path in ["/head", "/nowhere", "/head"] {
            client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nX-Request-ID: \(identifier)\r\n\r\n")
            let identifier = try #require(client.readResponse().fields["x-request-id"])
            #expect(identifier.utf8.count == 32)
            #expect(identifier.allSatisfy { "0123456789abcdef".contains($0) })
            made.insert(identifier)
        }
        #expect(made.count == 3)
    }

    @Test func `generates an identifier for a request whose framing is rejected`() throws {
        let client = try TestServer().connect()
        client.send("GET /head HTTP/1.1\r\n\r\n")
        #expect(try client.readResponse().fields["x-request-id"]?.utf8.count == 32)
    }

    // MARK: Requests

    static func echo(_ text: String) -> String {
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }

    static func chunked(_ chunks: [String]) -> String {
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
    }
}
