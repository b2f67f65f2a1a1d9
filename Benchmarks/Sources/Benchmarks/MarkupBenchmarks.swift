import Foundation

// Compares the speed of normalizing XML and property lists with that of libxml2, which Decant uses, of Python and of
// Foundation. The converters take turns, as for JSON.

enum MarkupBenchmarks {
    private static let columns = [
        "file", "bytes", "decant", "libxml2", "ratio", "xmltodict", "ratio", "Foundation", "ratio", "extra memory",
    ]

    static func run(_ peers: URL, _ folder: URL) throws {
        let files = try MarkupCorpus.files(in: folder)
        let decant = try DecantConverter(files)
        var others: [any Converter] = [
            try PeerConverter("libxml2", [peers.appending(path: "sax").path]),
            try PeerConverter(
                "xmltodict",
                ["/usr/bin/env", "python3", peers.appending(path: "python.py").path, "xmltodict"]
            ),
            PropertyListConverter(),
        ]
        printLine(columns)
        printLine(columns.enumerated().map { $0.offset == 0 ? "---" : "--:" })
        for file in files {
            var row = ResultTable.Row(file: file)
            for round in 0..<Benchmarks.rounds {
                row.add(decant.measure(file, seconds: Benchmarks.turnSeconds), of: decant.name)
                for index in others.indices where isMeasured(others[index], file, round) {
                    row.add(others[index].measure(file, seconds: Benchmarks.turnSeconds), of: others[index].name)
                }
            }
            row.extraBytes = PeakMemory.extraBytes(normalizing: file)
            print(row)
        }
        Swift.print("\nMB/s of the best pass; ratios are relative to decant's speed.")
    }

    /// The slow converters are measured in the first two rounds. XML parsers do not read property lists.
    private static func isMeasured(_ converter: any Converter, _ file: BenchmarkFile, _ round: Int) -> Bool {
        switch converter.name {
        case "libxml2": file.format == .xml
        case "xmltodict": file.format == .xml && round < 2
        default: file.format == .plist && round < 2
        }
    }

    private static func print(_ row: ResultTable.Row) {
        func speed(_ converter: String) -> String {
            row.best(converter).map { String(format: "%.1f", Double(row.file.bytes) / $0 / 1e6) } ?? "–"
        }
        func ratio(_ converter: String) -> String {
            row.ratio(to: converter) { $0.best($1) }.map { String(format: "%.2f ×", $0) } ?? "–"
        }
        printLine(
            [row.file.name, "\(row.file.bytes)", speed("decant")]
                + ["libxml2", "xmltodict", "Foundation"].flatMap { [speed($0), ratio($0)] }
                + [row.extraBytes.map { "\($0 >> 10) KiB" } ?? "–"]
        )
    }

    private static func printLine(_ cells: [String]) {
        Swift.print("| " + cells.joined(separator: " | ") + " |")
        fflush(nil)
    }
}
