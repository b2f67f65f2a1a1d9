import Foundation
import Testing

/// The main type of each subsystem states its invariant in a paragraph that begins with `**Invariant`, and names the
/// tests that check it.
@Suite struct InvariantTests {
    private static let maxLines = 10

    /// The main types that docs/architecture.md lists.
    private static let mainTypes: [(name: String, file: String)] = {
        let text = (try? Project.text("docs/architecture.md")) ?? ""
        let section = text.components(separatedBy: "\n## Invariants\n").last?.components(separatedBy: "\n## ").first
        return (section ?? "").matches(of: /\[`(\w+)`\]\(\.\.\/(Sources\/[^)]+)\)/).map {
            (String($0.output.1), String($0.output.2))
        }
    }()

    /// The names of the files of tests, which are those of the types in them.
    private static let tests = Set(
        Project.files(below: Project.root.appendingPathComponent("Tests"), suffix: ".swift").map {
            $0.deletingPathExtension().lastPathComponent
        }
    )

    @Test func `docs/architecture.md lists a main type of each module in Swift`() throws {
        #expect(Self.mainTypes.count > 25)
        let modules = Set(Self.mainTypes.map { String($0.file.split(separator: "/")[1]) })
        // `Worker` is the main function of a program, and `Platform` and `Primitives` are collections of small types.
        let others: Set<String> = ["Platform", "Primitives", "Worker"]
        #expect(try modules.union(others) == Set(Manifest().sources.filter { !$0.isWrapper }.map(\.name)))
    }

    @Test(arguments: mainTypes.map(\.file))
    func `a main type states its invariant`(file: String) throws {
        #expect(Self.invariants(in: try Project.text(file)).count == 1)
    }

    @Test func `every invariant has at most ten lines, and names a test`() throws {
        let files = Project.files(below: Project.root.appendingPathComponent("Sources"), suffix: ".swift")
        for file in files {
            for lines in Self.invariants(in: try String(contentsOf: file, encoding: .utf8)) {
                #expect(lines.count <= Self.maxLines, "\(file.lastPathComponent)")
                let names = lines.joined(separator: " ").matches(of: /`(\w+)`/).map { String($0.output.1) }
                #expect(!Self.tests.isDisjoint(with: names), "\(file.lastPathComponent) names no test")
                let missing = names.filter { $0.hasSuffix("Tests") && !Self.tests.contains($0) }
                #expect(missing == [], "\(file.lastPathComponent)")
            }
        }
    }

    @Test func `an invariant is a paragraph of a comment`() {
        let text = """
            /// A type.
            ///
            /// **Invariant.** One.
            /// Two.
            ///
            /// More.
            struct A {}
            /// **Invariant**:
            /// - three
            struct B {}
            """
        #expect(Self.invariants(in: text) == [["**Invariant.** One.", "Two."], ["**Invariant**:", "- three"]])
    }

    /// Returns the lines of each paragraph that states an invariant.
    private static func invariants(in text: String) -> [[String]] {
        let lines = text.split(separator: "\n" as Character, omittingEmptySubsequences: false)
        return lines.indices.filter { lines[$0].contains("/// **Invariant") }.map { start in
            lines[start...].prefix { $0.contains(/^ *\/\/\/ ./) }.map { String($0.drop { " /".contains($0) }) }
        }
    }
}
