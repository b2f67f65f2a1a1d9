import FuzzOracles
import Testing

/// The fuzz targets measure processor time; these tests use given costs.
@Suite struct CostOracleTests {
    private typealias Cost = CostOracle.Cost

    /// Returns the violation of a cost that is given as a function of the length, and the lengths that were measured.
    private func violation(
        always: Bool = false,
        _ nanoseconds: (_ bytes: Int, _ measurement: Int) -> Int
    ) -> (violation: String?, lengths: [Int]) {
        var lengths: [Int] = []
        let violation = CostOracle.violation(always: always) { bytes in
            lengths.append(bytes)
            return Cost(contentBytes: bytes, nanoseconds: nanoseconds(bytes, lengths.count))
        }
        return (violation, lengths)
    }

    @Test func `a linear cost is accepted, at short lengths unless others are requested`() {
        #expect(violation { bytes, _ in bytes * 500 } == (nil, [8192, 32_768]))
        #expect(violation(always: true) { bytes, _ in bytes * 500 } == (nil, [8192, 32_768, 131_072, 524_288]))
    }

    @Test func `a cost above the bound per byte is found at the first length`() {
        let found = violation { bytes, _ in bytes * 10_000 }
        #expect(found == ("8192 bytes take 81 ms", [8192, 8192, 8192, 8192]))
    }

    @Test func `a quadratic cost is found before it exceeds the bound per byte`() {
        let found = violation { bytes, _ in bytes * 50 + bytes * bytes / 100 }
        #expect(found.violation == "32768 bytes take 12375 µs, and 131072 bytes 178352 µs")
    }

    @Test func `a step in a linear cost is accepted, and not one that a longer content does not confirm`() {
        func cost(_ bytes: Int) -> Int { bytes * (bytes < 500_000 ? 50 : 400) }
        #expect(violation(always: true) { bytes, _ in cost(bytes) }.violation == nil)
        let rejected = CostOracle.violation(always: true) { bytes in
            var cost = Cost(contentBytes: bytes, nanoseconds: cost(bytes))
            if bytes > 600_000 { cost.rejection = "response.too_large" }
            return cost
        }
        #expect(rejected == "131072 bytes take 6553 µs, and 524288 bytes 209715 µs")
    }

    @Test func `a measurement is repeated, and the minimum counts`() {
        // The second measurement took 500 ms, because something else was running.
        let found = violation { bytes, measurement in measurement == 2 ? 500_000_000 : bytes * 500 }
        #expect(found == (nil, [8192, 32_768, 32_768, 32_768, 32_768]))
    }

    @Test(arguments: [
        (200 << 20, 0, "8192 bytes become 209715200"), (0, 200 << 20, "8192 bytes take 209715200 bytes of memory"),
    ])
    func `responses and memory are bounded`(output: Int, heap: Int, violation: String) {
        let found = CostOracle.violation(always: false) {
            Cost(contentBytes: $0, outputBytes: output, nanoseconds: 0, heapBytes: heap)
        }
        #expect(found == violation)
    }

    @Test func `content that is rejected after as much work needs no response`() {
        let violation = CostOracle.violation(always: true) { bytes in
            Cost(contentBytes: bytes, outputBytes: bytes < 200_000 ? bytes * 100 : 0, nanoseconds: bytes * 500)
        }
        #expect(violation == nil)
    }

    @Test func `content that is rejected at its start is not compared with content that is read`() {
        let violation = CostOracle.violation(always: true) { bytes in
            let isRead = bytes > 200_000
            var cost = Cost(contentBytes: bytes, nanoseconds: isRead ? bytes * 500 : 100)
            if !isRead { cost.rejection = "json.invalid_number" }
            return cost
        }
        #expect(violation == nil)
    }

    @Test func `content that cannot grow is measured once`() {
        var lengths: [Int] = []
        let violation = CostOracle.violation(always: true) { bytes in
            lengths.append(bytes)
            return Cost(contentBytes: 100, nanoseconds: 1)
        }
        #expect(violation == nil)
        #expect(lengths == [8192])
    }

    @Test func `the same input grows to the same content, with the structure of its format`() {
        let seeds = (0..<200).map { UInt64($0) }
        let text = seeds.map { GrownContent(Array("<r><!--x--></r>".utf8), seed: $0).content(bytes: 200) }
        #expect(text == seeds.map { GrownContent(Array("<r><!--x--></r>".utf8), seed: $0).content(bytes: 200) })
        #expect(text.contains { String(decoding: $0, as: UTF8.self).hasPrefix("<r><!--x--><!--x--><!--x-->") })

        let entry: [UInt8] = [0x73, 0x87, 7, 0, 2, 0, 0, 0, 1, 2, 0, 0]
        let tiff: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0] + entry + [0, 0, 0, 0]
        // The directory moves to the end of 26 bytes, with nine more entries.
        var grown: [UInt8] = [0x49, 0x49, 0x2A, 0, 26, 0, 0, 0]
        grown += tiff[8...]
        grown += [10, 0]
        for _ in 0..<10 { grown += entry }
        grown += [0, 0, 0, 0]
        #expect(seeds.contains { GrownContent(tiff, seed: $0).content(bytes: grown.count) == grown })
    }
}
