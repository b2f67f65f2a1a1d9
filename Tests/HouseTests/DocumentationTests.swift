import Foundation
import Testing

@testable import Service

/// Compares the documents with the project.
@Suite struct DocumentationTests {
    private static let documents =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
        + Project.files(below: Project.root.appendingPathComponent("docs"), suffix: ".md").map { file in
            String(file.path.dropFirst(Project.root.path.count + 1))
        }

    @Test(arguments: documents)
    func `mentions only make targets that exist`(document: String) throws {
        let makefile = try Project.text("Makefile")
        for match in try Project.text(document).matches(of: /(?:^|`)make ([a-z-]+)/.anchorsMatchLineEndings()) {
            #expect(makefile.contains("\n\(match.1):"), "make \(match.1)")
        }
    }

    @Test(arguments: documents)
    func `links only to files that exist`(document: String) throws {
        let folder = Project.root.appendingPathComponent(document).deletingLastPathComponent()
        for match in try Project.text(document).matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
            let target = folder.appendingPathComponent(String(match.1)).path
            #expect(FileManager.default.fileExists(atPath: target), "\(match.1)")
        }
    }

    @Test(arguments: documents + ["Benchmarks/README.md", "examples/README.md", "deploy/kubernetes/decant.yaml"])
    func `links only to headings that exist`(document: String) throws {
        let folder = Project.root.appendingPathComponent(document).deletingLastPathComponent()
        let text = try Project.text(document)
        for match in text.matches(of: /\]\(([^)#:\s]*)#([^)\s]+)\)/) {
            let target = match.1.isEmpty ? document : String(match.1)
            let file = (match.1.isEmpty ? Project.root : folder).appendingPathComponent(target)
            #expect(try Self.anchors(of: file).contains(String(match.2)), "\(match.0)")
        }
        // Comments of other files name a document of the project.
        for match in text.matches(of: /\s(docs\/[a-z-]+\.md)#([a-z-]+)/) {
            let file = Project.root.appendingPathComponent(String(match.1))
            #expect(try Self.anchors(of: file).contains(String(match.2)), "\(match.0)")
        }
    }

    /// The anchors that a viewer of Markdown makes of the headings in a document: lower case, without punctuation, and
    /// with a hyphen for each space.
    private static func anchors(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).matches(of: /^#+ (.+)$/.anchorsMatchLineEndings()).map { match in
            String(
                match.1.lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" ? $0 : nil }
            )
        }
    }

    /// A reader has only the repository and what `make suites` fetches.
    @Test(arguments: documents + ["Benchmarks/README.md", "examples/README.md", "Makefile"])
    func `names no folder outside the repository`(document: String) throws {
        #expect(try !Project.text(document).contains("../shared"))
    }

    @Test func `the list of decisions contains every page`() throws {
        let list = try Project.text("docs/decisions/README.md")
        for page in Self.documents.filter({ $0.hasPrefix("docs/decisions/0") }) {
            #expect(list.contains("(\(page.dropFirst("docs/decisions/".count)))"), "\(page)")
        }
    }

    @Test func `the image, the packages and the contract have the version of the program`() throws {
        #expect(try Project.text("Dockerfile").contains("\nARG VERSION=\(decantVersion)\n"))
        #expect(try Project.text("debian/changelog").hasPrefix("decant (\(decantVersion)) "))
        #expect(try Project.text("openapi.yaml").contains("\n  version: \(decantVersion)\n"))
        #expect(try Project.text("integrations/spark/pyproject.toml").contains("\nversion = \"\(decantVersion)\"\n"))
    }

    /// Otherwise only `make image` fails, which no test runs.
    @Test func `the image is built with every file that the program contains`() throws {
        let embedded = try Project.text("Sources/CDocuments/CDocuments.c").matches(of: /#embed "..\/..\/([^"]+)"/)
        #expect(!embedded.isEmpty)
        let copied = try Project.text(".dockerignore").split(separator: "\n")
        #expect(embedded.map { "!\($0.1)" }.filter { line in !copied.contains { $0 == line } } == [])
    }

    @Test func `the settings that the file of the package shows exist`() throws {
        let table = try Project.text("docs/options.md")
        let names = try Project.text("debian/decant.conf").matches(of: /DECANT_[A-Z_]+/).map { String($0.0) }
        #expect(!names.isEmpty)
        #expect(names.filter { !table.contains("`\($0)`") } == [])
    }

    @Test func `the license is stated consistently`() throws {
        #expect(
            try Project.text("LICENSE").contains("Apache License\n                           Version 2.0, January 2004")
        )
        #expect(try Project.text("README.md").contains("(LICENSE)"))
        #expect(try Project.text("Dockerfile").contains("org.opencontainers.image.licenses=\"Apache-2.0\""))
        #expect(try Project.text("openapi.yaml").contains("    identifier: Apache-2.0\n"))
    }

    @Test func `no build product is tracked`() throws {
        // `nil` if this is not a git checkout: a release archive contains only tracked files.
        let tracked = Project.output("git", "ls-files") ?? ""
        let written = tracked.split(separator: "\n").filter {
            $0.hasSuffix("Package.resolved") || $0.hasPrefix(".build") || $0.contains("/.build")
        }
        #expect(written == [])
    }
}
