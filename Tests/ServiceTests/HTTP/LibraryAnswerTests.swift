import Testing

@testable import Service

/// What libmicrohttpd answers by itself, before we are asked: its own HTML, and no `X-Request-ID`. The published contract
/// lists these; a newer library that behaves otherwise shows here.
struct LibraryAnswerTests {
    @Test(arguments: [
        ("GET /\r\n\r\n", 400),
        ("GET / http/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400),
        ("GET / FTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost: a\r\nnocolon\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX\0Y: z\r\n\r\n", 400),
    ])
    func `refuses heads by itself`(request: String, status: Int) throws {
        let received = try TestServer().exchange(request)
        #expect(received.hasPrefix("HTTP/1.1 \(status) "))
        #expect(!received.contains("X-Request-ID"))
    }

    /// In pieces that come later than the head. What comes with it, ``ChunkTests`` shows, we refuse ourselves.
    @Test(arguments: [
        ("zz\r\nhello\r\n0\r\n\r\n", 400),
        ("5\r\nhelloXX0\r\n\r\n", 400),
        ("5\r\nhello\r\n0\r\nnocolon\r\n\r\n", 400),
        ("fffffffffffffffff\r\nhello\r\n0\r\n\r\n", 413),
    ])
    func `refuses chunks by itself`(chunks: String, status: Int) throws {
        let client = try TestServer().connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(try client.readAnswer().status == 100)
        client.send(chunks)
        #expect(try client.readToEnd().hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test(arguments: [
        "GET\r\n\r\n", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\u{16}\u{03}\u{01}\r\n",
    ])
    func `closes without a word where there is no request line`(request: String) throws {
        #expect(try TestServer().exchange(request) == "")
    }
}
