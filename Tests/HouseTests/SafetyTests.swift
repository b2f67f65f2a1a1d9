import Foundation
import Testing

/// Promises of SECURITY.md that the manifest and the container image keep.
@Suite struct SafetyTests {
    private static let modules: [Manifest.Module] = (try? Manifest().sources.filter { !$0.isWrapper }) ?? []

    /// The compiler then rejects each unsafe expression that is not marked.
    @Test(arguments: modules.map(\.name))
    func `a module in Swift is compiled with strict memory safety`(module: String) throws {
        let module = try #require(Self.modules.first { $0.name == module })
        #expect(module.swiftSettings == "strictSettings")
        let manifest = try Project.text("Package.swift")
        #expect(manifest.contains("let strictSettings = swiftSettings + [.strictMemorySafety()]\n"))
    }

    /// Without checks, an overflow would not end the process.
    @Test(arguments: ["Package.swift", "Makefile", "Dockerfile", "scripts/build"])
    func `no build removes the checks of arithmetic`(file: String) throws {
        #expect(try !Project.text(file).contains(/-Ounchecked|unsafeFlags/))
    }

    @Test func `the container image contains only the programs, and runs without rights`() throws {
        let stage = try #require(Project.text("Dockerfile").components(separatedBy: "\nFROM ").last)
        #expect(stage.hasPrefix("scratch\n"))
        #expect(stage.matches(of: /(?m)^(?:COPY|ADD) .*/).map { String($0.0) } == ["COPY --from=build /image/ /"])
        #expect(stage.contains("\nUSER 65532:65532\n") && !stage.contains("\nRUN "))
        // What is copied.
        let script = try Project.text("scripts/image-root")
        #expect(script.contains(#"binaries=("$1/decant" "$1/decant-fetcher" "$1/decant-worker") root=$2"#))
        // The tables of ICU are empty, so libxml2 must not convert encodings.
        #expect(script.contains("empty_tables"))
        #expect(try Project.text("Sources/CXML/CXML.c").contains("XML_PARSE_IGNORE_ENC"))
        let compose = try Project.text("docker-compose.yml")
        #expect(compose.contains("read_only: true\n") && compose.contains("cap_drop: [ALL]\n"))
    }
}
