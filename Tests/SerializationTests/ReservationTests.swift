import Foundation
import TestSupport
import Testing

@testable import Serialization

/// Checks the reservations of the serializers against generated documents, each of which is serialized in a separate
/// process.
@Suite struct ReservationTests {
    /// A family of documents with options, and the serializer that reads it.
    struct Search: CustomTestStringConvertible, Sendable {
        var kind: SerializerKind
        var family: String
        var options: [String] = []

        var testDescription: String { ([family] + options).joined(separator: " ") }
    }

    static let searches = [
        Search(kind: .json, family: "json"),
        Search(kind: .json, family: "json", options: ["duplicates=first"]),
        Search(kind: .json, family: "records"),
        Search(kind: .json, family: "wide"),
        Search(kind: .json, family: "single-byte"),
        Search(kind: .json, family: "multi-byte"),
        Search(kind: .json, family: "json", options: ["keys=sorted"]),
        Search(kind: .json, family: "json", options: ["canonical=true"]),
        Search(kind: .json, family: "single-byte", options: ["keys=sorted"]),
        Search(kind: .json, family: "lenient", options: ["lenient"]),
        Search(kind: .json, family: "lenient", options: ["lenient", "keys=sorted"]),
        Search(kind: .json, family: "repaired-json", options: ["lenient", "surrogates=replace"]),
        Search(kind: .json, family: "repaired-json", options: ["lenient", "surrogates=replace", "keys=sorted"]),
        Search(kind: .json, family: "repaired-json", options: ["lenient=single-quotes"]),
        Search(kind: .xml, family: "repaired-xml", options: ["lenient"]),
        Search(kind: .xmlDocument, family: "repaired-xml", options: ["lenient", "xml-document"]),
        Search(kind: .http, family: "raw", options: ["http"]),
        Search(kind: .http, family: "single-byte", options: ["http"]),
        Search(kind: .form, family: "form"),
        Search(kind: .csv, family: "csv"),
        Search(kind: .csv, family: "csv", options: ["csv-header=absent", "hints=true"]),
        Search(kind: .events, family: "events"),
        Search(kind: .events, family: "events", options: ["events-data=json"]),
        Search(kind: .feed, family: "feed", options: ["feed"]),
        Search(kind: .plist, family: "plist-binary"),
        Search(kind: .plist, family: "plist-binary", options: ["archive=resolve"]),
        Search(kind: .plist, family: "plist-binary", options: ["hints=true"]),
        Search(kind: .plist, family: "plist-text"),
        Search(kind: .plist, family: "plist-text", options: ["archive=resolve"]),
        Search(kind: .plist, family: "plist-xml"),
        Search(kind: .plist, family: "plist-xml", options: ["archive=resolve"]),
        Search(kind: .xml, family: "xml"),
        Search(kind: .xmlDocument, family: "xml", options: ["xml-document"]),
        Search(kind: .xml, family: "xml", options: ["hints=true"]),
        Search(kind: .xml, family: "xml", options: ["xml-names=clark"]),
    ]

    private static let contentBytes = 128 << 10
    private static let seeds = 0..<UInt64(6)

    @Test(arguments: searches)
    func `no generated document needs more memory than reserved and taken`(search: Search) throws {
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

    /// Workers decode images, in memory of their own.
    @Test func `every serializer has a search`() {
        let missing = Set(SerializerKind.allCases).subtracting([.image]).subtracting(Self.searches.map(\.kind))
        #expect(missing == [], "add a family of documents to Tests/MemoryProbe, and a row to ReservationTests.searches")
    }

    @Test func `the documentation has the same table as the code`() throws {
        let document = SourceFolder.root.appendingPathComponent("docs/memory.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("Reservations") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for kind in SerializerKind.allCases {
            let reservation = kind.serializer.reservation
            let constant = reservation.constantBytes
            let size = constant >= 1 << 20 ? "\(constant >> 20) MiB" : "\(Double(constant) / 1024) KiB"
            let numbers = " | \(reservation.perByte) | \(size.replacing(".0 ", with: " ")) |"
            #expect(
                rows.contains { $0.contains("`\(kind.rawValue)`") && $0.contains(numbers) },
                "docs/memory.md, section Reservations, needs a row for `\(kind.rawValue)` with\(numbers)"
            )
        }
    }

    @Test func `a reservation that overflows is the largest number`() {
        #expect(XMLSerializer.reservation.bytes(forContentBytes: .max) == .max)
        #expect(RawSerializer.reservation.bytes(forContentBytes: 0) == 512 << 10)
        #expect(XMLSerializer.reservation.bytes(forContentBytes: 1_000) == 4_500 + 1 << 20)
        #expect(ImageSerializer.reservation.bytes(forContentBytes: .max) == 2_560)
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
