import Foundation
import Testing

/// Compares the table of promises in docs/testing.md with the documents and the tests.
@Suite struct PromiseTableTests {
    struct Row: CustomTestStringConvertible, Sendable {
        /// The path without `.md`.
        var document: String
        var promise: String
        var tests: [String]

        var testDescription: String { promise }
    }

    static func rows() throws -> [Row] {
        let text = try Project.text("docs/testing.md").split(separator: "\n## Promises\n").last ?? ""
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: " | ").map { $0.trimming { $0 == "|" || $0 == " " } }
            guard cells.count == 3, cells[2].hasPrefix("`") else { return nil }
            return Row(
                document: cells[0],
                promise: cells[1],
                tests: cells[2].matches(of: /`([^`]+)`/).map { String($0.1) }
            )
        }
    }

    @Test func `each promise is in its document`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 250)
        for row in rows {
            let text = try Project.text("\(row.document).md")
            let words = text.replacing("](docs/", with: "](").split { $0.isWhitespace }.joined(separator: " ")
            #expect(words.contains(row.promise), "\(row.document): \(row.promise)")
        }
    }

    @Test func `each promise has tests, all of which exist`() throws {
        var files: [String: String] = [:]
        let folder = Project.root.appendingPathComponent("Tests")
        for file in Project.files(below: folder, suffix: "Tests.swift") {
            files[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        for row in try Self.rows() {
            #expect(!row.tests.isEmpty, "\(row.promise)")
            for test in row.tests {
                let parts = test.split(separator: "/", maxSplits: 1).map(String.init)
                #expect(files[parts[0]]?.contains("func `\(parts.last ?? "")`(") ?? false, "\(test)")
            }
        }
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        String(drop(while: isTrimmed).reversed().drop(while: isTrimmed).reversed())
    }
}
