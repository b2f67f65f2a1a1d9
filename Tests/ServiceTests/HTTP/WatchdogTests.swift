import Glibc
import Testing

@testable import Service

/// Slow clients lose their connection; the limits here are fractions of a second, and so is what they may be overrun by.
struct WatchdogTests {
    @Test func `ends a head that drips in`() throws {
        let client = try TestServer { $0.headTimeout = .milliseconds(200) }.connect()
        // Each byte is activity, which keeps the library's own timeout from ever coming.
        #expect(Self.drips("GET /head HTTP/1.1\r\nHost: a\r\nX: ", then: "x", to: client, seconds: 0.15...30))
    }

    @Test func `ends a connection on which nothing comes`() throws {
        let client = try TestServer { $0.headTimeout = .seconds(1) }.connect()
        #expect(client.staysSilent(for: 0.1))
        #expect(client.isClosed(within: 30))
    }

    @Test func `ends the second head that drips in`() throws {
        let server = try TestServer { $0.headTimeout = .milliseconds(200) }
        let client = try server.connect()
        client.send(ExchangeTests.echo("first"))
        #expect(try client.readAnswer().text == "first")
        #expect(Self.drips("GET /head HTTP/1.1\r\nHost: a\r\nX: ", then: "x", to: client, seconds: 0.15...30))
    }

    @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked"])
    func `ends content that drips in`(framing: String) throws {
        let server = try TestServer {
            $0.contentTimeout = .milliseconds(200)
            $0.headTimeout = .seconds(30)
        }
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n"
        let piece = framing.hasPrefix("Content") ? "x" : "1\r\nx\r\n"
        #expect(Self.drips(head, then: piece, to: try server.connect(), seconds: 0.15...30))
    }

    @Test func `ends an idle connection`() throws {
        let client = try TestServer { $0.idleTimeout = .seconds(1) }.connect()
        client.send(ExchangeTests.echo("first"))
        #expect(try client.readAnswer().text == "first")
        #expect(client.staysSilent(for: 0.1))
        #expect(client.isClosed(within: 30))
    }

    @Test func `ends a client that never reads its answer`() throws {
        let server = try TestServer {
            $0.contentTimeout = .milliseconds(300)
            $0.slowestBytesPerSecond = 1 << 30
        }
        let client = try server.connect(receiveBufferBytes: 4_096)
        // More than the sockets between the two can hold.
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(!client.staysSilent(for: 30))
        #expect(eventually { server.daemon.requestsInFlight == 0 })
        #expect(throws: ClientError.self) { try client.readAnswer() }
    }

    @Test func `lets a client take its time that reads`() throws {
        let server = try TestServer {
            $0.contentTimeout = .milliseconds(300)
            $0.slowestBytesPerSecond = 1 << 20
        }
        let client = try server.connect(receiveBufferBytes: 4_096)
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        usleep(600_000)
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

    /// Sends `start`, then `piece` again and again; whether the server closes within `seconds`, neither sooner nor later.
    private static func drips(
        _ start: String,
        then piece: String,
        to client: RawClient,
        seconds: ClosedRange<Double>
    ) -> Bool {
        let clock = ContinuousClock()
        let began = clock.now
        client.send(start)
        while clock.now - began < .seconds(seconds.upperBound) {
            client.send(piece)
            if client.isClosed(within: 0.02) { return clock.now - began >= .seconds(seconds.lowerBound) }
        }
        return false
    }
}
