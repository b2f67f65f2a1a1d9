import Foundation
import Testing

@testable import HTTP
@testable import Service

/// Runs the commands and programs in documents as they stand against the built service (`decant serve --try`), and
/// compares what they print with the block that follows them. If there is no such block, a response to curl that is a
/// problem is a failure. Those of a document are run in order, in one folder.
///
/// In such a block, `…` stands for any text, white space is ignored, and `//` after two spaces begins a comment.
@Suite struct DocumentExampleTests {
    private static let documents =
        ["README.md"]
        + [
            "access", "calling", "command-line", "fetching", "images", "monitoring", "packages", "page", "profiles",
            "running",
        ].map { "docs/\($0).md" }

    /// The commands that are not executed. `make` builds for minutes. The package needs root: `make test-deb` installs
    /// it, and executes what concerns it. promtool belongs to Prometheus.
    private static let notExecuted = ["make ", "sudo", "journalctl ", "promtool "]

    enum Language: String, CaseIterable {
        case sh, python, javascript, go

        /// The extension of a file with a program.
        var fileExtension: String {
            switch self {
            case .sh: "sh"
            case .python: "py"
            case .javascript: "mjs"
            case .go: "go"
            }
        }

        /// The command that runs a file.
        var command: [String] {
            switch self {
            case .sh: ["sh", "-e"]
            case .python: ["python3"]
            case .javascript: ["node"]
            case .go: ["go", "run"]
            }
        }
    }

    struct Example {
        let line: Int
        let language: Language
        let code: String
        /// The text after `decant serve` in the block. If it has more arguments than `--try`, the service is started
        /// again with them.
        let serve: String?
        /// What it prints; `nil` if the document does not show it.
        let output: String?
    }

    /// Returns the documents with examples in `language`.
    private static func documents(in language: Language) throws -> [String] {
        try documents.filter { document in try examples(in: document).contains { $0.language == language } }
    }

    private static func examples(in document: String) throws -> [Example] {
        let lines = try Contract.text(document).components(separatedBy: "\n")
        var blocks: [(start: Int, end: Int, name: String, text: [String])] = []
        var start: Int?
        for (index, line) in lines.enumerated() where line.hasPrefix("```") {
            if let first = start {
                blocks.append((first, index, String(lines[first].dropFirst(3)), Array(lines[first + 1..<index])))
                start = nil
            } else {
                start = index
            }
        }
        return blocks.indices.compactMap { index in
            let block = blocks[index]
            guard let language = Language(rawValue: block.name) else { return nil }
            // The service is started by the tests.
            let serve = block.text.first { language == .sh && $0.hasPrefix("decant serve") }
            let code = block.text.filter { line in
                language != .sh || line != serve && !notExecuted.contains { line.hasPrefix($0) }
            }
            guard code.contains(where: { !$0.isEmpty }) else { return nil }
            let next = index + 1 < blocks.count ? blocks[index + 1] : nil
            let output = next.flatMap { next in
                let isAdjacent = lines[block.end + 1..<next.start].allSatisfy(\.isEmpty)
                return isAdjacent && ["json", "jsonc", "http", "text"].contains(next.name) ? next.text : nil
            }
            return Example(
                line: block.start + 1,
                language: language,
                code: code.joined(separator: "\n"),
                serve: serve.flatMap { $0.hasPrefix("decant serve --try ") ? String($0.dropFirst(13)) : nil },
                output: output?.joined(separator: "\n")
            )
        }
    }

