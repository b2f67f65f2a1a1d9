import Testing

@testable import HTTP
@testable import Service

/// Tests with clients that close their sending side or disconnect while another thread computes their response.
struct GoneClientTests {
    /// Starts a server whose compute lane has two threads, which are busy until the gate opens.
    private static func busyServer(_ halfCloseGrace: Duration) throws -> (LaneServer, [RawClient]) {
        let server = try LaneServer(workers: 0, http: { $0.timeouts.halfCloseGrace = halfCloseGrace })
        let busy = try (0..<2).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/gated", "busy"))
            return client
        }
        #expect(eventually { server.application.computed == 2 })
        return (server, busy)
    }

    private static func request(_ server: LaneServer, afterRequest end: (RawClient) -> Void) throws -> RawClient {
        let client = try server.connect()
        client.send(LaneServer.request("/compute", "0"))
        end(client)
        return client
    }

    @Test func `a client that closes its sending side immediately after its request receives the response`() throws {
        let (server, busy) = try Self.busyServer(.seconds(600))
        let client = try Self.request(server) { $0.endSending() }
        #expect(eventually { server.http.requestsInFlight == 3 })
        server.application.gate.open()
        let response = try client.readResponse()
        #expect(response.text == "0")
        #expect(response.fields["connection"] == "close")
        #expect(client.isClosed(within: 30))
        withExtendedLifetime(busy) {}
    }

    @Test func `three requests and a half-close receive three responses, regardless of the lanes`() throws {
        let server = try LaneServer(workers: 0)
        for paths in [["/inline", "/compute", "/inline"], ["/compute", "/compute", "/compute"]] {
            let client = try server.connect()
            client.send(paths.map { LaneServer.request($0, "0 \($0)") }.joined())
            client.endSending()
            for path in paths { #expect(try client.readResponse().text == "0 \(path)") }
            #expect(client.isClosed(within: 30))
        }
    }

    @Test func `a client that closes its sending side later is disconnected, and no response is computed`() throws {
        let (server, busy) = try Self.busyServer(.zero)
        let client = try Self.request(server) { _ in }
        #expect(eventually { server.http.requestsInFlight == 3 })
        client.endSending()
        #expect(eventually { server.http.requestsInFlight == 2 })
        #expect(client.isClosed(within: 30))
        server.application.gate.open()
        for client in busy { #expect(try client.readResponse().status == 503) }
        #expect(try server.post("/compute", "0").text == "0")
        // The two requests that kept the threads busy, and the last one.
        #expect(server.application.computed == 3)
    }

    /// The end of the stream belongs to the last request, which has not been read yet.
    @Test func `a client that closes its side with a pipelined request receives both responses`() throws {
        let (server, busy) = try Self.busyServer(.zero)
        let client = try Self.request(server) { _ in }
        #expect(eventually { server.http.requestsInFlight == 3 })
        client.send(LaneServer.request("/inline", "second"))
        client.endSending()
        server.application.gate.open()
        #expect(try client.readResponse().text == "0")
        #expect(try client.readResponse().text == "second")
        #expect(client.isClosed(within: 30))
        withExtendedLifetime(busy) {}
    }

    /// Only the limits of the lanes apply to a computation, and none of the connection.
    @Test func `a computation may take longer than all limits of its connection`() throws {
        let server = try LaneServer(
            workers: 0,
            http: {
                $0.timeouts.head = .milliseconds(50)
                $0.timeouts.content = .milliseconds(50)
                $0.timeouts.idle = .milliseconds(50)
            }
        )
        let client = try server.connect()
        client.send(LaneServer.request("/gated", "late"))
        #expect(client.staysSilent(for: 0.3))
        server.application.gate.open()
        #expect(try client.readResponse().text == "noDecoder")
    }

    @Test func `a client that resets its connection is disconnected, regardless of the time`() throws {
        let (server, busy) = try Self.busyServer(.seconds(600))
        for _ in 0..<4 {
            let client = try Self.request(server) { _ in }
            #expect(eventually { server.http.requestsInFlight == 3 })
            client.reset()
            #expect(eventually { server.http.requestsInFlight == 2 })
        }
        server.application.gate.open()
        for client in busy { #expect(try client.readResponse().status == 503) }
        #expect(try server.post("/compute", "0").text == "0")
        #expect(server.application.computed == 3)
    }
}
