import Foundation
import Testing

/// Checks the seeds of the fuzz targets, and the inputs that caused failures, with the oracles.
struct RequestFuzzReplayTests {
    @Test func `the parser agrees with the model on the inputs of the fuzz targets`() throws {
        for input in try Self.inputs(of: "FuzzRequestStream") {
            #expect(RequestStreamOracle.violation(forStream: input.bytes) == nil, "\(input.name)")
        }
        for input in try Self.inputs(of: "FuzzRequestHead") {
            #expect(RequestStreamOracle.violation(forHead: input.bytes) == nil, "\(input.name)")
        }
        for input in try Self.inputs(of: "FuzzChunks") {
            #expect(RequestStreamOracle.violation(forChunks: input.bytes) == nil, "\(input.name)")
        }
    }

    @Test func `messages on the inputs of the fuzz target have no violation`() throws {
        for input in try Self.inputs(of: "FuzzMessage") {
            #expect(MessageOracle.violation(for: input.bytes) == nil, "\(input.name)")
        }
    }

    @Test func `queries are parsed as the model parses them`() throws {
        for input in try Self.inputs(of: "FuzzQueryString") {
            #expect(QueryStringOracle.violation(for: input.bytes) == nil, "\(input.name)")
        }
    }

    private static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fuzz")
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
