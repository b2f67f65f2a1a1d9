import Glibc
import Platform
import Serialization
import Testing

@testable import Service

/// Tests a loop whose iteration takes too long.
@Suite struct LateLoopTests {
    /// Responds on the HTTP thread, after 60 ms of work for `/slow`.
    private struct SlowApplication: Application {
        func plan(for head: borrowing RequestHead) -> Plan {
            let isSlow = head.target.path == "/slow"
            guard head.target.path != "/livez" else {
                return Plan(endpoint: .live, decision: .respond(StepApplication.response("live")))
            }
            let decision = Plan.Decision.accept(maxContentBytes: 100) { _, _ in
                let end = MonotonicTime.now + .milliseconds(60)
                while isSlow, MonotonicTime.now < end {}
                return .done(StepApplication.response("done"))
            }
            return Plan(endpoint: .none, decision: decision)
        }

        func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
            StepApplication.response("\(reason)")
        }
    }

    @Test func `requests of the same iteration are rejected after 50 ms, except those that need no decoding`() throws {
        var configuration = HTTPServerConfiguration()
        configuration.maxTurnTime = .milliseconds(50)
        let context = ExchangeContext(
            configuration: configuration,
            application: SlowApplication(),
            lanes: Lanes()
        )
        let loop = try ConnectionLoop(context: context)
        try loop.start()
        defer { loop.finish() }
        let clients = try (0..<4).map { _ in try LoopClient(of: loop) }
        for _ in 0..<10 { loop.turn(until: .now) }
        // If requests become ready at the same time, the library may serve them in the opposite order. Only their number matters.
        for client in clients.dropLast() { client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") }
        clients[3].send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        for _ in 0..<10 { loop.turn(until: .now) }
        let texts = clients.map { $0.received() }
        #expect(texts.count { $0.hasSuffix("done") } == 1)
        #expect(texts.count { $0.hasSuffix("overloaded") } == 2)
        #expect(texts[3].hasSuffix("live"))
        // The next iteration is not late.
        clients[0].send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        for _ in 0..<10 { loop.turn(until: .now) }
        #expect(clients[0].received().hasSuffix("done"))
    }
}
