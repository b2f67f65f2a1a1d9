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
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5 \r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n", 413),
        ("GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 2_000))\r\n", 431),
    ])
    func `refuses heads by itself`(request: String, status: Int) throws {
        let received = try TestServer().exchange(request)
        #expect(received.hasPrefix("HTTP/1.1 \(status) "))
        #expect(!received.contains("X-Request-ID"))
    }

    @Test(arguments: [
        ("zz\r\nhello\r\n0\r\n\r\n", 400),
        ("+5\r\nhello\r\n0\r\n\r\n", 400),
        ("0x5\r\nhello\r\n0\r\n\r\n", 400),
        ("5 \r\nhello\r\n0\r\n\r\n", 400),
        ("5\rhello\r0\r\r", 400),
        ("5\r\nhelloXX0\r\n\r\n", 400),
        ("5\r\nhello\r\n0\r\nnocolon\r\n\r\n", 400),
        ("fffffffffffffffff\r\nhello\r\n0\r\n\r\n", 413),
    ])
    func `refuses chunks by itself`(chunks: String, status: Int) throws {
        let received = try TestServer().exchange(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"
        )
        #expect(received.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test(arguments: [
        "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{03}\u{01}\r\n",
    ])
    func `closes without a word where there is no request line`(request: String) throws {
        #expect(try TestServer().exchange(request) == "")
    }

    /// RFC 9112 §7.1 wants CRLF in chunked content. The library takes a bare line feed there, and nothing shows it.
    @Test(arguments: [
        "5\nhello\n0\n\n", "5;a\nhello\r\n0\r\n\r\n", "0005\r\nhello\r\n0\r\n\r\n",
        "5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n",
    ])
    func `tolerates in chunked content what we cannot see`(chunks: String) throws {
        let client = try TestServer().connect()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")
        #expect(try client.readAnswer().text == "hello")
    }
}
