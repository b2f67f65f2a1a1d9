import Foundation
import Testing

@testable import Service

/// Tests `make install` with the program that the build has produced.
@Suite struct InstallTests {
    @Test func `installs the programs without symbols, the manual page, the licenses and the completions`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "decant-install-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = Project.products.appending(path: "decant").path
        let output = Project.output(
            "make",
            "--no-print-directory",
            "install",
            "PREFIX=/opt/decant",
            "DESTDIR=\(folder.path)",
            "BINARY=\(program)"
        )
        #expect(output == "")
        let root = folder.appending(path: "opt/decant")
        let files = Project.files(below: root, suffix: "").filter { !$0.hasDirectoryPath }
        #expect(
            files.map { String($0.path.dropFirst(root.path.count + 1)) } == [
                "bin/decant", "bin/decant-fetcher", "bin/decant-worker", "share/bash-completion/completions/decant",
                "share/doc/decant/LICENSE", "share/doc/decant/LICENSE-WHATWG",
                "share/fish/vendor_completions.d/decant.fish",
                "share/man/man1/decant.1", "share/zsh/site-functions/_decant",
            ]
        )
        #expect(Project.output(root.appending(path: "bin/decant").path, "--version") == "\(decantVersion)\n")
        for (name, source) in [("LICENSE", "LICENSE"), ("LICENSE-WHATWG", "Sources/CCharsets/LICENSE")] {
            let installed = try String(contentsOf: root.appending(path: "share/doc/decant/\(name)"), encoding: .utf8)
            #expect(installed == (try Project.text(source)))
        }
        for name in ["decant", "decant-fetcher", "decant-worker"] {
            let sections = Project.output("readelf", "-S", "-W", root.appending(path: "bin/\(name)").path)
            #expect(sections?.contains(".dynsym") == true)
            #expect(sections?.contains(".symtab") == false)
            #expect(sections?.contains(".debug_info") == false)
        }
    }

    @Test(.enabled(if: Project.output("groff", "--version") != nil, "groff is not installed"))
    func `groff formats the manual page without a warning`() throws {
        let page = Project.root.appending(path: "docs/decant.1").path
        #expect(Project.output("sh", "-c", "groff -man -Tutf8 -ww '\(page)' 2>&1 >/dev/null") == "")
    }
}
