import Batch
import Foundation
import FuzzOracles
import Testing

/// Mutated inputs, and the inputs of the fuzz targets.
@Suite struct BatchMutationTests {
    private static let lines = Array("{\"a\":1}\r\n\n[\"é\"]\n \n{}".utf8)
    private static let formats: [(BatchFormat, String)] = [
        (.har, "FuzzHAR"), (.warc, "FuzzWARC"), (.frames, "FuzzBatchFrames"), (.ndjson, ""),
    ]

    private static func inputs(of target: String) throws -> [[UInt8]] {
        guard !target.isEmpty else { return (0..<32).map { [UInt8($0)] + lines } }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folders = ["Seeds", "FailCases"].map { root.appending(path: "Fuzz/\($0)/\(target)") }
        let files = folders.flatMap { folder in
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        }
        return try files.sorted { $0.path < $1.path }.map { try Array(Data(contentsOf: $0)) }
    }

    @Test(arguments: formats) func `each reader has its properties`(format: BatchFormat, target: String) throws {
        let inputs = try Self.inputs(of: target)
        #expect(inputs.count > 10)
        for input in inputs { #expect(BatchOracle.violation(for: input, format) == nil, "\(input)") }
    }

    @Test(arguments: formats)
    func `each reader has its properties for mutated inputs`(format: BatchFormat, target: String) throws {
        var random = RandomSource(seed: 48)
        let inputs = try Self.inputs(of: target)
        for _ in 0..<2_000 {
            var input = random.pick(inputs)
            for _ in 0...random.below(4) { Self.mutate(&input, &random) }
            #expect(BatchOracle.violation(for: input, format) == nil, "\(input)")
        }
    }

    private static func mutate(_ input: inout [UInt8], _ random: inout RandomSource) {
        guard !input.isEmpty else { return }
        let index = random.below(input.count)
        switch random.below(5) {
        case 0: input[index] ^= 1 << UInt8(random.below(8))
        case 1: input.insert(input[random.below(input.count)], at: index)
        case 2: input.remove(at: index)
        case 3: input.removeLast(input.count - index)
        default:
            let end = index + random.below(input.count - index + 1)
            input.insert(contentsOf: input[index..<end], at: random.below(input.count))
        }
    }

    /// The items that end before a change are those of the unchanged input.
    @Test func `the items before a change are not affected`() {
        var random = RandomSource(seed: 36)
        let entries = (0..<20).map { #"{"a":"\#($0)"}"# }
        let responses = (0..<20).map { WARCBuilder.response("\($0)", id: "\($0)") }
        let inputs: [(any BatchReader, [UInt8])] = [
            (LineReader(limits: .test), Array(entries.joined(separator: "\n").utf8)),
            (HARReader(limits: .test), Array(#"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#.utf8)),
            (WARCReader(limits: .test), Array(responses.joined().utf8)),
            (WARCReader(limits: .test), responses.flatMap(WARCBuilder.gzip)),
        ]
        for (reader, bytes) in inputs {
            let whole = Self.read(reader, bytes)
            #expect(whole.items.count == 20 && whole.error == nil)
            for _ in 0..<300 {
                var changed = bytes
                let index = random.below(bytes.count)
                if random.oneIn(2) { changed.removeLast(bytes.count - index) } else { changed[index] ^= 0x11 }
                // The last item that begins before the change may contain it.
                let count = max(whole.items.prefix { $0.byte <= index }.count - 1, 0)
                #expect(Self.read(reader, changed).items.prefix(count) == whole.items.prefix(count), "\(index)")
            }
        }
    }

    private static func read(_ reader: some BatchReader, _ bytes: [UInt8]) -> ReadItems { ReadItems(reader, bytes) }
}

extension BatchLimits {
    fileprivate static let test = BatchLimits(maxItemBytes: 1_000)
}
