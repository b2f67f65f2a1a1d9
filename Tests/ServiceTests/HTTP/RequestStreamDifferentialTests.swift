import Foundation
import FuzzOracles
import Testing

@testable import Service

/// Random streams through the parser, and through a server, against ``ModelRequestStream``.
///
/// `DECANT_STREAMS=100000` sets the number of streams of each test, and `DECANT_STREAM_SEED=7` the first seed.
struct RequestStreamDifferentialTests {
    // MARK: Parser

    @Test(arguments: SmugglingForm.all.map(\.name))
    func `the parser reads every smuggling form as the model does`(name: String) throws {
        let form = try #require(SmugglingForm.all.first { $0.name == name })
        #expect(RequestStreamOracle.violation(for: form.bytes, RequestStreamOracle.cuts(of: form.bytes, 1)) == nil)
    }

    @Test(arguments: 0..<parts)
    func `the parser reads random streams as the model does`(part: Int) {
        for seed in Self.seeds(of: part, defaultCount: 1_500) {
            var generator = RequestStreamGenerator(seed: seed)
            let stream = generator.stream()
            let violation = RequestStreamOracle.violation(for: stream, RequestStreamOracle.cuts(of: stream, seed))
            guard violation == nil else {
                Issue.record("seed \(seed): \(violation ?? "")")
                return
            }
        }
    }

    // MARK: Server

    @Test func `the server answers every smuggling form as the model does`() throws {
        let server = try Self.server.get()
        for form in SmugglingForm.all {
            let cuts = [.none] + RequestStreamOracle.cuts(of: form.bytes, 1)
            try Self.send(cuts.map { (form.name, form.bytes, $0, .afterSending) }, to: server)
        }
    }

    @Test(arguments: 0..<parts)
    func `the server answers random streams as the model does`(part: Int) throws {
        let server = try Self.server.get()
        var seeds = Self.seeds(of: part, defaultCount: 400)
        while !seeds.isEmpty {
            let exchanges = seeds.prefix(8).map { seed in
                var generator = RequestStreamGenerator(seed: seed)
                let stream = generator.stream()
                var random = RandomSource(seed: seed)
                let cuts =
                    switch random.below(4) {
                    case 0: StreamCuts.none
                    case 1 where stream.count <= 600: StreamCuts.everywhere(in: stream.count)
                    default: StreamCuts.random(in: stream, &random)
                    }
                return ("seed \(seed)", stream, cuts, random.pick(StreamClient.Ending.allCases))
            }
            guard try Self.send(exchanges, to: server) else { return }
            seeds = seeds.dropFirst(8)
        }
    }

    /// Sends several streams at once, each on a connection of its own.
    /// - Returns: whether all responses were as expected.
    @discardableResult
    private static func send(
        _ exchanges: [(label: String, stream: [UInt8], cuts: StreamCuts, ending: StreamClient.Ending)],
        to server: HTTPServer
    ) throws -> Bool {
        let clients = try exchanges.map { label, stream, cuts, ending in
            try StreamClient(
                port: server.address.port,
                stream,
                cuts,
                ModelRequestStream(reading: stream),
                ending,
                label: "\(label), \(cuts.offsets.count) cuts, end \(ending): \(stream.escaped(max: 2_000))"
            )
        }
        let stuck = StreamClient.run(clients)
        for client in stuck { Issue.record("nothing arrives for 20 s: \(client.label)") }
        for client in clients {
            if let difference = client.difference { Issue.record("\(difference)\n\(client.label)") }
        }
        return stuck.isEmpty && clients.allSatisfy { $0.difference == nil }
    }

    private static let server = Result {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        configuration.threads = 2
        return try HTTPServer(
            configuration,
            application: DescribingApplication(),
            lanes: Lanes(compute: try ComputeLane(threads: 2, maxWaiting: 1_000))
        )
    }

    // MARK: Seeds

    /// Parts run at the same time.
    private static let parts = 4

    private static func seeds(of part: Int, defaultCount: Int) -> Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        let count = (environment["DECANT_STREAMS"].flatMap { Int($0) } ?? defaultCount) / parts
        let first = environment["DECANT_STREAM_SEED"].flatMap { UInt64($0) } ?? 1
        let start = first + UInt64(part * count)
        return start..<(start + UInt64(count))
    }
}
