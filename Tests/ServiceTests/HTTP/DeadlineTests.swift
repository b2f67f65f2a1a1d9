import Glibc
import Testing

@testable import HTTP
@testable import Service

/// Tests that the server closes the connections of clients that are too slow. The limits in these tests are short, and
/// a busy machine may exceed them by any amount of time.
struct DeadlineTests {
    @Test func `closes the connection if a head is received too slowly`() throws {
        let server = try TestServer { $0.timeouts.head = .milliseconds(200) }
        let time = try Self.timeToDrip("GET /head HTTP/1.1\r\nHost: a\r\nX: ", then: "x") { try server.connect() }
        #expect(time >= .milliseconds(150))
    }

    @Test func `closes a connection on which nothing is received`() throws {
        let client = try TestServer { $0.timeouts.head = .seconds(1) }.connect()
        #expect(client.staysSilent(for: 0.1))
        #expect(client.isClosed(within: 30))
    }

    @Test func `closes the connection if the second head is received too slowly`() throws {
        let server = try TestServer { $0.timeouts.head = .seconds(1) }
        let client = try server.connect()
        client.send(ExchangeTests.echo("first"))
        #expect(try client.readResponse().text == "first")
        let time = try Self.timeToDrip("GET /head HTTP/1.1\r\nHost: a\r\nX: ", then: "x") { client }
        #expect(time >= .milliseconds(950))
    }

    @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked"])
    func `closes the connection if content is received too slowly`(framing: String) throws {
        let server = try TestServer {
            $0.timeouts.content = .milliseconds(200)
            $0.timeouts.head = .seconds(30)
        }
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n"
        let piece = framing.hasPrefix("Content") ? "x" : "1\r\nx\r\n"
        let time = try Self.timeToDrip(head, then: piece) { try server.connect() }
        #expect(time >= .milliseconds(150))
    }

    @Test func `closes an idle connection`() throws {
        let client = try TestServer {
            $0.timeouts.idle = .seconds(1)
            $0.timeouts.head = .seconds(600)
        }.connect()
        client.send(ExchangeTests.echo("first"))
        #expect(try client.readResponse().text == "first")
        #expect(client.staysSilent(for: 0.1))
        #expect(client.isClosed(within: 30))
    }

    @Test func `closes the connection after the response to a client that has closed its sending side`() throws {
        let server = try TestServer()
        for request in ["GET /head HTTP/1.1\r\nHost: a\r\n\r\n", ExchangeTests.echo("last")] {
            let client = try server.connect()
            client.send(request)
            client.endSending()
            #expect(try client.readResponse().status == 200)
            #expect(client.isClosed(within: 30))
        }
    }

    @Test func `closes the connection of a client that never reads its response`() throws {
        let server = try TestServer {
            $0.timeouts.response = .seconds(1)
            $0.slowestBytesPerSecond = 1 << 30
        }
        let client = try server.connect(receiveBufferBytes: 4_096)
        // The response is larger than the buffers of both sockets.
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(!client.staysSilent(for: 30))
        #expect(eventually { server.http.requestsInFlight == 0 })
        #expect(throws: ClientError.self) { try client.readResponse() }
    }

    @Test func `waits for a client that reads its response slowly`() throws {
        let server = try TestServer {
            $0.timeouts.response = .seconds(1)
            $0.slowestBytesPerSecond = 1 << 20
        }
        let client = try server.connect()
        // The response is larger than the buffers of both sockets.
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        usleep(1_500_000)
        #expect(try client.readResponse().content.count == 32 << 20)
    }

    /// Each pause is shorter than its limit, and all pauses together are longer than any limit.
    @Test func `does not close the connection of a client that observes the limits`() throws {
        let server = try TestServer {
            $0.timeouts.head = .seconds(2)
            $0.timeouts.content = .seconds(2)
            $0.timeouts.idle = .seconds(2)
        }
        let client = try server.connect()
        for round in 0..<5 {
            let text = "round \(round)"
            client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(text.utf8.count)\r\n")
            #expect(client.staysSilent(for: 0.15))
            client.send("\r\n")
            #expect(client.staysSilent(for: 0.15))
            client.send(text)
            #expect(try client.readResponse().text == text)
            #expect(client.staysSilent(for: 0.15))
        }
    }

    /// Sends `start`, and then `piece` repeatedly, until the server closes the connection.
    /// - Parameter connect: opens the connection. The time limit of the server may begin with it.
    /// - Returns: the time until the server closed the connection.
    /// - Throws: if the connection is not closed within 30 s.
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
            try #require(time < .seconds(30), "the server does not close the connection of a slow client")
        }
    }
}
