import Glibc
import Platform
import Serialization
import Synchronization
import Testing

@testable import HTTP
@testable import Service

/// Tests a loop whose iteration takes too long.
@Suite struct LateLoopTests {
    /// What makes each request slow.
    enum Delay: CaseIterable {
        /// 60 ms of processor time.
        case work
        /// 60 ms in which the thread does not run, as if other processes used the processors.
        case wait
    }

    /// Responds on the HTTP thread. The plan of each request is delayed.
    private struct SlowApplication: Application {
        let delay: Delay

        func plan(for head: borrowing RequestHead) -> Plan {
            let end = Thread.processorNanoseconds + 60_000_000
            switch delay {
            case .work: while Thread.processorNanoseconds < end {}
            case .wait: usleep(60_000)
            }
            return Plan(
                endpoint: .none,
                decision: .accept(maxContentBytes: 1 << 20) { _, _ in .done(StepApplication.response("done")) }
            )
        }

        func response(rejecting reason: RejectionReason, requestID: RequestID) -> Response {
            StepApplication.response("\(reason)")
        }
    }

    private static let small = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
    private static let large =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(Lane.maxInlineBytes + 1)\r\nExpect: 100-continue\r\n\r\n"

    @Test(arguments: [
        (Delay.work, true, "overloaded"), (.work, false, "100 Continue\r\n\r\n"), (.wait, true, "100 Continue\r\n\r\n"),
        (.wait, false, "100 Continue\r\n\r\n"),
    ])
    func `only large content is rejected, if the loop has used 50 ms of processor time and other content waits`(
        delay: Delay,
        hasWaitingJob: Bool,
        expected: String
    ) throws {
        let compute = try ComputeLane(threads: 1, maxWaiting: 2)
        let (begun, gate) = (Gate(), Gate())
        if hasWaitingJob {
            _ = compute.submit {
                begun.open()
                gate.pass()
            }
            begun.pass()
            _ = compute.submit {}
        }
        var configuration = HTTPServerConfiguration()
        configuration.maxIterationTime = .milliseconds(50)
        let loop = try ConnectionLoop(
            context: ExchangeContext(
                configuration: configuration,
                application: SlowApplication(delay: delay),
                lanes: Lanes(compute: compute)
            )
        )
        try loop.start()
        defer {
            gate.open()
            loop.finish()
        }
        let clients = try (0..<4).map { _ in try LoopClient(of: loop) }
        for _ in 0..<10 { loop.runOnce(until: .now) }
        for client in clients.dropLast() { client.send(Self.small) }
        clients[3].send(Self.large)
        for _ in 0..<10 { loop.runOnce(until: .now) }
        for client in clients.dropLast() { #expect(client.received().hasSuffix("\r\n\r\ndone")) }
        #expect(clients[3].received().hasSuffix(expected))
    }
}
