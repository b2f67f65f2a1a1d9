import Serialization
import Testing

@testable import HTTP
@testable import Service

/// Tests that requests that violate RFC 9112 or are ambiguous are rejected before any content is read, and that the
/// connection is closed.
struct RequestFramingTests {
    static let attacks: [(request: String, error: FramingError)] = [
        // Length and chunks.
        (post("Content-Length: 5\r\nTransfer-Encoding: chunked"), .contentLengthWithTransferEncoding),
        (post("Transfer-Encoding: chunked\r\nContent-Length: 5"), .contentLengthWithTransferEncoding),
        (post("Content-Length: 5\r\nContent-Length: 6"), .repeatedContentLength),
        (post("Content-Length: 5\r\nContent-Length: 5"), .repeatedContentLength),
        (post("content-length: 5\r\nCONTENT-LENGTH: 5"), .repeatedContentLength),
        (post("Content-Length: 9223372036854775808"), .invalidContentLength),
        (post("Content-Length: 18446744073709551615"), .invalidContentLength),
        (post("Content-Length: 18446744073709551616"), .invalidContentLength),
        (post("Content-Length:"), .invalidContentLength),
        (post("Content-Length: +5"), .invalidContentLength),
        (post("Content-Length: -5"), .invalidContentLength),
        (post("Content-Length: 0x5"), .invalidContentLength),
        (post("Content-Length: 5, 5"), .invalidContentLength),
        (post("Content-Length: 5 5"), .invalidContentLength),
        (post("Content-Length: 5\0"), .invalidFieldValue(name: "Content-Length", byte: 0)),
        (post("Content-Length:\r\n 5"), .invalidContentLength),
        (post("Content-Length : 5"), .whitespaceBeforeColon(name: "Content-Length")),
        (post("Content-Length\t: 5"), .whitespaceBeforeColon(name: "Content-Length")),

        // Transfer codings.
        (post("Transfer-Encoding: gzip, chunked"), .unsupportedTransferEncoding("gzip, chunked")),
        (post("Transfer-Encoding: chunked, chunked"), .unsupportedTransferEncoding("chunked, chunked")),
        (post("Transfer-Encoding: xchunked"), .unsupportedTransferEncoding("xchunked")),
        (post("Transfer-Encoding: chunked;q=1"), .unsupportedTransferEncoding("chunked;q=1")),
        (post("Transfer-Encoding: identity"), .unsupportedTransferEncoding("identity")),
        (post("Transfer-Encoding: \"chunked\""), .unsupportedTransferEncoding("\"chunked\"")),
        (post("Transfer-Encoding:"), .unsupportedTransferEncoding("")),
        (post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), .unsupportedTransferEncoding("chunked")),
        (post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"), .unsupportedTransferEncoding("identity")),
        (post("Transfer-Encoding : chunked"), .whitespaceBeforeColon(name: "Transfer-Encoding")),
        ("POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncodingInHTTP10),

        // The field Host.
        ("GET /echo HTTP/1.1\r\n\r\n", .missingHost),
        ("GET /echo HTTP/1.1\r\nX: y\r\n\r\n", .missingHost),
        ("GET /echo HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .repeatedHost),
        ("GET /echo HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", .repeatedHost),
        ("GET /echo HTTP/1.1\r\nHost:\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a b\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a, b\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a/b\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: u@a\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a:http\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a:123456\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a:65536\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a%zz\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a%4\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: a%:80\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: [::1\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: []\r\n\r\n", .invalidHost),
        ("GET /echo HTTP/1.1\r\nHost: [::1]x\r\n\r\n", .invalidHost),

        // Names and values.
        (get("X Y: z"), .invalidFieldName(index: 1)),
        (get("X\u{01}: z"), .invalidFieldName(index: 1)),
        (get("X(: z"), .invalidFieldName(index: 1)),
        (get("Ü: z"), .invalidFieldName(index: 1)),
        (get("X: a\u{01}b"), .invalidFieldValue(name: "X", byte: 1)),
        (get("X: a\u{7F}b"), .invalidFieldValue(name: "X", byte: 0x7F)),
        (get("X: a\u{0B}b"), .invalidFieldValue(name: "X", byte: 0x0B)),
        (get("X: a\rY: b"), .invalidFieldValue(name: "X", byte: 0x0D)),
        (get("X: a\r"), .invalidFieldValue(name: "X", byte: 0x0D)),
        ("GET /echo HTTP/1.1\r\n Host: a\r\nX: y\r\n\r\n", .irregularFieldLine(index: 0)),
        ("GET /echo HTTP/1.1\r\n\tHost: a\r\nX: y\r\n\r\n", .irregularFieldLine(index: 0)),

        // Lines.
        (get("X: a\0b"), .invalidFieldValue(name: "X", byte: 0)),
        (get("X: a\0b\r\nY: c"), .invalidFieldValue(name: "X", byte: 0)),
        (get("X\0Y: z"), .invalidFieldName(index: 1)),
        (get("nocolon"), .irregularFieldLine(index: 1)),
        (get(": b"), .invalidFieldName(index: 1)),
        (get(": b\r\nX: a"), .invalidFieldName(index: 1)),
        (get("X: a\r\n b"), .irregularFieldLine(index: 2)),
        (get("X: a\r\n\tb\r\nY: c"), .irregularFieldLine(index: 2)),
        // A parser that replaces a CR with a NUL could mistake a NUL and a bare line feed for a CRLF.
        (post("X: a\0\nContent-Length: 5"), .irregularFieldLine(index: 1)),
        (post("X: a\0\nTransfer-Encoding: chunked"), .irregularFieldLine(index: 1)),
        (post("Content-Length: 5\0\nX: y"), .irregularFieldLine(index: 1)),
        (post("Transfer-Encoding: chunked\0\nX: y"), .irregularFieldLine(index: 1)),
        ("GET /echo HTTP/1.1\r\nHost: a\0\n\r\n", .irregularFieldLine(index: 0)),
        ("GET /echo HTTP/1.1\r\nHost: a\r\n\0\n", .irregularFieldLine(index: 1)),
        ("GET /echo HTTP/1.1\r\nHost: a\r\nX: y\r\n\0\nZ: z\r\n\r\n", .irregularFieldLine(index: 2)),
        ("GET /echo HTTP/1.0\r\n\0\n", .irregularFieldLine(index: 0)),
        (String(repeating: "\r\n", count: 40) + get("X: y"), .irregularRequestLine),
        ("GET /echo HTTP/1.1\nHost: a\n\n", .irregularRequestLine),
        ("GET /echo HTTP/1.1\r\nHost: a\nX: y\r\n\r\n", .irregularFieldLine(index: 0)),
        ("GET /echo HTTP/1.1\r\nHost: a\r\nX: y\n\r\n", .irregularFieldLine(index: 1)),
        ("GET /echo HTTP/1.1\r\nHost: a\r\nX: y\r\n\n", .irregularFieldLine(index: 2)),
        // Only the first error is reported.
        ("GET /echo HTTP/1.1\r\nX Y: z\r\nHost: a\nB: c\r\n\r\n", .invalidFieldName(index: 0)),
        ("GET /echo HTTP/1.0\n\n", .irregularRequestLine),
        ("GET /echo HTTP/1.0\r\n\n", .irregularFieldLine(index: 0)),

        // The request line.
        ("G(T /echo HTTP/1.1\r\nHost: a\r\n\r\n", .invalidMethod),
        ("GET  /echo HTTP/1.1\r\nHost: a\r\n\r\n", .irregularRequestLine),
        ("GET\r\n\r\n", .irregularRequestLine),
        ("GET /\r\n\r\n", .irregularRequestLine),
        ("GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", .irregularRequestLine),
        (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", .invalidMethod),
        ("\u{16}\u{03}\u{01}\r\n", .invalidMethod),
        (" GET / HTTP/1.1\n", .invalidMethod),
        ("GET / http/1.1\r\nHost: a\r\n\r\n", .irregularRequestLine),
        ("GET / HTTP/1.10\r\nHost: a\r\n\r\n", .irregularRequestLine),
        ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .irregularRequestLine),
        ("GET / FTP/1.1\r\nHost: a\r\n\r\n", .irregularRequestLine),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .unsupportedVersion),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .unsupportedVersion),
        ("GET /echo  HTTP/1.1\r\nHost: a\r\n\r\n", .irregularRequestLine),
        ("GET /e cho HTTP/1.1\r\nHost: a\r\n\r\n", .irregularRequestLine),
        ("GET /e\0cho HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 2)),
        ("GET /e\u{01}cho HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 2)),
        ("GET /e\tcho HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 2)),
        ("GET /e\rcho HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 2)),
        ("GET /ü HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 1)),
        ("GET /echo#x HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 5)),
        ("GET echo HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 0)),
        ("GET http:///echo HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 7)),
        ("GET http://u@a/echo HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 7)),
        ("GET https://u:p@a:1/echo HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 8)),
        ("GET http://a:65536/echo HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 7)),
        ("GET ftp://a/echo HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 0)),
        ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", .invalidTarget(offset: 0)),
    ]

    @Test(arguments: attacks)
    func `rejects the request and closes the connection`(request: String, error: FramingError) throws {
        let client = try Self.server.get().connect()
        // The following bytes must never be interpreted as a request.
        client.send(request + "GET /head HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.status == error.diagnostic.code.definition.type.status)
        #expect(response.text == "\(error)")
        #expect(response.fields["connection"] == "close")
        #expect(try client.readToEnd() == "")
    }

    @Test(arguments: attacks)
    func `rejects a request that is received byte by byte`(request: String, error: FramingError) throws {
        let client = try Self.server.get().connect()
        client.sendByteByByte(request)
        let response = try client.readResponse()
        #expect(response.status == error.diagnostic.code.definition.type.status)
        #expect(response.text == "\(error)")
        #expect(client.isClosed(within: 30))
    }

    @Test(arguments: [
        "GET /head HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /head HTTP/1.1\r\nhost:a\r\n\r\n",
        "GET /head HTTP/1.1\r\nHost: \t a.example:8080 \t\r\n\r\n",
        "GET /head HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
        "GET /head HTTP/1.1\r\nHost: [::ffff:1.2.3.4]\r\n\r\n",
        "GET /head HTTP/1.1\r\nHost: a:\r\n\r\n",
        "GET /head HTTP/1.1\r\nHost: a%C3%a9.example:65535\r\n\r\n",
        "GET /head HTTP/1.0\r\n\r\n",
        "GET /head HTTP/1.0\r\nX: y\r\n\r\n",
        "\r\n\r\nGET /head HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /head HTTP/1.1\r\nHost: a\r\nX:\r\nY: \t \r\nZ: a\tb \u{80}ü\r\n\r\n",
        "GET /head?%00=+&{}|\" HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\n!#$%&'*+-.^_`|~09azAZ: x\r\n\r\n",
        "POST /head HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n",
        "POST /head HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\tchunked \t \r\n\r\n0\r\n\r\n",
        "POST /head HTTP/1.1\r\nHost: a\r\nContent-Length: 0000\r\n\r\n",
        "POST /head HTTP/1.1\r\nHost: a\r\nContent-Length: 2 \t\r\n\r\n{}",
        "GET http://a/head HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET HTTPS://a:1/head?x HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /head HTTP/1.2\r\nHost: a\r\n\r\n",
    ])
    func `accepts requests that the standard allows`(request: String) throws {
        let server = try Self.server.get()
        for client in [try server.connect(), try server.connect()] {
            client.send(request)
            #expect(try client.readResponse().status == 200)
        }
        let slow = try server.connect()
        slow.sendByteByByte(request)
        #expect(try slow.readResponse().status == 200)
    }

    @Test(arguments: [1_000, 4_000, 8_000, 9_000, 12_000])
    func `accepts long heads in any number of pieces`(length: Int) throws {
        let client = try Self.server.get().connect()
        let request =
            "GET /head HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: length - 100))\r\n"
            + "Y: z\r\nContent-Length: 0\r\n\r\n"
        for start in stride(from: 0, to: request.utf8.count, by: 700) {
            client.send(Array(request.utf8.dropFirst(start).prefix(700)))
        }
        client.send(request + request)
        for _ in 0..<3 {
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.text.hasSuffix("\nY: z\nContent-Length: 0"))
        }
    }

    /// The requests are pipelined. The rejection is sent after the responses to the earlier requests.
    @Test(arguments: [
        "POST /head HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n",
        "GET /head HTTP/1.1\r\nHost: a\0\n\r\n",
    ])
    func `responds to the requests that precede a rejected one`(second: String) throws {
        let client = try Self.server.get().connect()
        client.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5;x=\"y\"\r\nfirst\r\n0\r\nT: t\r\n\r\n"
                + ExchangeTests.echo("a\0\nb") + second
        )
        #expect(try client.readResponse().text == "first")
        #expect(try client.readResponse().text == "a\0\nb")
        #expect(try client.readResponse().status == 400)
        #expect(try client.readToEnd() == "")
    }

    /// The first message of a TLS client (RFC 8446 §4.1.2) has no line feed, unless its random numbers contain one.
    @Test(arguments: [[0x16, 0x03, 0x01, 0x02, 0x00, 0x01], [0x80, 0x2E, 0x01], [0x00], [0x20], [0x0D, 0x0A, 0x16]])
    func `rejects bytes that cannot begin a request without waiting for a line`(bytes: [UInt8]) throws {
        // Otherwise the connection would be closed without a response.
        let client = try TestServer { $0.timeouts.head = .seconds(1) }.connect()
        client.send(bytes)
        let response = try client.readResponse()
        #expect(response.status == 400)
        #expect(response.text == "\(FramingError.invalidMethod)")
    }

    @Test func `sends only one response if a second request is smuggled`() throws {
        let smuggled = "GET /head HTTP/1.1\r\nHost: a\r\n\r\n"
        let received = try Self.server.get().exchange(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(smuggled.utf8.count + 5)\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled
        )
        #expect(received.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: true).count == 1)
        #expect(received.hasPrefix("HTTP/1.1 400 "))
    }

    /// All tests share one server, because they do not change its state.
    private static let server = Result { try TestServer() }

    private static func post(_ fields: String) -> String {
        "POST /echo HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n"
    }

    private static func get(_ fields: String) -> String {
        "GET /echo HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n"
    }
}
