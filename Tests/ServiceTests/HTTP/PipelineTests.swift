import Foundation
import FuzzOracles
import Platform
import Testing

@testable import HTTP
@testable import Service

/// Tests pipelined requests of a client that sometimes does not read: the loop must not forget that its socket is
/// readable.
///
/// Each event of a socket reports everything that it is ready for. A read of the client makes the socket writable, and
/// so also reports requests that the loop has forgotten. The tests therefore read everything, let the loop respond, and
/// expect all responses without another read in between.
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
        client = try LoopClient(of: loop)
        runLoop()
    }

    private func runLoop() {
        for _ in 0..<10 { loop.runOnce(until: MonotonicTime(nanoseconds: 0)) }
    }

    /// Reads everything, lets the loop respond until nothing more arrives, and reads again.
    /// - Returns: the contents of the responses.
    private func settle() -> [String] {
        let text = client.receivedAll()
        var count = -1
        while client.unreadBytes != count {
            count = client.unreadBytes
            runLoop()
        }
        return Self.contents(of: text + client.receivedAll())
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
        #expect(settle() == ["first", "second", "third"])
    }

    @Test(arguments: 0..<4)
    func `every request of a random pipeline is served, whenever its client reads`(part: Int) {
        defer { loop.finish() }
        for seed in UInt64(part * 30)..<UInt64(part * 30 + 30) {
            var random = RandomSource(seed: seed)
            let names = (0..<(1 + random.below(30))).map { "request \(seed).\($0)" }
            // The ends of the requests in what is sent.
            var ends: [Int] = []
            var bytes: [UInt8] = []
            for name in names {
                let padding = String(repeating: "x", count: random.below(3) == 0 ? random.below(4_000) : 0)
                bytes += Array(ExchangeTests.echo(name + padding).utf8)
                ends.append(bytes.count)
            }
            var unsent = bytes[...]
            var served: [String] = []
            while served.count < names.count {
                switch random.below(unsent.isEmpty ? 3 : 6) {
                case 0: client.fill()
                case 1: runLoop()
                case 2:
                    served += settle().map { String($0.prefix { $0 != "x" }) }
                    let sent = ends.count { $0 <= unsent.startIndex }
                    #expect(served == Array(names[..<sent]), "seed \(seed)")
                    guard served.count == sent else { return }
                default:
                    var end = unsent.startIndex + 1 + random.below(random.below(2) == 0 ? 200 : 3_000)
                    // Nothing follows the last request of half of the pieces.
                    if random.below(2) == 0 { end = ends.first { $0 >= end } ?? end }
                    unsent = unsent.dropFirst(client.sendSome(unsent[..<min(end, unsent.endIndex)]))
                }
            }
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
