import Foundation
import FuzzOracles
import Testing

@testable import HTTP
@testable import Service

/// Compares the parser and a server with ``ModelRequestStream``, for random streams of requests.
///
/// `DECANT_STREAMS=100000` sets the number of streams of each test, and `DECANT_STREAM_SEED=7` the first seed.
struct RequestStreamDifferentialTests {
    // MARK: Parser

    @Test(arguments: SmugglingCase.all.map(\.name))
    func `the parser agrees with the model on every smuggling case`(name: String) throws {
        let smuggled = try #require(SmugglingCase.all.first { $0.name == name })
        let cuts = RequestStreamOracle.cuts(of: smuggled.bytes, 1)
        #expect(RequestStreamOracle.violation(for: smuggled.bytes, cuts) == nil)
    }

    @Test(arguments: 0..<parts)
    func `the parser agrees with the model on random streams`(part: Int) {
        var failures = 0
        for seed in Self.seeds(of: part, defaultCount: 700) where failures < Self.maxFailures {
            var generator = RequestStreamGenerator(seed: seed)
            let stream = generator.stream()
            guard let violation = RequestStreamOracle.violation(for: stream, RequestStreamOracle.cuts(of: stream, seed))
            else { continue }
            Issue.record("seed \(seed): \(violation)")
            failures += 1
        }
    }

    // MARK: Server

    @Test func `the server responds to every smuggling case as the model predicts`() throws {
        let server = try Self.server.get()
        for smuggled in SmugglingCase.all {
            let cuts = [.none] + RequestStreamOracle.cuts(of: smuggled.bytes, 1)
            try Self.send(cuts.map { (smuggled.name, smuggled.bytes, $0, .afterSending) }, to: server)
        }
    }

    @Test(arguments: 0..<parts)
    func `the server responds to random streams as the model predicts`(part: Int) throws {
        let server = try Self.server.get()
        var seeds = Self.seeds(of: part, defaultCount: 400)
        var failures = 0
        while !seeds.isEmpty, failures < Self.maxFailures {
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
                // The bytes that a client sends before it receives must fit into the buffers of both sockets.
                let endings = stream.count <= 60_000 ? StreamClient.Ending.allCases : [.afterSending, .afterResponses]
                return ("seed \(seed)", stream, cuts, random.pick(endings))
            }
            failures += try Self.send(exchanges, to: server)
            seeds = seeds.dropFirst(8)
        }
    }

    /// Sends several streams at the same time, each on a separate connection.
    /// - Returns: the number of streams with an unexpected response.
    @discardableResult
    private static func send(
        _ exchanges: [(label: String, stream: [UInt8], cuts: StreamCuts, ending: StreamClient.Ending)],
        to server: HTTPServer
    ) throws -> Int {
        let clients = try exchanges.map { label, stream, cuts, ending in
            let model = ModelRequestStream(reading: stream)
            let summary =
                "\(label), \(model.requests.count) requests, \(model.end), \(cuts.offsets.count) cuts, \(ending)"
            return try StreamClient(
                port: server.address.port,
                stream,
                cuts,
                model,
                ending,
                label: "\(summary): \(stream.escaped(max: 2_000))"
            )
        }
        StreamClient.run(clients)
        let failed = clients.filter { $0.difference != nil }
        for client in failed { Issue.record("\(client.difference ?? "")\n\(client.label)") }
        return failed.count
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

    /// The number of failures after which a test ends.
    private static let maxFailures = 3

    /// The number of parts, which run in parallel.
    private static let parts = 4

    private static func seeds(of part: Int, defaultCount: Int) -> Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        let count = (environment["DECANT_STREAMS"].flatMap { Int($0) } ?? defaultCount) / parts
        let first = environment["DECANT_STREAM_SEED"].flatMap { UInt64($0) } ?? 1
        let start = first + UInt64(part * count)
        return start..<(start + UInt64(count))
    }
}
