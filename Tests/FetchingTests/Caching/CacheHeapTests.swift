import TestSupport
import Testing

/// Compares what a cache charges with what the heap of a separate process holds (`mallinfo2`, mapped blocks included).
@Suite struct CacheHeapTests {
    struct Filling: CustomTestStringConvertible, Sendable {
        /// The arguments of `CacheProbe heap`.
        var arguments: String
        var tolerancePercent: Int

        var testDescription: String { arguments }
    }

    @Test(arguments: [
        // 50 000 entries in about 100 MiB.
        Filling(arguments: "1 50000 64 4095 0", tolerancePercent: 10),
        Filling(arguments: "2 30000 64 4095 2", tolerancePercent: 10),
        Filling(arguments: "3 50000 4096 4096 0", tolerancePercent: 3),
        Filling(arguments: "4 4000 4096 65536 1", tolerancePercent: 3),
        Filling(arguments: "5 80 4096 8388608 1", tolerancePercent: 3),
        Filling(arguments: "6 80 4096 8388608 1 mapped", tolerancePercent: 3),
    ])
    func `charges what the heap holds`(filling: Filling) throws {
        let words = try Self.run(["heap"] + filling.arguments.split(separator: " ").map(String.init))
        let (chargedBytes, heldBytes) = (try #require(Int(words[2])), try #require(Int(words[3])))
        #expect(heldBytes > 80_000_000)
        #expect(abs(chargedBytes - heldBytes) * 100 <= heldBytes * filling.tolerancePercent, "\(words)")
    }

    private static func run(_ arguments: [String]) throws -> [String] {
        let output = try BuiltProgram.output(of: "CacheProbe", arguments)
        let words = output.split(whereSeparator: \.isWhitespace).map(String.init)
        try #require(words.count == 5, "\(words)")
        return words
    }
}
