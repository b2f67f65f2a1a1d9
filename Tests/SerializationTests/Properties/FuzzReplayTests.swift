import Foundation
import FuzzOracles
import Testing

/// Every test run replays the findings and the seeds of the fuzzers with their oracles.
@Suite struct FuzzReplayTests {
    @Test(arguments: FuzzTarget.allCases)
    func `each input has the properties of its target`(target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        #expect(!inputs.isEmpty)
        for (name, bytes) in inputs {
            #expect(target.violation(for: bytes) == nil, "\(name)")
        }
    }

    @Test(arguments: FuzzTarget.allCases.filter { $0.content != nil })
    func `the cost of each input that has grown is bounded`(target: FuzzTarget) throws {
        // This is a debug build, and there are more inputs than a test needs: each of the targets tries all of them.
        var bounds = CostOracle.Bounds()
        bounds.nanosecondsPerByte *= 20
        bounds.constantNanoseconds *= 20
        bounds.minNanoseconds *= 20
        for (name, bytes) in try Self.inputs(of: target).prefix(20) {
            #expect(target.costViolation(for: bytes, bounds) == nil, "\(name)")
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `the page about fuzzing states the requirements of each target`(target: FuzzTarget) throws {
        let table = try String(contentsOf: Self.root.appending(path: "docs/fuzzing.md"), encoding: .utf8)
        #expect(table.split(separator: "\n").contains { $0.hasPrefix("| `") && $0.contains("`\(target.rawValue)`") })
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        try ["FailCases", "Seeds"].flatMap { kind in
            let folder = root.appending(path: "Tests/Fuzz/\(kind)/\(target.rawValue)")
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return try (files ?? []).sorted { $0.path < $1.path }.map {
                ($0.lastPathComponent, try Array(Data(contentsOf: $0)))
            }
        }
    }
}
