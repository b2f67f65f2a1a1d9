import Foundation
import Testing

/// A link in a comment (``SymbolLinkTests``) names declarations of the project, so that it does not outlive them.
@Suite struct SymbolLinkTests {
    @Test func `every link names declarations that exist`() throws {
        let files = Project.files(below: Project.root.appendingPathComponent("Sources"), suffix: ".swift")
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        let declared = Set(texts.flatMap(Self.declarations)).union(["init"])
        for (file, text) in zip(files, texts) {
            let missing = Self.links(in: text).filter { !declared.isSuperset(of: $0) }
            #expect(missing == [], "\(file.lastPathComponent)")
        }
    }

    @Test func `a link consists of names, and types, members and cases are declarations`() {
        let text = """
            /// The struct ``Described/read(_:)``, below ``Swift/Span/locate(_:)``.
            struct Head<Name>: Sendable {
                package static let maxBytes = 4
                case one, two(Int)
            }
            """
        #expect(Self.links(in: text) == [["Described", "read"], ["locate"]])
        #expect(Set(Self.declarations(in: text)).isSuperset(of: ["Head", "maxBytes", "one", "two"]))
        #expect(!Self.declarations(in: text).contains("Described"))
    }

    /// Returns the names in each link. Those of the standard library are omitted: `Swift/Span`.
    private static func links(in text: String) -> [[String]] {
        matches(of: "``([^`\n]+)``", in: text).map { link in
            let names = link.components(separatedBy: "/").map { $0.components(separatedBy: "(")[0] }
            return names.first == "Swift" ? Array(names.dropFirst(2)) : names
        }
    }

    /// Returns the names that are declared outside comments, and the words of cases.
    private static func declarations(in text: String) -> [String] {
        let lines = text.components(separatedBy: "\n").filter {
            !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
        }
        let code = lines.joined(separator: "\n")
        let keywords = "struct|class|enum|protocol|typealias|associatedtype|func|var|let"
        let cases = lines.filter { $0.contains("case ") }.joined(separator: "\n")
        return matches(of: "\\b(?:\(keywords)) `?(\\w+)", in: code) + matches(of: "(\\w+)", in: cases)
    }

    /// Returns the first group of each match. `Regex` would take a minute for all sources.
    private static func matches(of pattern: String, in text: String) -> [String] {
        guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
        let whole = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: whole).compactMap { match in
            Range(match.range(at: 1), in: text).map { String(text[$0]) }
        }
    }
}
