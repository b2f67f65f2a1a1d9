import Foundation
import Testing

/// Compares the modules in `docs/architecture.md` with those that `Package.swift` declares. `make golden` writes them.
@Suite struct ModuleTableGoldenTests {
    private static let document = "docs/architecture.md"

    @Test func `the table of modules agrees with Package.swift`() throws {
        let text = try Project.text(Self.document)
        let part = /(?<begin><!-- BEGIN GENERATED modules -->\n)(?s:.*?)(?<end><!-- END GENERATED -->)/
        let table = try Self.table(Manifest())
        #expect(text.contains(part))
        let renewed = text.replacing(part) { "\($0.begin)\(table)\n\($0.end)" }
        if ProcessInfo.processInfo.environment["DECANT_WRITE_GOLDENS"] == "1" {
            try renewed.write(to: Project.root.appendingPathComponent(Self.document), atomically: true, encoding: .utf8)
        } else {
            #expect(text == renewed, "make golden writes \(Self.document)")
        }
    }

    @Test func `each module of Sources has a summary`() throws {
        #expect(try Manifest().sources.filter { $0.summary.isEmpty }.map(\.name) == [])
    }

    /// Modules in Swift before the wrappers in C; among the former, each one before those that it imports.
    private static func table(_ manifest: Manifest) -> String {
        let sources = manifest.sources
        let ordered =
            sources.filter { !$0.isWrapper }.sorted { (height($0, sources), $1.name) > (height($1, sources), $0.name) }
            + sources.filter(\.isWrapper)
        let rows = ordered.map { module in
            let imported = module.dependencies.map { "`\($0)`" } + module.libraries.map { "lib\($0)" }
            return "| `\(module.name)` | \(module.summary) | \(imported.joined(separator: ", ")) |"
        }
        return (["| module | content | may import, or is linked with |", "|---|---|---|"] + rows).joined(
            separator: "\n"
        )
    }

    /// The length of the longest path of imports below `module`.
    private static func height(_ module: Manifest.Module, _ all: [Manifest.Module]) -> Int {
        let below = all.filter { module.dependencies.contains($0.name) && !$0.isWrapper }
        return 1 + (below.map { height($0, all) }.max() ?? 0)
    }
}
