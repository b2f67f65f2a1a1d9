import Foundation
import Serialization
import TestSupport
import Testing

/// Checks the working memory against generated documents, each of which is serialized in a separate process.
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
        Search(row: .json, family: "wide"),
        Search(row: .json, family: "single-byte"),
        Search(row: .json, family: "multi-byte"),
        Search(row: .sortedJSON, family: "json", options: ["keys=sorted"]),
        Search(row: .sortedJSON, family: "json", options: ["canonical=true"]),
        Search(row: .sortedJSON, family: "single-byte", options: ["keys=sorted"]),
        Search(row: .lenientJSON, family: "lenient", options: ["lenient"]),
        Search(row: .raw, family: "raw", options: ["http"]),
        Search(row: .raw, family: "single-byte", options: ["http"]),
        Search(row: .raw, family: "form"),
        Search(row: .propertyList, family: "plist-binary"),
        Search(row: .propertyList, family: "plist-binary", options: ["archive=resolve"]),
        Search(row: .propertyList, family: "plist-binary", options: ["hints=true"]),
        Search(row: .propertyList, family: "plist-text"),
        Search(row: .propertyList, family: "plist-text", options: ["archive=resolve"]),
        Search(row: .propertyList, family: "plist-xml"),
        Search(row: .propertyList, family: "plist-xml", options: ["archive=resolve"]),
        Search(row: .xml, family: "xml"),
        Search(row: .xml, family: "xml", options: ["xml-document"]),
        Search(row: .xml, family: "xml", options: ["hints=true"]),
        Search(row: .clarkXML, family: "xml", options: ["xml-names=clark"]),
    ]

    private static let contentBytes = 128 << 10
    private static let seeds = 0..<UInt64(6)

    @Test(arguments: searches)
    func `no generated document needs more memory than reserved and granted`(search: Search) throws {
        var measured = 0
        for seed in Self.seeds {
            let arguments = [search.family, "\(seed)", "\(Self.contentBytes)"] + search.options
            let measurement = try Measurement(arguments)
            guard measurement.hasValue else { continue }
            measured += 1
            #expect(
                measurement.peakBytes <= measurement.accountedBytes,
                "MemoryProbe \(arguments.joined(separator: " "))"
            )
        }
        #expect(measured > 0)
    }

    @Test(arguments: WorkingMemory.allCases)
    func `every row has a search`(row: WorkingMemory) {
        #expect(Self.searches.contains { $0.row == row })
    }

    @Test func `the documentation has the same table as the code`() throws {
        let document = SourceFolder.root.appendingPathComponent("docs/memory.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("Reservations") })
        let lines = section.split(separator: "\n")
        for row in WorkingMemory.allCases {
            let factor = "\(row.tenthsPerByte / 10).\(row.tenthsPerByte % 10)"
            #expect(
                lines.contains { $0.hasPrefix("| \(row.rawValue) | \(factor) |") },
                "| \(row.rawValue) | \(factor) |"
            )
        }
        #expect(
            lines.prefix { !$0.hasPrefix("Three kinds") }.count { $0.hasPrefix("| ") } == WorkingMemory.allCases.count
                + 2
        )
    }

    @Test func `a bound that overflows is the largest number`() {
        #expect(WorkingMemory.xml.bytes(forContentBytes: .max) == .max)
        #expect(WorkingMemory.raw.bytes(forContentBytes: 0) == WorkingMemory.raw.constantBytes)
    }
}

private enum SourceFolder {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}

/// The output of MemoryProbe.
private struct Measurement {
    var contentBytes: Int
    var peakBytes: Int
    var accountedBytes: Int
    var hasValue: Bool

    init(_ arguments: [String]) throws {
        let line = try BuiltProgram.output(of: "MemoryProbe", arguments)
        let words = line.split(separator: " ")
        contentBytes = try #require(words.first.flatMap { Int($0) }, "\(line)")
        peakBytes = try #require(words.dropFirst(2).first.flatMap { Int($0) }, "\(line)")
        accountedBytes = try #require(words.dropFirst(3).first.flatMap { Int($0) }, "\(line)")
        hasValue = words.dropFirst(4).first?.hasPrefix("value") == true
    }
}
