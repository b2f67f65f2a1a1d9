import Foundation
import FuzzOracles
import Testing

@testable import Fetching

/// Every test run checks the seeds of the fuzz targets, and the inputs that caused failures, with the oracles.
@Suite struct FetchFuzzReplayTests {
    @Test func `URLs, references and lists are read as the model reads them`() throws {
        for input in try Self.inputs(of: "FuzzFetchURL") {
            #expect(FetchURLOracle.violation(for: input.bytes) == nil, "\(input.name)")
        }
    }

    @Test func `frames are read however they are received`() throws {
        for input in try Self.inputs(of: "FuzzFetchFrame") {
            #expect(FetchFrameOracle.violation(for: input.bytes) == nil, "\(input.name)")
        }
    }

    @Test func `fields on which caching depends are read as the model reads them`() throws {
        for input in try Self.inputs(of: "FuzzCacheControl") {
            #expect(CacheControlOracle.violation(for: input.bytes) == nil, "\(input.name)")
        }
    }

    @Test func `random changes of fields on which caching depends agree with the model`() throws {
        var random = RandomSource(seed: 17)
        let seeds = try Self.inputs(of: "FuzzCacheControl").map(\.bytes)
        for _ in 0..<5_000 {
            var bytes = random.pick(seeds)
            for _ in 0...random.below(4) {
                let other = random.pick(seeds)
                let start = random.below(other.count)
                let piece = other[start..<min(start + random.below(20), other.count)]
                bytes.insert(contentsOf: piece, at: random.below(bytes.count))
            }
            if let violation = CacheControlOracle.violation(for: bytes) { Issue.record("\(violation)") }
        }
    }

    @Test func `random changes of frames do not crash the reader`() throws {
        var random = RandomSource(seed: 8)
        let seeds = try Self.inputs(of: "FuzzFetchFrame").map(\.bytes)
        for _ in 0..<5_000 {
            var bytes = random.pick(seeds)
            guard !bytes.isEmpty else { continue }
            for _ in 0...random.below(3) {
                bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.oneIn(3) { bytes.removeLast(random.below(bytes.count)) }
            if let violation = FetchFrameOracle.violation(for: bytes) { Issue.record("\(violation)") }
        }
    }

    private static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz")
        var inputs: [(name: String, bytes: [UInt8])] = []
        for kind in ["FailCases", "Seeds"] {
            let files = try? FileManager.default.contentsOfDirectory(
                at: folder.appending(path: "\(kind)/\(target)"),
                includingPropertiesForKeys: nil
            )
            for file in (files ?? []).sorted(by: { $0.path < $1.path }) {
                inputs.append((file.lastPathComponent, try Array(Data(contentsOf: file))))
            }
        }
        try #require(!inputs.isEmpty)
        return inputs
    }
}
