import Dispatch
import Foundation
import Serialization
import Synchronization
import Testing

@testable import HTTP
@testable import Service
@testable import Workers

@Suite(.serialized) struct LanesTests {
    @Test(arguments: ["/inline", "/compute", "/facts", "/render", "/both"])
    func `each lane computes responses repeatedly on one connection`(path: String) throws {
        let server = try LaneServer(workers: 1, factWorkers: 1)
        let client = try server.connect()
        for content in ["draw 1", "draw 2", "draw " + String(repeating: "x", count: 300_000), "draw 4"] {
            client.send(LaneServer.request(path, content))
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.text == content)
        }
    }

    @Test func `each of many clients receives its own responses`() throws {
        let server = try LaneServer(workers: 2)
        let wrong = Mutex([String]())
        DispatchQueue.concurrentPerform(iterations: 8) { client in
            guard let connection = try? server.connect() else { return wrong.withLock { $0.append("no connection") } }
            for round in 0..<50 {
                let path = ["/render", "/both", "/compute", "/inline"][(client + round) % 4]
                let content = path == "/compute" ? "0 \(client) \(round)" : "draw \(client) \(round)"
                connection.send(LaneServer.request(path, content))
                let text = (try? connection.readResponse())?.text
                if text != content { wrong.withLock { $0.append("\(path) \(content): \(text ?? "nothing")") } }
            }
        }
        #expect(wrong.withLock { $0 } == [])
    }

    @Test(arguments: ["/compute", "/facts", "/render", "/both"])
    func `clients that have not sent all of their content occupy no worker and no compute thread`(path: String) throws {
        let server = try LaneServer(workers: 1, factWorkers: 1)
        let contents = (0..<8).map { "draw \($0)" + String(repeating: "x", count: 300_000) }
        let slow = try contents.map { content in
            let client = try server.connect()
            client.send(String(LaneServer.request(path, content).dropLast()))
            return client
        }
        #expect(try server.post(path, "draw at once").text == "draw at once")
        for (client, content) in zip(slow, contents) {
            client.send("x")
            #expect(try client.readResponse().text == content)
        }
    }

    @Test func `a crash of a worker affects only the request that it was processing`() throws {
        let server = try LaneServer(workers: 1)
        #expect(try server.post("/render", "segfault").text == "decoderCrashed")
        #expect(try server.post("/render", "draw on").text == "draw on")
    }

    @Test(arguments: ["/render", "/facts"])
    func `without workers only images are rejected`(path: String) throws {
        let server = try LaneServer(workers: 0)
        let response = try server.post(path, "draw")
        #expect(response.status == 503)
        #expect(response.text == "noDecoder")
        #expect(try server.post("/compute", "0 on").text == "0 on")
    }

    /// Such a step may have to read all of the content.
    @Test(arguments: [false, true])
    func `a step without a worker is executed by the compute lane, and not by the loop`(isFact: Bool) throws {
        let lanes = Lanes(compute: try ComputeLane(threads: 1, maxWaiting: 1))
        let done = DispatchSemaphore(value: 0)
        let thread = Mutex<pthread_t?>(nil)
        let work = SharedWork(requestID: .given("a"), account: MemoryAccount(maxBytes: 1 << 20)) { _, _ in
            done.signal()
        }
        let step: @Sendable (any ImageReader) -> Step = { _ in
            thread.withLock { $0 = pthread_self() }
            return .done(Problem(.internal, "x").response(requestID: "a"))
        }
        let caller = pthread_self()
        lanes.follow(.next(on: isFact ? .facts(step) : .pixels(step)), for: work, isOnLoop: true)
        done.wait()
        lanes.stop()
        #expect(thread.withLock { $0 != nil && $0 != caller })
    }

    /// The images keep the workers for pixels busy indefinitely, and their queue is full.
    @Test func `facts never wait behind pixels`() throws {
        let server = try LaneServer(workers: 2, factWorkers: 1) {
            $0.maxWaitingJobs = 4
            $0.decodeTimeSeconds = 600
        }
        // Before that, a job takes a place in the queue that a worker would empty, and facts wait for a worker's start.
        try #require(eventually { server.pool?.status.ready == 2 && server.factPool?.status.ready == 1 })
        let images = try (0..<6).map { index in
            let client = try server.connect()
            client.send(LaneServer.request("/render", "loop"))
            #expect(eventually { server.pool.map { $0.status.busy + $0.waitingJobs } == index + 1 })
            return client
        }
        #expect(try server.post("/render", "draw").text == "saturated")
        for round in 0..<20 { #expect(try server.post("/facts", "draw \(round)").text == "draw \(round)") }
        #expect(server.pool?.status.busy == 2 && server.pool?.waitingJobs == 4)
        withExtendedLifetime(images) {}
    }

    @Test func `a crash of a worker for facts affects neither other facts nor pixels`() throws {
        let server = try LaneServer(workers: 1, factWorkers: 1)
        #expect(try server.post("/facts", "segfault").text == "decoderCrashed")
        #expect(try server.post("/render", "draw on").text == "draw on")
        #expect(try server.post("/facts", "draw on").text == "draw on")
        #expect(server.pool?.endsByReason == [:] && server.factPool?.endsByReason == [.endedInJob: 1])
    }

    /// The images keep the workers busy indefinitely. Another request in the same queue would never be processed.
    @Test func `a flood of images does not delay other responses`() throws {
        let server = try LaneServer(workers: 2) {
            $0.maxWaitingJobs = 200
            $0.decodeTimeSeconds = 600
        }
        let images = try (0..<40).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/render", "loop"))
            return client
        }
        #expect(eventually { server.pool?.waitingJobs == 38 })
        let client = try server.connect()
        for round in 0..<100 {
            client.send(LaneServer.request("/inline", "\(round)"))
            #expect(try client.readResponse().text == "\(round)")
            client.send(LaneServer.request("/compute", "0 \(round)"))
            #expect(try client.readResponse().text == "0 \(round)")
        }
        #expect(server.pool?.waitingJobs == 38)
        withExtendedLifetime(images) {}
    }

    @Test func `images above the capacity of the queue are rejected, and other requests are not`() throws {
        let server = try LaneServer(workers: 1) {
            $0.maxWaitingJobs = 2
            $0.decodeTimeSeconds = 600
        }
        let images = try (0..<3).map { index in
            let client = try server.connect()
            client.send(LaneServer.request("/render", "loop"))
            // The worker decodes the first image, and the others wait.
            #expect(eventually { server.pool?.status.busy == 1 && server.pool?.waitingJobs == index })
            return client
        }
        for _ in 0..<5 {
            let response = try server.post("/render", "draw")
            #expect(response.status == 503)
            #expect(response.text == "saturated")
        }
        #expect(try server.post("/inline", "on").text == "on")
        #expect(try server.post("/compute", "0 on").text == "0 on")
        withExtendedLifetime(images) {}
    }

    /// With 2 000 connections that sent 20 KB of XML each, 94 % of the responses were 503.
    @Test(arguments: [(10, 1_024), (1_024, 1_024), (4_000, 4_000)])
    func `one job of each connection can wait for the compute lane`(connections: Int, jobs: Int) {
        #expect(Lanes.maxWaitingJobs(connections: connections) == jobs)
    }

    @Test func `a full lane and a stopped lane report different reasons`() throws {
        let server = try LaneServer(workers: 0, maxWaiting: 0)
        #expect(try server.post("/compute", "0").text == "computeLaneFull")
        server.lanes.stop()
        #expect(try server.post("/compute", "0").text == "draining")
        #expect(try server.post("/inline", "on").text == "on")
    }

    @Test func `draining waits for the requests on the lanes`() throws {
        let server = try LaneServer(workers: 1)
        let clients = try (0..<2).map { index in
            let client = try server.connect()
            client.send(LaneServer.request("/gated", "draw \(index)"))
            return client
        }
        #expect(eventually { server.http.requestsInFlight == 2 })
        let draining = Draining(server.http)
        #expect(eventually { (try? server.connect()) == nil })
        server.application.gate.open()
        for (index, client) in clients.enumerated() {
            #expect(try client.readResponse().text == "draw \(index)")
        }
        #expect(draining.wait())
    }

    /// The library would terminate the process if it were stopped while a connection is suspended.
    @Test func `draining terminates requests that take too long, and requests that wait for them`() throws {
        let server = try LaneServer(workers: 1)
        let images = try (0..<3).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/render", "loop"))
            return client
        }
        #expect(eventually { server.http.requestsInFlight == 3 })
        let start = ContinuousClock.now
        #expect(!server.http.drain(within: .milliseconds(200)))
        #expect(ContinuousClock.now - start < .seconds(30))
        for image in images {
            #expect(image.isClosed(within: 30))
        }
    }

    @Test func `a client that disconnects while its response is computed leaves no state behind`() throws {
        let server = try LaneServer(workers: 1)
        for round in 1...5 {
            let client = try server.connect()
            client.send(LaneServer.request("/gated", "draw"))
            #expect(eventually { server.http.requestsInFlight == round })
        }
        server.application.gate.open()
        #expect(eventually { server.http.requestsInFlight == 0 })
        #expect(try server.post("/render", "draw on").text == "draw on")
        #expect(server.http.drain(within: .seconds(30)))
    }
}
