import Foundation
import Serialization
import Testing

/// Holds the table of working memory against documents that a generator makes, each serialized in a process of its own.
@Suite struct WorkingMemoryTests {
    /// A family of documents with options, and the row that bounds it.
    struct Search: CustomTestStringConvertible, Sendable {
        var row: WorkingMemory
        var family: String
        var options: [String] = []

        var testDescription: String { ([family] + options).joined(separator: " ") }
    }

    static let searches = [
        Search(row: .json, family: "json"),
        Search(row: .json, family: "json", options: ["duplicates=first"]),
        Search(row: .json, family: "records"),
        Search(row: .sortedJSON, family: "json", options: ["keys=sorted"]),
        Search(row: .sortedJSON, family: "json", options: ["canonical=true"]),
        Search(row: .lenientJSON, family: "lenient", options: ["lenient"]),
        Search(row: .transcodedJSON, family: "wide"),
        Search(row: .transcodedJSON, family: "single-byte"),
        Search(row: .transcodedJSON, family: "multi-byte"),
        Search(row: .raw, family: "raw", options: ["http"]),
        Search(row: .raw, family: "single-byte", options: ["http"]),
        Search(row: .binaryPropertyList, family: "plist-binary"),
        Search(row: .resolvedBinaryPropertyList, family: "plist-binary", options: ["archive=resolve"]),
        Search(row: .textPropertyList, family: "plist-text"),
        Search(row: .resolvedTextPropertyList, family: "plist-text", options: ["archive=resolve"]),
        Search(row: .xmlPropertyList, family: "plist-xml"),
        Search(row: .xml, family: "xml"),
    ]

    private static let contentBytes = 384 << 10
    private static let seeds = 0..<UInt64(10)

    @Test(arguments: searches)
    func `no document that the generator makes needs more than its row of the table`(search: Search) throws {
        var measured = 0
        for seed in Self.seeds {
            let arguments = [search.family, "\(seed)", "\(Self.contentBytes)"] + search.options
            let measurement = try Measurement(arguments)
            guard measurement.hasValue else { continue }
            measured += 1
            let bound = search.row.bytes(forContentBytes: measurement.contentBytes)
            #expect(measurement.workingBytes <= bound, "MemoryProbe \(arguments.joined(separator: " "))")
        }
        #expect(measured > 0)
    }

    @Test(arguments: WorkingMemory.allCases)
    func `every row is searched`(row: WorkingMemory) {
        #expect(Self.searches.contains { $0.row == row })
    }

    @Test func `the document has the same table as the code`() throws {
        let document = SourceFolder.root.appendingPathComponent("docs/memory.md")
        let lines = try String(contentsOf: document, encoding: .utf8).split(separator: "\n")
        for row in WorkingMemory.allCases {
            let factor = "\(row.tenthsPerByte / 10).\(row.tenthsPerByte % 10)"
            #expect(
                lines.contains { $0.hasPrefix("| \(row.rawValue) | \(factor) |") },
                "| \(row.rawValue) | \(factor) |"
            )
        }
        #expect(lines.count { $0.hasPrefix("| ") && $0.last == "|" } == WorkingMemory.allCases.count + 2)
    }

    @Test func `a bound that no number holds is the largest number`() {
        #expect(WorkingMemory.xml.bytes(forContentBytes: .max) == .max)
        #expect(WorkingMemory.raw.bytes(forContentBytes: 0) == WorkingMemory.constantBytes)
    }

    @Test func `the bound of a serializer is that of the worst row that its options allow`() {
        var options = SerializationOptions()
        let json = WorkingMemory.bytes(forContentBytes: 1000, kind: .json, options: options, isTranscoded: false)
        #expect(json == WorkingMemory.json.bytes(forContentBytes: 1000))
        options.canonical = true
        let canonical = WorkingMemory.bytes(forContentBytes: 1000, kind: .json, options: options, isTranscoded: false)
        #expect(canonical == WorkingMemory.sortedJSON.bytes(forContentBytes: 1000))
        #expect(WorkingMemory.bytes(forContentBytes: 1000, kind: .image, options: options, isTranscoded: false) == 0)
    }
}

private enum SourceFolder {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}

/// What MemoryProbe prints.
private struct Measurement {
    var contentBytes: Int
    var workingBytes: Int
    var hasValue: Bool

    init(_ arguments: [String]) throws {
        let process = Process()
        // The executable lies beside the one that runs the tests.
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("MemoryProbe")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let line = String(decoding: bytes, as: UTF8.self)
        let words = line.split(separator: " ")
        contentBytes = try #require(words.first.flatMap { Int($0) }, "\(line)")
        workingBytes = try #require(words.dropFirst(2).first.flatMap { Int($0) }, "\(line)")
        hasValue = words.dropFirst(3).first?.hasPrefix("value") == true
    }
}
