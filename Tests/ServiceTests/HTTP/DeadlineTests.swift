import Glibc
import Testing

@testable import Service

/// Slow clients lose their connection. The limits here are short, and a busy machine may exceed them by any time.
struct DeadlineTests {
    @Test func `ends a head that drips in`() throws {
        let server = try TestServer { $0.headTimeout = .milliseconds(200) }
        let time = try Self.timeToDrip("GET /head HTTP/1.1\r\nHost: a\r\nX: ", then: "x") { try server.connect() }
        #expect(time >= .milliseconds(150))
    }

    @Test func `ends a connection on which nothing comes`() throws {
        let client = try TestServer { $0.headTimeout = .seconds(1) }.connect()
        #expect(client.staysSilent(for: 0.1))
        #expect(client.isClosed(within: 30))
    }

    @Test func `ends the second head that drips in`() throws {
        let server = try TestServer { $0.headTimeout = .seconds(1) }
        let client = try server.connect()
        client.send(ExchangeTests.echo("first"))
        #expect(try client.readAnswer().text == "first")
        let time = try Self.timeToDrip("GET /head HTTP/1.1\r\nHost: a\r\nX: ", then: "x") { client }
        #expect(time >= .milliseconds(950))
    }

    @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked"])
    func `ends content that drips in`(framing: String) throws {
        let server = try TestServer {
            $0.contentTimeout = .milliseconds(200)
            $0.headTimeout = .seconds(30)
        }
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n"
        let piece = framing.hasPrefix("Content") ? "x" : "1\r\nx\r\n"
        let time = try Self.timeToDrip(head, then: piece) { try server.connect() }
        #expect(time >= .milliseconds(150))
    }

    @Test func `ends an idle connection`() throws {
        let client = try TestServer {
            $0.idleTimeout = .seconds(1)
            $0.headTimeout = .seconds(600)
        }.connect()
        client.send(ExchangeTests.echo("first"))
        #expect(try client.readAnswer().text == "first")
        #expect(client.staysSilent(for: 0.1))
        #expect(client.isClosed(within: 30))
    }

    @Test func `closes after the answer to a client that has closed its side`() throws {
        let server = try TestServer()
        for request in ["GET /head HTTP/1.1\r\nHost: a\r\n\r\n", ExchangeTests.echo("last")] {
            let client = try server.connect()
            client.send(request)
            client.endSending()
            #expect(try client.readAnswer().status == 200)
            #expect(client.isClosed(within: 30))
        }
    }

    @Test func `ends a client that never reads its answer`() throws {
        let server = try TestServer {
            $0.contentTimeout = .seconds(1)
            $0.slowestBytesPerSecond = 1 << 30
        }
        let client = try server.connect(receiveBufferBytes: 4_096)
        // More than the sockets between the two can hold.
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(!client.staysSilent(for: 30))
        #expect(eventually { server.http.requestsInFlight == 0 })
        #expect(throws: ClientError.self) { try client.readAnswer() }
    }

    @Test func `lets a client take its time that reads`() throws {
        let server = try TestServer {
            $0.contentTimeout = .seconds(1)
            $0.slowestBytesPerSecond = 1 << 20
        }
        let client = try server.connect()
        // More than the sockets between the two can hold.
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        usleep(1_500_000)
        #expect(try client.readAnswer().content.count == 32 << 20)
    }

    /// Each pause keeps to its limit, and all together take longer than any.
    @Test func `leaves those alone that keep to the limits`() throws {
        let server = try TestServer {
            $0.headTimeout = .seconds(2)
            $0.contentTimeout = .seconds(2)
            $0.idleTimeout = .seconds(2)
        }
        let client = try server.connect()
        for round in 0..<5 {
            let text = "round \(round)"
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(text.utf8.count)\r\n")
            #expect(client.staysSilent(for: 0.15))
            client.send("\r\n")
            #expect(client.staysSilent(for: 0.15))
            client.send(text)
            #expect(try client.readAnswer().text == text)
            #expect(client.staysSilent(for: 0.15))
        }
    }

    /// Sends `start`, then `piece` again and again, until the server closes.
    /// - Parameter connect: what the server counts from may begin with it.
    /// - Returns: how long the server let that go on; it is not yet closed after half a minute.
    private static func timeToDrip(
        _ start: String,
        then piece: String,
        to connect: () throws -> RawClient
    ) throws -> Duration {
        let clock = ContinuousClock()
        let began = clock.now
        let client = try connect()
        client.send(start)
        while true {
            client.send(piece)
            let isClosed = client.isClosed(within: 0.02)
            let time = clock.now - began
            if isClosed { return time }
            try #require(time < .seconds(30), "the server lets a client drip for ever")
        }
    }
}
