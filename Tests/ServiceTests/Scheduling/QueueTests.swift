import Platform
import Testing

@testable import HTTP
@testable import Service
@testable import Workers

/// Tests with requests that wait in the queue of a lane.
@Suite(.serialized) struct QueueTests {
    /// Long enough for work that a thread can begin immediately, even on a busy machine.
    private static let queueTimeout = Duration.seconds(1)

    /// Starts a server whose compute lane has two threads, which are busy until the gate opens.
    private static func busyServer(
        maxWaiting: Int = 8,
        _ configure: @escaping (inout HTTPServerConfiguration) -> Void
    ) throws -> (LaneServer, [RawClient]) {
        let server = try LaneServer(workers: 0, maxWaiting: maxWaiting, http: configure)
        let busy = try (0..<2).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/gated", "busy"))
            return client
        }
        #expect(eventually { server.application.computed == 2 })
        return (server, busy)
    }

    @Test func `a request that has waited too long is rejected, and its work does not begin`() throws {
        let (server, busy) = try Self.busyServer { $0.timeouts.queue = Self.queueTimeout }
        let response = try server.post("/compute", "0")
        #expect(response.status == 503)
        #expect(response.text == "queueTimeout(HTTP.Lane.compute)")
        #expect(server.lanes.waitingJobs(for: .compute) == 0)
        server.application.gate.open()
        for client in busy { #expect(try client.readResponse().status == 503) }
        #expect(try server.post("/compute", "0").text == "0")
        #expect(server.application.computed == 3)
    }

    @Test func `work that has begun may take longer than the queue's time limit`() throws {
        let (server, busy) = try Self.busyServer { $0.timeouts.queue = Self.queueTimeout }
        #expect(busy[0].staysSilent(for: 1.5))
        server.application.gate.open()
        for client in busy { #expect(try client.readResponse().text == "noDecoder") }
    }

    @Test func `an image that waits too long for a worker is rejected`() throws {
        let server = try LaneServer(
            workers: 1,
            { $0.decodeTimeSeconds = 600 },
            { $0.timeouts.queue = Self.queueTimeout }
        )
        let busy = try server.connect()
        busy.send(LaneServer.request("/render", "loop"))
        #expect(eventually { server.pool?.status.busy == 1 })
        for path in ["/render", "/both"] {
            #expect(try server.post(path, "draw").text == "queueTimeout(HTTP.Lane.pixels)")
        }
        #expect(server.pool?.waitingJobs == 0)
        withExtendedLifetime(busy) {}
    }

    @Test func `the time limit of the queue also applies if no worker can be started`() throws {
        let server = try LaneServer(
            workers: 2,
            { $0.executable = "/bin/false" },
            { $0.timeouts.queue = Self.queueTimeout }
        )
        #expect(eventually { server.pool?.status.outage == .cannotStart })
        for path in ["/render", "/both"] {
            #expect(try server.post(path, "draw").text == "queueTimeout(HTTP.Lane.pixels)")
        }
        #expect(server.pool?.waitingJobs == 0)
        #expect(try server.post("/inline", "on").text == "on")
        #expect(try server.post("/compute", "0 on").text == "0 on")
    }

    @Test func `an image is rejected immediately if no worker can install the sandbox`() throws {
        let server = try LaneServer(workers: 2, { $0.sandbox.remove(.seccomp) }, { $0.timeouts.queue = .seconds(600) })
        #expect(eventually { server.pool?.status.outage == .noSandbox })
        for path in ["/render", "/both"] { #expect(try server.post(path, "draw").text == "pixelsUnavailable") }
    }

    @Test func `draining ends while images wait for a worker that cannot be started`() throws {
        let server = try LaneServer(workers: 1, { $0.executable = "/bin/false" }, { $0.timeouts.queue = .seconds(600) })
        let images = try (0..<3).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/render", "draw"))
            return client
        }
        #expect(eventually { server.pool?.waitingJobs == 3 })
        #expect(!server.http.drain(within: .milliseconds(100)))
        for image in images { #expect(image.isClosed(within: 30)) }
    }

    /// Half of the clients reset their connections, and the others close them after the grace period. Their sockets and
    /// those of the server are fewer than the 1 024 files that a process may usually open.
    @Test func `the work of hundreds of disconnected clients leaves the queue and does not begin`() throws {
        let (server, busy) = try Self.busyServer(maxWaiting: 300) { $0.timeouts.halfCloseGrace = .zero }
        let clients = try (0..<300).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/compute", "0"))
            return client
        }
        #expect(eventually { server.lanes.waitingJobs(for: .compute) == 300 })
        #expect(try server.post("/compute", "0").text == "computeLaneFull")
        for (index, client) in clients.enumerated() { index % 2 == 0 ? client.reset() : client.endSending() }
        #expect(eventually { server.lanes.waitingJobs(for: .compute) == 0 })
        #expect(eventually { server.http.requestsInFlight == 2 })
        let client = try server.connect()
        client.send(LaneServer.request("/compute", "0 new"))
        #expect(eventually { server.lanes.waitingJobs(for: .compute) == 1 })
        server.application.gate.open()
        #expect(try client.readResponse().text == "0 new")
        #expect(server.application.computed == 3)
        withExtendedLifetime(busy) {}
    }

    @Test func `the images of disconnected clients leave the queue of the workers`() throws {
        let server = try LaneServer(workers: 1, maxWaiting: 100) {
            $0.decodeTimeSeconds = 600
            $0.maxWaitingJobs = 100
        }
        let busy = try server.connect()
        busy.send(LaneServer.request("/render", "loop"))
        #expect(eventually { server.pool?.status.busy == 1 })
        let clients = try (0..<100).map { index in
            let client = try server.connect()
            client.send(LaneServer.request(index % 2 == 0 ? "/render" : "/both", "draw"))
            return client
        }
        #expect(eventually { server.pool?.waitingJobs == 100 })
        for client in clients { client.reset() }
        #expect(eventually { server.pool?.waitingJobs == 0 && server.http.requestsInFlight == 1 })
        #expect(server.http.figures.contentBytes == 4)
    }
}
