import Testing

@testable import HTTP
@testable import Service

/// Tests that the maximum size of a head is 16 KiB. A larger head is rejected with 414 or 431, regardless of its size.
struct LongHeadTests {
    private static let maxBytes = HeadParser.maxHeadBytes
    private static let lengths = [maxBytes - 1, maxBytes, maxBytes + 1, maxBytes + 2, 2 * maxBytes, 40_000]

    @Test(arguments: lengths)
    func `accepts request lines of up to 16 KiB`(length: Int) throws {
        let rest = " HTTP/1.1\r\nHost: a\r\n\r\n"
        let start = "GET /head?"
        let line = start + String(repeating: "a", count: length - start.utf8.count - rest.utf8.count) + rest
        // The request line ends 11 bytes before the end of the head.
        let rejection = length <= Self.maxBytes ? nil : length - 11 <= Self.maxBytes ? 431 : 414
        try Self.check(line, rejection: rejection)
    }

    @Test(arguments: lengths)
    func `accepts heads of up to 16 KiB`(length: Int) throws {
        let start = "GET /head HTTP/1.1\r\nHost: a\r\nX: "
        let field = String(repeating: "a", count: length - start.utf8.count - 4)
        try Self.check(start + field + "\r\n\r\n", rejection: length <= Self.maxBytes ? nil : 431)
    }

    @Test(arguments: [1, 128, 256, 2_000, 4_000])
    func `accepts any number of fields that fit`(count: Int) throws {
        let fields = String(repeating: "X:\r\n", count: count)
        let head = "GET /head HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
        try Self.check(head, rejection: head.utf8.count <= Self.maxBytes ? nil : 431)
    }

    private static func check(_ request: String, rejection: Int?) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(request)
        #expect(try client.readResponse().status == rejection ?? 200)
        if rejection != nil { #expect(client.isClosed(within: 30)) }

        // The same head after another request, in pieces that are each shorter than the maximum.
        let slow = try server.connect()
        slow.send(ExchangeTests.echo("first"))
        let bytes = Array(request.utf8)
        for start in stride(from: 0, to: bytes.count, by: 1_999) {
            guard slow.send(Array(bytes[start...].prefix(1_999))) else { break }
        }
        #expect(try slow.readResponse().text == "first")
        #expect(try slow.readResponse().status == rejection ?? 200)
    }
}
