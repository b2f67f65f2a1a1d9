import Foundation
import Serialization
import TestSupport
import Testing

@Suite(.needs("json/JSONTestSuite"))
struct JSONTestSuiteTests {
    private static let files = Suites.files(in: "json/JSONTestSuite/test_parsing")

    private static func contents(_ prefix: String) throws -> [(name: String, content: [UInt8])] {
        try files.filter { $0.lastPathComponent.hasPrefix(prefix) }
            .map { ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0))) }
    }

    @Test func `accepts every y_ file`() throws {
        let contents = try Self.contents("y_")
        #expect(contents.count >= 95)
        for (name, content) in contents {
            #expect(refusal(of: content) == nil, "\(name)")
        }
    }

    @Test func `rejects every n_ file`() throws {
        let contents = try Self.contents("n_")
        #expect(contents.count >= 185)
        for (name, content) in contents {
            #expect(refusal(of: content) != nil, "\(name)")
        }
    }

    /// The table at the end of `docs/json.md`.
    @Test func `handles every i_ file as documented`() throws {
        let page = try String(contentsOf: Self.documentation, encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `i_") }
        let documented = Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let cells = row.split(separator: "|").map {
                    $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
                }
                return (cells[0] + ".json", cells[1])
            }
        )
        let contents = try Self.contents("i_")
        #expect(documented.count == contents.count)
        for (name, content) in contents {
            let answer = try #require(documented[name], "\(name)")
            switch Result(catching: { () throws(JSONError) in try read(content) }) {
            case .success(let reading):
                #expect(answer.hasPrefix("accepted"), "\(name)")
                let codes = reading.warnings.map { "`\($0.code)`" }
                #expect(
                    codes
                        == answer.split(separator: ", ").filter { $0.contains("response.") }.map {
                            "`" + $0.trimmingCharacters(in: CharacterSet(charactersIn: "`")) + "`"
                        },
                    "\(name)"
                )
            case .failure(let error):
                switch error.reason {
                case .loneSurrogate: #expect(answer == "json.lone_surrogate", "\(name)")
                case .invalidEncoding: #expect(answer == "json.invalid_encoding", "\(name)")
                default: Issue.record("\(name): \(error)")
                }
            }
        }
    }

    private static let documentation = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/json.md")
}
