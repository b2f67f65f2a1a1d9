import Foundation

/// A Markdown table of the results, which is printed row by row.
struct ResultTable {
    /// The results for one file.
    struct Row {
        let file: BenchmarkFile
        var extraBytes: Int?
        private var samples: [String: [Sample]] = [:]

        init(file: BenchmarkFile) {
            self.file = file
        }

        mutating func add(_ sample: Sample?, of converter: String) {
            if let sample { samples[converter, default: []].append(sample) }
        }

        /// Returns the duration of the best pass of all rounds, in seconds.
        func best(_ converter: String) -> Double? {
            samples[converter]?.map(\.best).min()
        }

        /// Returns the duration of the median pass of the median round, in seconds.
        func median(_ converter: String) -> Double? {
            let medians = (samples[converter] ?? []).map(\.median).sorted()
            return medians.isEmpty ? nil : medians[medians.count / 2]
        }

        /// Returns the speed of Decant relative to `converter`.
        func ratio(to converter: String, _ time: (Row, String) -> Double?) -> Double? {
            guard let own = time(self, "decant"), let other = time(self, converter) else { return nil }
            return other / own
        }
    }

    private var rows: [Row] = []
    private static let columns = [
        "file", "bytes", "decant", "simdjson", "ratio", "ratio (medians)", "textual", "ratio", "Foundation", "orjson",
        "json", "jq", "extra memory",
    ]

    init(machine: String) {
        Swift.print(machine + "\n")
        Self.printLine(Self.columns)
        Self.printLine(Self.columns.enumerated().map { $0.offset == 0 ? "---" : "--:" })
    }

    mutating func print(_ row: Row) {
        rows.append(row)
        func speed(_ converter: String) -> String {
            row.best(converter).map { Self.number(Double(row.file.bytes) / $0 / 1e9) } ?? "–"
        }
        func ratio(_ converter: String, _ time: (Row, String) -> Double?) -> String {
            row.ratio(to: converter, time).map { Self.number($0) + " ×" } ?? "–"
        }
        Self.printLine([
            row.file.name, "\(row.file.bytes)", speed("decant"), speed("simdjson"),
            ratio("simdjson") { $0.best($1) }, ratio("simdjson") { $0.median($1) },
            speed("textual"), ratio("textual") { $0.best($1) },
            speed("Foundation"), speed("orjson"), speed("json"), speed("jq"),
            row.extraBytes.map { "\($0 >> 10) KiB" } ?? "–",
        ])
    }

    /// The target for every file, relative to parsing and minifying with simdjson.
    func printSummary() {
        let target = 1.3
        Swift.print()
        Swift.print(
            """
            GB/s of the best pass; ratios: how many times as fast decant is. simdjson: parse, then minify what was \
            parsed. textual: parse, then minify the text. jq: start of the process included.
            """
        )
        for row in rows {
            guard let ratio = row.ratio(to: "simdjson", { $0.best($1) }), ratio < target else { continue }
            Swift.print("Below \(target) × simdjson: \(row.file.name), \(Self.number(ratio)) ×")
        }
        for row in rows where row.file.documentCount > 1 {
            guard let own = row.best("decant"), let other = row.best("simdjson") else { continue }
            let count = Double(row.file.documentCount)
            let (mine, theirs) = (Int(own / count * 1e9), Int(other / count * 1e9))
            Swift.print("\(row.file.name): \(mine) ns per document, simdjson \(theirs) ns")
        }
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 0.1 ? "%.3f" : "%.2f", value)
    }

    private static func printLine(_ cells: [String]) {
        Swift.print("| " + cells.joined(separator: " | ") + " |")
        fflush(nil)
    }
}
