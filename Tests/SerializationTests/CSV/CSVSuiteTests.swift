import Foundation
import SerializationSupport
import TestSupport
import Testing

@testable import Serialization

/// Public suites of CSV: csv-spectrum, and the tests of W3C's "CSV on the Web" that have no metadata.
@Suite struct CSVSuiteTests {
    private typealias Record = [String: String]

    private func records(of content: Data) throws -> [Record] {
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: "text/csv")
        var options = SerializationOptions()
        options.view = .value
        let result = serialize(response, content: [UInt8](content), options: options)
        let json = try #require(result.json)
        return try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Record])
    }

    /// The values of `location_coordinates` are not those of its text. The attributes of the repository make the line
    /// ends of files with `crlf` in their names CR LF, but `make suites` copies the bytes of the commit.
    @Test(.needs("csv/csv-spectrum"))
    func `every text of csv-spectrum has its records`() throws {
        let files = Suites.files(in: "csv/csv-spectrum/csvs").filter { !$0.path.hasSuffix("location_coordinates.csv") }
        #expect(files.count == 11)
        for file in files {
            let name = file.deletingPathExtension().lastPathComponent
            let expected = try Data(contentsOf: Suites.url("csv/csv-spectrum/json/\(name).json"))
            let text = try String(contentsOf: file, encoding: .utf8)
            let content = Data((name.hasSuffix("_crlf") ? text.replacing("\n", with: "\r\n") : text).utf8)
            #expect(try records(of: content) == JSONSerialization.jsonObject(with: expected) as? [Record], "\(name)")
        }
    }

    /// An empty cell has no member there.
    @Test(.needs("csv/csvw"))
    func `every table without metadata of the tests of CSV on the Web has its records`() throws {
        var compared = 0
        for test in try Manifest.load().entries where test.action.hasSuffix(".csv") && test.needsOnlyTheTable {
            let found = try records(of: Data(contentsOf: Suites.url("csv/csvw/\(test.action)")))
            let expected = try Data(contentsOf: Suites.url("csv/csvw/\(#require(test.result))"))
            #expect(found.map { $0.filter { $0.value != "" } } == (try Self.rows(in: expected)), "\(test.id)")
            compared += 1
        }
        #expect(compared == 9)
    }

    /// Returns the rows of the standard form, or of the minimal one.
    private static func rows(in json: Data) throws -> [Record]? {
        let value = try JSONSerialization.jsonObject(with: json)
        guard let tables = (value as? [String: Any])?["tables"] as? [[String: Any]] else { return value as? [Record] }
        let rows = tables.flatMap { $0["row"] as? [[String: Any]] ?? [] }
        return rows.flatMap { $0["describes"] as? [Record] ?? [] }
    }

    private struct Manifest: Decodable {
        struct Entry: Decodable {
            var id: String
            var action: String
            var result: String?
            var implicit: [String]?
            var option: Option?

            struct Option: Decodable {
                var metadata: String?
            }

            var needsOnlyTheTable: Bool { implicit == nil && option?.metadata == nil }
        }

        var entries: [Entry]

        static func load() throws -> Manifest {
            try JSONDecoder().decode(Self.self, from: Data(contentsOf: Suites.url("csv/csvw/manifest-json.jsonld")))
        }
    }
}
