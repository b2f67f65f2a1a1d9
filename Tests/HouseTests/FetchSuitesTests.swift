import Foundation
import Testing

/// Runs `scripts/fetch-suites` with a local repository.
@Suite(.enabled(if: Project.output("git", "--version") != nil, "git is not installed"))
struct FetchSuitesTests {
    /// A folder with the script, a table with one suite, and the repository `owner/sample`.
    private struct Workspace: ~Copyable {
        let root: URL
        let commit: String
        /// The digest of the two files that `line` selects.
        static let digest = "10e0c392a0d4903a4a471e6a7bcecdade0a87a61e760dd414762c18c66cdc5f1"

        var suites: URL { root.appending(path: ".suites") }

        init() throws {
            root = FileManager.default.temporaryDirectory.appending(path: "decant-suites-\(UUID().uuidString)")
            let script = root.appending(path: "scripts/fetch-suites")
            try FileManager.default.createDirectory(
                at: script.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try FileManager.default.copyItem(at: Project.root.appending(path: "scripts/fetch-suites"), to: script)
            // Attributes that would change the content of both files.
            let made = Project.output(
                "sh",
                "-c",
                """
                set -e
                git init --quiet "$0/base/owner/sample" && cd "$0/base/owner/sample" && mkdir -p data/folder data/other
                printf 'one\\r\\ntwo\\r\\n' > data/a.txt; printf '$Id$\\n' > data/folder/b.txt; \
                echo three > data/other/c.txt
                printf '* text eol=lf ident\\n*.txt -text\\n' > .gitattributes
                git add . && printf '* text=auto eol=lf ident\\n' > .gitattributes && git add .gitattributes
                git -c user.name=a -c user.email=a@example.org commit --quiet --message one && git rev-parse HEAD
                """,
                root.path
            )
            commit = try #require(made).trimmingCharacters(in: .newlines)
        }

        deinit {
            try? FileManager.default.removeItem(at: root)
        }

        /// Runs the script with a table that contains `lines`.
        func run(_ lines: String..., base: String? = nil, selection: [String] = [], ssh: String = "false") throws -> (
            status: Int32, output: String, errors: String
        ) {
            let table = root.appending(path: "scripts/suites")
            try ("# a comment\n\n" + lines.joined(separator: "\n") + "\n")
                .write(to: table, atomically: true, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            // A group of its own, which a command can kill.
            process.arguments = ["setsid", "--wait", root.appending(path: "scripts/fetch-suites").path] + selection
            process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "SUITES_FOLDER" }.merging([
                "SUITES_BASE": base ?? "file://\(root.path)/base/", "GIT_SSH_COMMAND": ssh,
            ]) { $1 }
            let (output, errors) = (root.appending(path: "output"), root.appending(path: "errors"))
            for file in [output, errors] { try Data().write(to: file) }
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
            process.waitUntilExit()
            return (
                process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
                try String(contentsOf: errors, encoding: .utf8)
            )
        }

        /// A line of the table.
        func line(commit: String? = nil, digest: String = digest, source: String = "data") -> String {
            "json/sample owner/sample \(commit ?? self.commit) \(digest) \(source) a.txt folder/"
        }

        /// The paths of the installed files, and of what a run has left.
        var files: [String] {
            Project.files(below: suites, suffix: "").filter { !$0.hasDirectoryPath }
                .map { String($0.path.dropFirst(suites.path.count + 1)) }
        }

        func content(_ path: String) throws -> Data {
            try Data(contentsOf: suites.appending(path: path))
        }
    }

