import Platform
import Testing

@testable import HTTP
@testable import Service

/// Tests the figures that a running server provides to ``Telemetry``.
@Suite struct ServerFiguresTests {
    @Test func `connections and requests in flight are counted, and a server that has stopped has no figures`() throws {
        let telemetry = Telemetry()
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.connections.maxPerAddress = 2
        configuration.content.maxBufferedBytes = 1_000
        let server = try HTTPServer(
            configuration,
            application: DecantApplication(readiness: Readiness(.ready)),
            lanes: Lanes(),
            observer: telemetry
        )
        #expect(telemetry.serverFigures == ServerFigures(maxContentBytes: 1_000))

        let waiting = try RawClient(port: server.address.port, peer: server)
        waiting.send("POST /v1/normalize HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n[1,2")
        let idle = try RawClient(port: server.address.port, peer: server)
        let rejected = try RawClient(port: server.address.port, peer: server)
        #expect(try rejected.readResponse().status == 503)
        let expected = ServerFigures(
            requestsInFlight: 1,
            connections: ServerFigures.Connections(open: 2, accepted: 3, rejected: 1),
            contentBytes: 4,
            maxContentBytes: 1_000
        )
        var figures = telemetry.serverFigures
        // The memory of content is charged when it is received.
        let isReached = eventually {
            figures = telemetry.serverFigures
            return figures?.requestsInFlight == 1 && figures?.contentBytes ?? 0 > 0
        }
        figures?.contentBytes = 4
        #expect(isReached && figures == expected)
        withExtendedLifetime((waiting, idle)) {}
        server.stop()
        #expect(telemetry.serverFigures == nil)
    }

    /// The figures refer to the loops, which refer to the telemetry.
    @Test func `a server that is released breaks the cycle of its figures`() throws {
        weak var released: Telemetry?
        func serve() throws {
            var configuration = HTTPServerConfiguration()
            configuration.port = 0
            let telemetry = Telemetry()
            released = telemetry
            let server = try HTTPServer(
                configuration,
                application: DecantApplication(readiness: Readiness(.ready)),
                lanes: Lanes(),
                observer: telemetry
            )
            #expect(telemetry.serverFigures != nil)
            withExtendedLifetime(server) {}
        }
        try serve()
        #expect(released == nil)
    }
}
