import Testing

@testable import Service

/// Chunks are read strictly (RFC 9112 §7.1), though the library is lax with them.
struct ChunkTests {
    static let good = [
        "5\r\nhello\r\n0\r\n\r\n", "0005\r\nhello\r\n0\r\n\r\n", "2\r\nhe\r\n3\r\nllo\r\n00\r\n\r\n",
        "5;a=\"b\";c\r\nhello\r\n0;d\r\nX: y\r\nZ:\r\n\r\n",
    ]

    /// What the library tolerates, and shows nothing of.
    static let tolerated = [
        "5\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5;a\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n", "5;\0\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\r\nX : y\r\n\r\n", "5\r\nhello\r\n0\r\nX: y\r\n z\r\n\r\n",
        "5\r\nhello\r\n0\r\nX: \u{01}\r\n\r\n", "5\r\nhello\r\n0\r\nX: y\0\n\r\n",
        "5;\(String(repeating: "a", count: 2_000))\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\r\nX: \(String(repeating: "a", count: 2_000))\r\n\r\n",
    ]

    static let broken = [
        "zz\r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n", "5\rhello\r0\r\r", "5\r\nhelloXX0\r\n\r\n",
        "5\r\nhello\r\n0\r\nnocolon\r\n\r\n", "fffffffffffffffff\r\nhello\r\n0\r\n\r\n",
        "5;\(String(repeating: "a", count: 20_000))\r\nhello\r\n0\r\n\r\n",
    ]

    private static let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: good)
    func `takes what the standard allows`(chunks: String) throws {
        let client = try TestServer().connect()
        client.send(Self.head + chunks + Self.head + chunks)
        client.sendByteByByte(Self.head + chunks)
        for _ in 0..<3 { #expect(try client.readAnswer().text == "hello") }
    }

    @Test(arguments: tolerated + broken)
    func `refuses what comes with the head`(chunks: String) throws {
        let client = try TestServer().connect()
        client.send(Self.head + chunks + "GET /head HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.status == 400)
        #expect(answer.text == "malformedChunk")
        #expect(client.isClosed(within: 30))
    }

    @Test(arguments: tolerated)
    func `refuses what comes byte by byte`(chunks: String) throws {
        let client = try TestServer().connect()
        client.sendByteByByte(Self.head + chunks)
        let answer = try client.readAnswer()
        #expect(answer.status == 400)
        #expect(answer.text == "malformedChunk")
        #expect(client.isClosed(within: 30))
    }

    /// However the bytes are cut into pieces, content ends where it ends.
    @Test(arguments: good)
    func `finds the end in any two pieces`(chunks: String) {
        let bytes = Array((chunks + "GET").utf8)
        for cut in 0...bytes.count {
            var reader = ChunkReader()
            var end = reader.read(bytes.span.extracting(0..<cut), from: 0)
            if !reader.isComplete { end = cut + reader.read(bytes.span.extracting(cut..<bytes.count), from: 0) }
            #expect(reader.isComplete && end == chunks.utf8.count)
        }
    }
}