    @Test func `copies the selected files of a commit byte for byte, and does nothing if they are here`() throws {
        let workspace = try Workspace()
        let first = try workspace.run(workspace.line(), "own/unpublished -")
        #expect(first.status == 0 && first.errors == "")
        #expect(
            first.output == """
                json/sample: owner/sample
                0 suites were present, 1 were fetched, 0 are missing: \(workspace.suites.path)
                No public repository has these files (docs/testing.md): own/unpublished

                """
        )
        #expect(workspace.files == ["json/sample/a.txt", "json/sample/folder/b.txt"])
        #expect(try workspace.content("json/sample/a.txt") == Data("one\r\ntwo\r\n".utf8))
        #expect(try workspace.content("json/sample/folder/b.txt") == Data("$Id$\n".utf8))
        let second = try workspace.run(workspace.line(), base: "file:///nonexistent/")
        #expect(second.status == 0 && second.errors == "")
        #expect(
            second.output == "1 suites were present, 0 were fetched, 0 are missing: \(workspace.suites.path)\n"
        )
        // A changed file is replaced.
        try Data("x".utf8).write(to: workspace.suites.appending(path: "json/sample/a.txt"))
        #expect(try workspace.run(workspace.line()).status == 0)
        #expect(try workspace.content("json/sample/a.txt") == Data("one\r\ntwo\r\n".utf8))
    }

    @Test func `a wrong digest fails, and leaves the installed files`() throws {
        let workspace = try Workspace()
        #expect(try workspace.run(workspace.line()).status == 0)
        let wrong = String(repeating: "0", count: 64)
        let result = try workspace.run(workspace.line(digest: wrong))
        #expect(result.status == 1)
        #expect(
            result.errors == """
                json/sample: its digest is \(Workspace.digest) instead of \(wrong)
                Missing: json/sample

                """
        )
        #expect(workspace.files == ["json/sample/a.txt", "json/sample/folder/b.txt"])
    }

    @Test func `a commit, repository or folder that does not exist fails, and the other suites are fetched`() throws {
        let workspace = try Workspace()
        let commit = String(repeating: "1", count: 40)
        let other = workspace.line().replacing("json/sample owner", with: "xml/other owner")
        let result = try workspace.run(workspace.line(commit: commit), workspace.line(source: "none"), other)
        #expect(result.status == 1)
        let base = "file://\(workspace.root.path)/base/"
        #expect(result.errors.contains("json/sample: commit \(commit) of \(base)owner/sample cannot be fetched\n"))
        #expect(result.errors.contains("json/sample: owner/sample has no none\n"))
        // Its digest contains its path.
        #expect(result.errors.contains("xml/other: its digest is "))
        #expect(result.errors.hasSuffix("Missing: json/sample json/sample xml/other\n"))
        #expect(workspace.files == [])
        let absent = try workspace.run(workspace.line(), base: "file:///nonexistent/")
        #expect(absent.errors.contains("of file:///nonexistent/owner/sample cannot be fetched\n"))
        #expect(absent.status == 1)
    }

    @Test func `a run that was killed installs nothing, and the next one completes`() throws {
        let workspace = try Workspace()
        let killed = try workspace.run(workspace.line(), base: "ssh://example.invalid/", ssh: "kill -KILL 0;")
        #expect(killed.status != 0 && killed.output == "json/sample: owner/sample\n")
        #expect(!workspace.files.isEmpty && workspace.files.allSatisfy { $0.hasPrefix(".incoming.") })
        #expect(try workspace.run(workspace.line()).status == 0)
        #expect(workspace.files == ["json/sample/a.txt", "json/sample/folder/b.txt"])
    }

    @Test(arguments: [
        (["json"], true), (["json/sample/"], true), (["json/sam"], false), (["xml", "json/sample"], true),
    ])
    func `fetches only the selected suites`(selection: [String], isSelected: Bool) throws {
        let workspace = try Workspace()
        let result = try workspace.run(workspace.line(), selection: selection)
        #expect(result.status == (isSelected ? 0 : 1))
        #expect(result.errors == (isSelected ? "" : "scripts/suites has none of: \(selection[0])\n"))
        #expect(workspace.files.isEmpty == !isSelected)
    }

    /// The rows of `scripts/suites`.
    private static let rows = ((try? Project.text("scripts/suites")) ?? "").split(separator: "\n")
        .filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").map(String.init) }

    @Test(arguments: rows)
    func `each suite is pinned and documented`(row: [String]) throws {
        let document = try Project.text("docs/testing.md")
        // Files for measurements are documented by folder.
        let path = row[0].hasPrefix("perf/") ? "perf" : row[0]
        #expect(document.contains("| `\(path)` |"))
        if row[1] != "-" {
            #expect(row[2].wholeMatch(of: /[0-9a-f]{40}/) != nil && row[3].wholeMatch(of: /[0-9a-f]{64}/) != nil)
            #expect(document.contains("[\(row[1])](https://github.com/\(row[1])/tree/\(row[2]))"))
        }
    }
}
