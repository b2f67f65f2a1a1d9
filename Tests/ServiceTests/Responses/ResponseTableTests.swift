import Foundation
import Serialization
import TestSupport
import Testing

/// What the service makes of more than 600 responses of all formats: those that servers send, and broken ones.
///
/// The tables are in `Tests/Goldens/Responses`. A row is written by hand as its first two columns; `make golden` writes
/// the others, and all rows of `rules.txt`. Every hint is applied, and its result is a part of the row.
@Suite struct ResponseTableTests {
    private static let folder = Contract.root.appending(path: "Tests/Goldens/Responses")

    private static let rules = "rules.txt"

    /// The tables of the suites, which are not in the project.
    private static let suites = ["json5-tests.txt", "gofeed.txt", "rust-plist.txt"]

    private static let written = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        .filter { $0.hasSuffix(".txt") && $0 != rules && !suites.contains($0) }

    @Test(arguments: written)
    func `every response that is written by hand has its outcome`(name: String) throws {
        let lines = try Self.lines(of: name)
        let run = ResponseRun()
        try Self.expect(lines, in: name) { line in try ResponseRow(line: line).map(run.line) ?? line }
    }

    @Test func `every response that rules generate has its outcome`() throws {
        let run = ResponseRun()
        let rows = try ResponseRules.all.flatMap { title, rows in try ["# \(title)"] + rows.map(run.line) + [""] }
        try Self.expect(rows, equal: Self.rules)
    }

    @Test(.needs("json/json5-tests"))
    func `every text of json5-tests has its outcome`() throws {
        try expect("json/json5-tests", in: "json5-tests.txt") { _ in "application/json" }
    }

    @Test(.needs("xml/gofeed"))
    func `every feed of gofeed has its outcome`() throws {
        try expect("xml/gofeed/testdata/parser", in: "gofeed.txt") { $0 == "xml" ? "application/xml" : nil }
    }

    @Test(.needs("plist/rust-plist"))
    func `every property list of rust-plist has its outcome`() throws {
        try expect("plist/rust-plist", in: "rust-plist.txt") { _ in "application/x-plist" }
    }

    /// Compares the outcomes of the files of a suite with a table, which has only their names and digests.
    /// - Parameter type: Returns the media type of the files with an extension; `nil` if they are not sent.
    private func expect(_ suite: String, in table: String, type: (String) -> String?) throws {
        let run = ResponseRun(hidesValues: true)
        let root = Suites.url(suite).path + "/"
        let rows = try Suites.allFiles(in: suite).compactMap { file -> String? in
            guard let type = type(file.pathExtension) else { return nil }
            let row = ResponseRow(type, String(file.path.dropFirst(root.count)))
            let columns = try run.columns(of: row, content: [UInt8](Data(contentsOf: file)))
            return [row.request, row.content, columns].joined(separator: ResponseRow.separator)
        }
        try Self.expect(rows, equal: table)
    }

    @Test(.disabled(if: Contract.writes, "the tables are being written"))
    func `the tables have at least 600 responses and every serializer`() throws {
        let lines = try (Self.written + [Self.rules]).flatMap(Self.lines).filter { ResponseRow(line: $0) != nil }
        #expect(lines.count >= 600)
        for kind in SerializerKind.allCases {
            let hasRow = lines.contains { $0.contains(" | \(kind.rawValue) ") }
            #expect(hasRow, "one of the tables \(Self.written) needs a response for `\(kind.rawValue)`")
        }
    }

    // MARK: Tables

    /// Compares complete lines with a table, or writes them.
    private static func expect(_ rows: [String], equal name: String) throws {
        let lines = Contract.writes ? rows : try lines(of: name)
        #expect(lines.count == rows.count)
        var remaining = rows[...]
        try expect(lines, in: name) { _ in remaining.popFirst() ?? "" }
    }

    private static func lines(of name: String) throws -> [String] {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Compares each line with what `renew` makes of it, or writes it.
    private static func expect(_ lines: [String], in name: String, _ renew: (String) throws -> String) throws {
        let renewed = try lines.map(renew)
        if Contract.writes {
            let text = renewed.joined(separator: "\n") + "\n"
            try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
            return
        }
        for (number, (line, new)) in zip(lines, renewed).enumerated() where line != new {
            Issue.record("\(name):\(number + 1): make golden writes the table\n  expected \(line)\n  found    \(new)")
        }
    }
}
