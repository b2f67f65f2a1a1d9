import Testing

@testable import HTTP
@testable import Service

/// Tests that a rejection reaches a client that is still sending, and is not lost because of a reset.
struct RejectionTests {
    @Test(arguments: [
        ("POST /echo HTTP/1.1\r\nHost: a\r\nX y: z\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n", 413),
        ("GET /\(String(repeating: "a", count: 20_000))", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 20_000))", 431),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("POST /echo HTTP/3.0\r\nHost: a\r\n\r\n", 505),
    ])
    func `reaches a client that continues to send 1 MB`(start: String, status: Int) throws {
        let server = try TestServer()
        let content = [UInt8](repeating: 0x78, count: 1_000_000)
        for _ in 0..<20 {
            let client = try server.connect()
            client.send(start)
            #expect(client.send(content))
            let response = try client.readResponse()
            #expect(response.status == status)
            #expect(response.fields["connection"] == "close")
            client.endSending()
            #expect(client.isClosed(within: 30))
        }
        #expect(eventually { server.http.connectionsByLoop == [0, 0] })
    }

    @Test func `a response that closes the connection reaches a client that sends more after the request`() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /head HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        client.send([UInt8](repeating: 0x78, count: 1_000_000))
        #expect(try client.readResponse().status == 200)
        #expect(try client.readToEnd() == "")
    }

    @Test(arguments: ["Content-Length: 1000000", "Content-Length: 99999", "Transfer-Encoding: chunked"])
    func `reaches a client that stops sending, or closes its side`(framing: String) throws {
        let server = try TestServer(maxContentBytes: 1_000) {
            $0.discardTimeout = .milliseconds(50)
            $0.lingerTimeout = .milliseconds(50)
        }
        for path in ["/nowhere", "/echo"] where path == "/nowhere" || framing.hasPrefix("Content-Length") {
            for closesItsSide in [false, true] {
                let client = try server.connect()
                client.send("POST \(path) HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n3e8\r\nxxx")
                if closesItsSide { client.endSending() }
                let response = try client.readResponse()
                #expect(response.status == (path == "/echo" ? 413 : 404))
                #expect(response.fields["connection"] == "close")
                #expect(client.isClosed(within: 30))
            }
        }
    }

    /// Old clients send an empty line after each request.
    @Test func `a response that closes its connection is complete although bytes follow the request`() throws {
        let server = try TestServer()
        let client = try server.connect(receiveBufferBytes: 4_096)
        client.send("GET /large HTTP/1.0\r\n\r\n")
        // Sending the response has begun, and the request was read.
        #expect(!client.staysSilent(for: 30))
        client.send("\r\n")
        #expect(try client.readResponse().content.count == 32 << 20)
    }

    @Test func `the socket is kept until the client closes`() throws {
        let server = try TestServer {
            $0.lingerTimeout = .seconds(600)
            $0.threads = 1
        }
        let client = try server.connect()
        client.send("nonsense\r\n")
        #expect(try client.readResponse().status == 400)
        #expect(try client.readToEnd() == "")
        #expect(client.send([UInt8](repeating: 0x78, count: 100_000)))
        #expect(server.http.connectionsByLoop == [1])
        client.endSending()
        #expect(eventually { server.http.connectionsByLoop == [0] })
    }

    /// The service does not wait for a client that sends slowly: it sends the response while the client sends.
    @Test func `reaches a client that sends too slowly`() throws {
        let server = try TestServer { $0.discardTimeout = .milliseconds(100) }
        let client = try server.connect()
        client.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
        while client.staysSilent(for: 0.02) { client.send("x") }
        let response = try client.readResponse()
        #expect(response.status == 404)
        #expect(response.fields["connection"] == "close")
    }

    /// The socket of a client that does not close the connection is not kept indefinitely.
    @Test func `the socket is kept for a limited time`() throws {
        let server = try TestServer { $0.lingerTimeout = .milliseconds(50) }
        let client = try server.connect()
        client.send("nonsense\r\n")
        #expect(try client.readResponse().status == 400)
        #expect(eventually { server.http.connectionsByLoop == [0, 0] })
        // The server has closed the connection, although the client has not.
        withExtendedLifetime(client) {}
    }
}
