import Foundation
import Testing

/// Compares the table of promises in docs/testing.md with the documents and the tests.
@Suite struct PromiseTableTests {
    private static let documents = [
        "README": "README.md", "SECURITY": "SECURITY.md", "docs/images": "docs/images.md",
        "docs/memory": "docs/memory.md", "docs/form": "docs/form.md", "docs/csv": "docs/csv.md",
        "docs/parts": "docs/parts.md", "docs/feed": "docs/feed.md",
        "docs/events": "docs/events.md", "docs/fetching": "docs/fetching.md", "docs/replicas": "docs/replicas.md",
        "docs/page": "docs/page.md", "docs/command-line": "docs/command-line.md", "docs/calling": "docs/calling.md",
        "docs/profiles": "docs/profiles.md", "docs/access": "docs/access.md", "docs/running": "docs/running.md",
        "docs/batch": "docs/batch.md", "docs/sizing": "docs/sizing.md",
        "docs/upgrading": "docs/upgrading.md", "docs/monitoring": "docs/monitoring.md",
    ]

    struct Row: CustomTestStringConvertible, Sendable {
        var document: String
        var promise: String
        var tests: [String]

        var testDescription: String { promise }
    }

    static func rows() throws -> [Row] {
        let text = try Project.text("docs/testing.md").split(separator: "\n## Promises\n").last ?? ""
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: " | ").map { $0.trimming { $0 == "|" || $0 == " " } }
            guard cells.count == 3, documents[cells[0]] != nil else { return nil }
            return Row(
                document: cells[0],
                promise: cells[1],
                tests: cells[2].matches(of: /`([^`]+)`/).map { String($0.1) }
            )
        }
    }

    @Test func `each promise is in its document`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 100 && Set(rows.map(\.document)) == Set(Self.documents.keys))
        for row in rows {
            let text = try Project.text(try #require(Self.documents[row.document]))
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
