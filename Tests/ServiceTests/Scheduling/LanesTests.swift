import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Service
@testable import Workers

@Suite(.serialized) struct LanesTests {
    @Test(arguments: ["/inline", "/compute", "/render", "/both"])
    func `an answer comes from its lane, again and again on one connection`(path: String) throws {
        let server = try LaneServer(workers: 1)
        let client = try server.connect()
        for content in ["draw 1", "draw 2", "draw " + String(repeating: "x", count: 300_000), "draw 4"] {
            client.send(LaneServer.request(path, content))
            let answer = try client.readAnswer()
            #expect(answer.status == 200)
            #expect(answer.text == content)
        }
    }

    @Test func `many clients get their own answers`() throws {
        let server = try LaneServer(workers: 2)
        let wrong = Mutex([String]())
        DispatchQueue.concurrentPerform(iterations: 8) { client in
            guard let connection = try? server.connect() else { return wrong.withLock { $0.append("no connection") } }
            for round in 0..<50 {
                let path = ["/render", "/both", "/compute", "/inline"][(client + round) % 4]
                let content = path == "/compute" ? "0 \(client) \(round)" : "draw \(client) \(round)"
                connection.send(LaneServer.request(path, content))
                let text = (try? connection.readAnswer())?.text
                if text != content { wrong.withLock { $0.append("\(path) \(content): \(text ?? "nothing")") } }
            }
        }
        #expect(wrong.withLock { $0 } == [])
    }

    @Test func `a worker that crashes costs the request that it held`() throws {
        let server = try LaneServer(workers: 1)
        #expect(try server.post("/render", "segfault").text == "crashed")
        #expect(try server.post("/render", "draw on").text == "draw on")
    }

    @Test func `without workers there are no pixels, and everything else`() throws {
        let server = try LaneServer(workers: 0)
        let answer = try server.post("/render", "draw")
        #expect(answer.status == 503)
        #expect(answer.text == "sandboxUnavailable")
        #expect(try server.post("/compute", "0 on").text == "0 on")
    }

    /// The workers are busy with a hundred images of 50 ms each; what needs none of them does not wait for them.
    @Test func `a flood of images leaves the other answers as they were`() throws {
        let server = try LaneServer(workers: 2) { $0.maxWaitingJobs = 200 }
        let images = try (0..<40).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/render", "spin 50"))
            return client
        }
        let client = try server.connect()
        var times: [Duration] = []
        for round in 0..<200 {
            let start = ContinuousClock.now
            client.send(LaneServer.request("/inline", "\(round)"))
            #expect(try client.readAnswer().text == "\(round)")
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        // The flood takes a second in all; a queue in common would show as hundreds of milliseconds.
        #expect(times[100] < .milliseconds(50))
        for image in images {
            #expect(try image.readAnswer().text == "spin 50")
        }
    }

    @Test func `images beyond the queue's bound are refused, and nothing else is`() throws {
        let server = try LaneServer(workers: 1) { $0.maxWaitingJobs = 2 }
        let images = try (0..<10).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/render", "spin 100"))
            return client
        }
        #expect(try server.post("/inline", "on").text == "on")
        let answers = try images.map { try $0.readAnswer() }
        let refused = answers.filter { $0.status == 503 && $0.text == "saturated" }.count
        #expect(answers.filter { $0.text == "spin 100" }.count == 10 - refused)
        #expect(refused >= 5)
    }

    @Test func `draining lets what is on a lane finish`() throws {
        let server = try LaneServer(workers: 1)
        let image = try server.connect()
        let text = try server.connect()
        image.send(LaneServer.request("/render", "spin 300"))
        text.send(LaneServer.request("/compute", "300"))
        usleep(100_000)
        #expect(server.daemon.drain(within: .seconds(10)))
        #expect(try image.readAnswer().text == "spin 300")
        #expect(try text.readAnswer().text == "300")
    }

    /// The library would end the process if it were stopped with a connection suspended.
    @Test func `draining ends what takes too long, and what waits behind it`() throws {
        let server = try LaneServer(workers: 1)
        let images = try (0..<3).map { _ in
            let client = try server.connect()
            client.send(LaneServer.request("/render", "loop"))
            return client
        }
        usleep(200_000)
        let start = ContinuousClock.now
        #expect(!server.daemon.drain(within: .milliseconds(200)))
        #expect(ContinuousClock.now - start < .seconds(3))
        for image in images {
            #expect(image.isClosed(within: 5))
        }
    }

    @Test func `a client that goes away while its answer is worked out leaves nothing behind`() throws {
        let server = try LaneServer(workers: 1)
        for _ in 0..<5 {
            let client = try server.connect()
            client.send(LaneServer.request("/render", "spin 50"))
            usleep(10_000)
        }
        #expect(try server.post("/render", "draw on").text == "draw on")
        #expect(server.daemon.drain(within: .seconds(5)))
    }
}
