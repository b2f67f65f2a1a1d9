import Platform
import Testing

@testable import Service

@Suite struct BatchProgressTests {
    @Test(
        arguments: [
            ([50, 150], ", 50 %, 0:01 left"), ([100], ", 100 %, 0:00 left"), ([200, nil], ""), ([], ""),
            // Files with holes can be of any length.
            ([.max, .max], ""), ([.max, .max, 3], ""),
        ] as [([Int?], String)]
    )
    func `the remaining time is shown if the length of all input is known`(lengths: [Int?], rest: String) {
        let start = MonotonicTime.now
        let progress = BatchProgress(inputBytes: lengths, start: start)
        progress.note(readBytes: 100)
        let line = progress.line(of: BatchCounts(items: 3, failed: 1), now: start)
        #expect(line == "3 items, 3 items/s, 1 failed\(rest)")
    }
}
