import Testing

@testable import HTTP
@testable import Service

/// Tests that chunked content is parsed strictly (RFC 9112 §7.1).
struct ChunkTests {
    static let good = [
        "5\r\nhello\r\n0\r\n\r\n", "0005\r\nhello\r\n0\r\n\r\n", "2\r\nhe\r\n3\r\nllo\r\n00\r\n\r\n",
        "5;a=\"b\";c\r\nhello\r\n0;d\r\nX: y\r\nZ:\r\n\r\n",
    ]

    /// Malformed chunks that other servers tolerate.
    static let tolerated = [
        "5\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5;a\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n", "5;\0\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\r\nX : y\r\n\r\n", "5\r\nhello\r\n0\r\nX: y\r\n z\r\n\r\n",
        "5\r\nhello\r\n0\r\nX: \u{01}\r\n\r\n", "5\r\nhello\r\n0\r\nX: y\0\n\r\n",
    ]

    static let broken = [
        "zz\r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n", "5\rhello\r0\r\r", "5\r\nhelloXX0\r\n\r\n",
        "5\r\nhello\r\n0\r\nnocolon\r\n\r\n", "fffffffffffffffff\r\nhello\r\n0\r\n\r\n",
        "00000000000000005\r\nhello\r\n0\r\n\r\n", "8000000000000000\r\nhello\r\n0\r\n\r\n",
    ]

    private static let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: good)
    func `accepts chunks that the standard allows`(chunks: String) throws {
        let client = try TestServer().connect()
        client.send(Self.head + chunks + Self.head + chunks)
        client.sendByteByByte(Self.head + chunks)
        for _ in 0..<3 { #expect(try client.readResponse().text == "hello") }
    }

    @Test(arguments: tolerated + broken)
    func `rejects malformed chunks that are received together with the head`(chunks: String) throws {
        let client = try TestServer().connect()
        client.send(Self.head + chunks + "GET /head HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.status == 400)
        #expect(response.text == "malformedChunk")
        #expect(client.isClosed(within: 30))
    }

    @Test(arguments: tolerated)
    func `rejects malformed chunks that are received byte by byte`(chunks: String) throws {
        let client = try TestServer().connect()
        client.sendByteByByte(Self.head + chunks)
        let response = try client.readResponse()
        #expect(response.status == 400)
        #expect(response.text == "malformedChunk")
        #expect(client.isClosed(within: 30))
    }

    /// The end of the content does not depend on how the bytes are divided into reads.
    @Test(arguments: good)
    func `finds the end of the content for any division into two pieces`(chunks: String) {
        let bytes = Array((chunks + "GET").utf8)
        for cut in 0...bytes.count {
            var parser = ChunkParser()
            var offset = 0
            var content: [UInt8] = []
            var progress = ChunkParser.Progress.incomplete
            for end in [cut, bytes.count] {
                repeat {
                    progress = parser.read(bytes.span.extracting(0..<end), at: &offset)
                    if case .content(let range) = progress { content += bytes[range] }
                } while progress != .incomplete && progress != .complete
                if progress == .complete { break }
            }
            #expect(progress == .complete && offset == chunks.utf8.count)
            #expect(content == Array("hello".utf8))
        }
    }
}