    @Test func `the documents contain examples in each language`() throws {
        for language in Language.allCases { #expect(try Self.documents(in: language).contains("docs/calling.md")) }
        #expect(try Self.documents(in: .sh) == Self.documents)
    }

    @Test(
        .enabled(if: Tool.isInstalled("curl") && Tool.isInstalled("openssl"), "curl or openssl is not installed"),
        arguments: try documents(in: .sh)
    )
    func `commands print what the document shows`(document: String) throws {
        try run(document, .sh)
    }

    @Test(
        .enabled(if: Tool.isInstalled("python3"), "python3 is not installed"),
        arguments: try documents(in: .python)
    )
    func `programs in Python print what the document shows`(document: String) throws {
        try run(document, .python)
    }

    @Test(
        .enabled(if: Tool.isInstalled("node", running: "-e", "fetch"), "Node 18 or newer is not installed"),
        arguments: try documents(in: .javascript)
    )
    func `programs in JavaScript print what the document shows`(document: String) throws {
        try run(document, .javascript)
    }

    @Test(
        .enabled(if: Tool.isInstalled("go", running: "version"), "Go is not installed"),
        arguments: try documents(in: .go)
    )
    func `programs in Go print what the document shows`(document: String) throws {
        try run(document, .go)
    }

    private func run(_ document: String, _ language: Language) throws {
        let folder = try TemporaryFolder()
        var (service, address, origin) = try Self.start("--try", in: folder)
        defer { if service.isRunning { service.signal(SIGTERM) } }
        func withPorts(_ text: String) -> String {
            text.replacing("127.0.0.1:8080", with: "127.0.0.1:\(address.port)")
                .replacing("127.0.0.1:8081", with: "127.0.0.1:\(origin)")
        }
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "examples"),
            withDestinationURL: Contract.root.appending(path: "examples")
        )
        let strict = try TemporaryFolder()
        let curl = try strict.write("#!/bin/sh\nPATH=${PATH#*:}\nexec curl --fail-with-body \"$@\"\n", to: "curl")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: curl)
        let programs = DecantProcess.executable.deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for example in try Self.examples(in: document) where example.language == language {
            if let serve = example.serve {
                if service.isRunning { service.signal(SIGTERM) }
                (service, address, origin) = try Self.start(serve, in: folder)
            }
            // The log is complete when the service has ended.
            if example.code.contains("decant.log"), service.isRunning {
                service.signal(SIGTERM)
                _ = try service.finish()
            }
            let file = try folder.write(withPorts(example.code), to: "example.\(language.fileExtension)")
            let result = try Tool.run(
                ["sh", "-c", #"cd "$0" && exec "$@""#, folder.url.path] + language.command + [file],
                environment: [
                    "PATH": (example.output == nil ? "\(strict.url.path):" : "") + "\(programs):\(path)",
                    "HOME": folder.url.path,
                ]
            )
            #expect(result.status == 0, "\(document):\(example.line): \(result.errors)")
            if let output = example.output {
                let isEqual = Self.matches(result.output, withPorts(output))
                #expect(isEqual, "\(document):\(example.line) printed \(result.output)")
            }
        }
    }

    /// Starts the service in `folder`, and returns it with its address and the port of the examples, which is not known
    /// if the log is redirected to a file.
    /// - Parameter arguments: the text of a shell after `decant serve`.
    private static func start(
        _ arguments: String,
        in folder: TemporaryFolder
    ) throws -> (DecantProcess, SocketAddress, String) {
        let service = try DecantProcess(
            shell: """
                cd '\(folder.url.path)' &&
                exec "$0" serve --port 0 --workers 1 --queue-timeout-seconds 300 \(arguments)
                """
        )
        let address = try service.readyAddress()
        guard !arguments.contains("2>") else { return (service, address, "8081") }
        return (service, address, try service.awaitError(/fetch\?url=http:\/\/127\.0\.0\.1:(\d+)\/order/))
    }

    /// Whether `output` is the text of a document.
    private static func matches(_ output: String, _ text: String) -> Bool {
        let parts = text.replacing(/[ ]{2,}\/\/ .*/, with: "").filter { !$0.isWhitespace }
            .split(separator: "…", omittingEmptySubsequences: false)
        var rest = output.filter { !$0.isWhitespace }[...]
        for (index, part) in parts.enumerated() where !part.isEmpty {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.hasSuffix(part)
            } else {
                guard let range = rest.range(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
        }
        return parts.last?.isEmpty ?? true || rest.isEmpty
    }
}
