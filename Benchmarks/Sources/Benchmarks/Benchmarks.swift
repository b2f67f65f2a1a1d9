import Foundation

// Compares the speed of JSON normalization with that of the peers, on the same bytes and in the same run.
//
//   Benchmarks PEERS-FOLDER FILES-FOLDER [NAME…]    measures all files, or those with one of these names
//   Benchmarks --markup PEERS-FOLDER FILES-FOLDER   measures XML and property lists
//   Benchmarks --memory whole|each keep|drop FILE   measures the memory that one normalization of a file needs
//
// `make bench` builds the peers and runs the first form, which runs the third one. The converters take turns in each
// round, so that a machine that is slower for a while is slower for all of them.

@main struct Benchmarks {
    /// The time that a converter works on a file in one round, in seconds, and the number of rounds.
    static let turnSeconds = 0.03
    static let rounds = 9

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--memory" { return try reportMemory(Array(arguments.dropFirst())) }
        if arguments.first == "--markup" {
            guard arguments.count == 3 else { throw UsageError() }
            return try MarkupBenchmarks.run(URL(filePath: arguments[1]), URL(filePath: arguments[2]))
        }
        guard arguments.count >= 2 else { throw UsageError() }
        let peers = URL(filePath: arguments[0])
        let wanted = Set(arguments.dropFirst(2))

        let files = try Corpus.files(in: URL(filePath: arguments[1])).filter {
            wanted.isEmpty || wanted.contains($0.name)
        }
        guard !files.isEmpty else { throw UsageError() }
        let native = peers.appending(path: "native")
        let python = peers.appending(path: "python.py")
        let decant = try DecantConverter(files)
        // The fast converters are measured in every round, and the others in the first two.
        var quick: [any Converter] = [
            try PeerConverter("simdjson", [native.path, "simdjson"]),
            try PeerConverter("textual", [native.path, "textual"]),
        ]
        var slow: [any Converter] = [
            try FoundationConverter(files),
            try PeerConverter("orjson", ["/usr/bin/env", "python3", python.path, "orjson"]),
            try PeerConverter("json", ["/usr/bin/env", "python3", python.path, "json"]),
            JqConverter(),
        ]

        var table = ResultTable(machine: Machine.description)
        for file in files {
            if let text = try minified(file, by: native), decant.normalized(file) != text {
                throw DifferentText(name: file.name)
            }
            var row = ResultTable.Row(file: file)
            for round in 0..<rounds {
                row.add(decant.measure(file, seconds: turnSeconds), of: decant.name)
                for index in quick.indices {
                    row.add(quick[index].measure(file, seconds: turnSeconds), of: quick[index].name)
                }
                if round > 1 { continue }
                for index in slow.indices {
                    row.add(slow[index].measure(file, seconds: turnSeconds), of: slow[index].name)
                }
            }
            row.extraBytes = PeakMemory.extraBytes(normalizing: file)
            table.print(row)
        }
        table.printSummary()
    }

    /// Returns the text of `file` without its white space; `nil` if this is not the expected output.
    private static func minified(_ file: BenchmarkFile, by native: URL) throws -> [UInt8]? {
        guard file.unit == .whole, !file.dropsNulls else { return nil }
        let process = Process()
        let output = Pipe()
        process.executableURL = native
        process.arguments = ["minify", file.url.path]
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        return text.map { [UInt8]($0) }
    }

    private static func reportMemory(_ arguments: [String]) throws {
        guard arguments.count == 3, let unit = BenchmarkFile.Unit(rawValue: arguments[0]) else {
            throw UsageError()
        }
        let file = try BenchmarkFile(url: URL(filePath: arguments[2]), unit: unit, dropsNulls: arguments[1] == "drop")
        let extra = try PeakMemory.measure {
            try DecantConverter([file])
        } work: {
            $0.normalizeOnce(file)
        }
        print(extra)
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description = "usage: Benchmarks PEERS-FOLDER FILES-FOLDER [NAME…]"
}

/// The output of Decant and of a peer differ, so that a comparison of their speed would be meaningless.
struct DifferentText: Error, CustomStringConvertible {
    let name: String
    var description: String { "the normalized text of \(name) is not the minified text" }
}
