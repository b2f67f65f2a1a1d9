import Testing

@testable import Service

/// A head that is too long for the library's memory gets an answer, wherever it ends: 414 or 431, and never silence.
struct LongHeadTests {
    private static let lengths = [11_000, 12_400, 15_900, 16_033, 16_100, 16_257, 16_321, 16_396, 17_000, 40_000]

    @Test(arguments: lengths)
    func `answers a target of any length`(length: Int) throws {
        let target = "/head?" + String(repeating: "a", count: length)
        try Self.check("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", refusal: length > 12_000 ? 414 : nil)
    }

    @Test(arguments: lengths)
    func `answers a field of any length`(length: Int) throws {
        let field = "X: " + String(repeating: "a", count: length)
        try Self.check("GET /head HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n", refusal: length > 12_000 ? 431 : nil)
    }

    @Test(arguments: [150, 200, 230, 231, 232, 400, 5_000])
    func `answers any number of fields`(count: Int) throws {
        let fields = String(repeating: "X: a\r\n", count: count)
        try Self.check("GET /head HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", refusal: count > 170 ? 431 : nil)
    }

    /// The library would take it apart, and run out of memory for the parts.
    @Test func `a cookie of many parts is a field like others`() throws {
        let cookie = "Cookie: " + String(repeating: "a=b; ", count: 2_000)
        try Self.check("GET /head HTTP/1.1\r\nHost: a\r\n\(cookie)\r\n\r\n", refusal: nil)
    }

    private static func check(_ request: String, refusal: Int?) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(request)
        #expect(try client.readAnswer().status == refusal ?? 200)
        if refusal != nil { #expect(client.isClosed(within: 30)) }

        // In pieces, none of which is too long by itself; behind another request.
        let slow = try server.connect()
        slow.send(ExchangeTests.echo("first"))
        let bytes = Array(request.utf8)
        for start in stride(from: 0, to: bytes.count, by: 1_999) {
            guard slow.send(Array(bytes[start...].prefix(1_999))) else { break }
        }
        #expect(try slow.readAnswer().text == "first")
        #expect(try slow.readAnswer().status == refusal ?? 200)
    }
}
