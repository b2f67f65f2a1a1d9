import Foundation
import FuzzOracles
import Platform
import Testing

@testable import HTTP
@testable import Service

/// Tests pipelined requests of a client that sometimes does not read: the loop must not forget that its socket is
/// readable.
@Suite struct PipelineTests {
    private let loop: ConnectionLoop
    private let client: LoopClient

    init() throws {
        let context = ExchangeContext(
            configuration: HTTPServerConfiguration(),
            application: EchoApplication(),
            lanes: Lanes()
        )
        loop = try ConnectionLoop(context: context)
        try loop.start()
        client = try LoopClient(of: loop, overTCP: true)
        runLoop()
    }

    private func runLoop() {
        for _ in 0..<10 { loop.runOnce(until: MonotonicTime(nanoseconds: 0)) }
    }

    /// Reads what has arrived, without the bytes that filled the socket.
    private func receive(into text: inout String) {
        text += client.received().filter { $0 != "\0" }
        runLoop()
    }

    /// Reads until `count` responses have been received in total. The kernel may take a moment to send again to a
    /// client that reads again.
    private func receive(_ count: Int, into text: inout String) -> [String] {
        let end = MonotonicTime.now + .seconds(10)
        while MonotonicTime.now < end {
            receive(into: &text)
            let contents = Self.contents(of: text)
            if contents.count >= count { return contents }
            loop.runOnce(until: .now + .milliseconds(1))
        }
        return Self.contents(of: text)
    }

    /// The library consumes the event of the third request while it cannot send the first response, and then receives
    /// the second head, which was read together with the first one.
    @Test func `a request that arrives while a response cannot be sent is served after earlier ones`() {
        defer { loop.finish() }
        client.fill()
        client.send(ExchangeTests.echo("first") + ExchangeTests.echo("second"))
        runLoop()
        client.send(ExchangeTests.echo("third"))
        runLoop()
        var text = ""
        #expect(receive(3, into: &text) == ["first", "second", "third"])
    }

    @Test(arguments: 0..<4) func `every request of a random pipeline is served, whenever its client reads`(part: Int) {
        defer { loop.finish() }
        for seed in UInt64(part * 50)..<UInt64(part * 50 + 50) {
            var random = RandomSource(seed: seed)
            let names = (0..<(1 + random.below(30))).map { "request \(seed).\($0)" }
            var unsent = names.flatMap { name in
                let padding = String(repeating: "x", count: random.below(3) == 0 ? random.below(4_000) : 0)
                return Array(ExchangeTests.echo(name + padding).utf8)
            }[...]
            var received = ""
            while !unsent.isEmpty {
                switch random.below(4) {
                case 0: client.fill()
                case 1: receive(into: &received)
                case 2: runLoop()
                default:
                    let piece = unsent.prefix(1 + random.below(random.below(2) == 0 ? 200 : 20_000))
                    unsent = unsent.dropFirst(client.sendSome(piece))
                }
            }
            let served = receive(names.count, into: &received).map { String($0.prefix { $0 != "x" }) }
            #expect(served == names, "seed \(seed)")
            if served != names { return }
        }
    }

    /// Returns the contents of complete responses, none of which contains an empty line.
    private static func contents(of text: String) -> [String] {
        text.components(separatedBy: "HTTP/1.1 200 OK\r\n").dropFirst().compactMap { response in
            let parts = response.components(separatedBy: "\r\n\r\n")
            guard parts.count == 2, let length = parts[0].firstMatch(of: #/Content-Length: (\d+)/#) else { return nil }
            return Int(length.1) == parts[1].utf8.count ? parts[1] : nil
        }
    }
}
