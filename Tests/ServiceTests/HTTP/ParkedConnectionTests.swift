import Dispatch
import FuzzOracles
import Platform
import Serialization
import Synchronization
import Testing

@testable import HTTP
@testable import Service

/// Tests connections whose responses are delivered by other threads.
@Suite struct ParkedConnectionTests {
    private static func parked(_ server: StepServer, count: Int = 1) throws -> ([RawClient], [ParkedConnection]) {
        let clients = try (0..<count).map { _ in try server.get("/parked") }
        #expect(eventually { server.application.parked.count == count })
        return (clients, server.application.parked)
    }

    @Test func `only the first response is sent`() throws {
        let server = try StepServer()
        let (clients, parked) = try Self.parked(server)
        for text in ["first", "second"] { parked[0].deliver(StepApplication.response(text)) }
        #expect(try clients[0].readResponse().text == "first")
        parked[0].deliver(StepApplication.response("third"))
        clients[0].send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try clients[0].readResponse().text == "/next")
        #expect(!parked[0].isDisconnected)
    }

    @Test func `a request after a parked one waits for its response`() throws {
        let server = try StepServer()
        let (clients, parked) = try Self.parked(server)
        clients[0].send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(clients[0].staysSilent(for: 0.1))
        parked[0].deliver(StepApplication.response("first"))
        #expect(try clients[0].readResponse().text == "first")
        #expect(try clients[0].readResponse().text == "/next")
    }

    @Test(arguments: [true, false]) func `the action is called once when the client disconnects`(isReset: Bool) throws {
        let server = try StepServer { $0.timeouts.halfCloseGrace = .zero }
        let (clients, parked) = try Self.parked(server)
        let calls = Atomic<Int>(0)
        parked[0].onDisconnect { calls.add(1_000, ordering: .relaxed) }
        parked[0].onDisconnect { calls.add(1, ordering: .relaxed) }
        isReset ? clients[0].reset() : clients[0].endSending()
        #expect(eventually { parked[0].isDisconnected })
        #expect(eventually { calls.load(ordering: .relaxed) == 1 })
        parked[0].onDisconnect { calls.add(1, ordering: .relaxed) }
        #expect(eventually { calls.load(ordering: .relaxed) == 2 })
        parked[0].deliver(StepApplication.response("late"))
        #expect(eventually { server.http.requestsInFlight == 0 })
        #expect(eventually { calls.load(ordering: .relaxed) == 2 })
    }

    @Test func `the action is not called after the response was delivered`() throws {
        let server = try StepServer()
        let (clients, parked) = try Self.parked(server)
        let isTold = Atomic<Bool>(false)
        parked[0].onDisconnect { isTold.store(true, ordering: .relaxed) }
        parked[0].deliver(StepApplication.response("first"))
        #expect(try clients[0].readResponse().text == "first")
        clients[0].reset()
        #expect(eventually { server.http.requestsInFlight == 0 })
        let wasTold = isTold.load(ordering: .relaxed)
        #expect(!wasTold)
    }

    /// The action may retain an object that uses the connection when it is released.
    @Test func `an action is released without the lock of its connection`() throws {
        final class Owner: Sendable {
            let parked: ParkedConnection
            init(_ parked: ParkedConnection) { self.parked = parked }
            deinit { _ = parked.isDisconnected }
        }
        func tell(_ parked: ParkedConnection) {
            let owner = Owner(parked)
            parked.onDisconnect { withExtendedLifetime(owner) {} }
        }
        let server = try StepServer()
        let (clients, parked) = try Self.parked(server)
        tell(parked[0])
        tell(parked[0])
        parked[0].deliver(StepApplication.response("first"))
        #expect(try clients[0].readResponse().text == "first")
    }

    @Test func `stopping the server ends parked connections, and later responses are ignored`() throws {
        let server = try StepServer()
        let (clients, parked) = try Self.parked(server, count: 50)
        #expect(!server.http.drain(within: .milliseconds(100)))
        #expect(parked.allSatisfy { $0.isDisconnected })
        for connection in parked { connection.deliver(StepApplication.response("late")) }
        for client in clients { #expect(client.isClosed(within: 30)) }
    }

    /// Several threads deliver, reset, close and stop the server in random order. ThreadSanitizer and the checks of the
    /// library detect errors that this test does not.
    @Test(arguments: 0..<8) func `any interleaving of deliveries and ends is safe`(seed: UInt64) throws {
        let telemetry = Telemetry()
        let server = try StepServer(telemetry: telemetry) {
            $0.timeouts.halfCloseGrace = seed % 2 == 0 ? .zero : .seconds(600)
        }
        var random = RandomSource(seed: seed)
        let paths = ["/parked", "/large/200000", "/parked", "/a", "/computed"]
        let clients = try (0..<60).map { _ in try server.get(random.pick(paths)) }
        let ends = clients.map { client in (client, random.below(5)) }
        let seeds = (0..<2).map { _ in UInt64(random.below(1 << 30)) }
        let stopsEarly = seed % 4 == 3
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            switch thread {
            case 0, 1:
                var random = RandomSource(seed: seeds[thread])
                for round in 0..<200 {
                    let parked = server.application.parked
                    guard !parked.isEmpty else { continue }
                    random.pick(parked).deliver(StepApplication.response("\(round)"))
                }
            case 2:
                for (client, end) in ends {
                    switch end {
                    case 0: client.reset()
                    case 1: client.endSending()
                    case 2: client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
                    default: _ = try? client.readSome(within: 0.01)
                    }
                }
            default:
                if stopsEarly { _ = server.http.drain(within: .milliseconds(5)) }
            }
        }
        for connection in server.application.parked { connection.deliver(StepApplication.response("last")) }
        for (client, end) in ends where end > 0 { client.endSending() }
        _ = server.http.drain(within: .milliseconds(50))
        #expect(server.http.requestsInFlight == 0)
        #expect(server.http.figures.contentBytes == 0)
        let records = telemetry.requestCounts.requests.sorted.reduce(0) { $0 + $1.requests }
        #expect(records == UInt64(server.application.plans))
    }
}
