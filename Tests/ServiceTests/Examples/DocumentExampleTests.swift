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
        ["README.md"] + ["access", "calling", "fetching", "images", "page", "running"].map { "docs/\($0).md" }

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
        /// The arguments after `decant serve --try` in the block. If there are any, the service is started again.
        let arguments: [String]
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
            // The service is built and started by the tests.
            let code = block.text.filter { language != .sh || !$0.hasPrefix("make ") && !$0.hasPrefix("decant serve") }
            guard code.contains(where: { !$0.isEmpty }) else { return nil }
            let serve = block.text.first { language == .sh && $0.hasPrefix("decant serve --try ") } ?? ""
            let next = index + 1 < blocks.count ? blocks[index + 1] : nil
            let output = next.flatMap { next in
                let isAdjacent = lines[block.end + 1..<next.start].allSatisfy(\.isEmpty)
                return isAdjacent && ["json", "jsonc", "http", "text"].contains(next.name) ? next.text : nil
            }
            return Example(
                line: block.start + 1,
                language: language,
                code: code.joined(separator: "\n"),
                arguments: serve.split(separator: " ").dropFirst(3).map(String.init),
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
        var (service, address, origin) = try Self.start([])
        defer { service.signal(SIGTERM) }
        func withPorts(_ text: String) -> String {
            text.replacing("127.0.0.1:8080", with: "127.0.0.1:\(address.port)")
                .replacing("127.0.0.1:8081", with: "127.0.0.1:\(origin)")
        }
        let folder = try TemporaryFolder()
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
            if !example.arguments.isEmpty {
                service.signal(SIGTERM)
                (service, address, origin) = try Self.start(example.arguments)
            }
            let file = try folder.write(withPorts(example.code), to: "example.\(language.fileExtension)")
            let result = try Tool.run(
                ["sh", "-c", #"cd "$0" && exec "$@""#, folder.url.path] + language.command + [file],
                environment: ["PATH": (example.output == nil ? "\(strict.url.path):" : "") + "\(programs):\(path)"]
            )
            #expect(result.status == 0, "\(document):\(example.line): \(result.errors)")
            if let output = example.output {
                let isEqual = Self.matches(result.output, withPorts(output))
                #expect(isEqual, "\(document):\(example.line) printed \(result.output)")
            }
        }
    }

    /// Starts the service, and returns it with its address and the port of the examples.
    private static func start(_ arguments: [String]) throws -> (DecantProcess, SocketAddress, String) {
        let service = try DecantProcess(
            ["serve", "--port", "0", "--try", "--workers", "1", "--queue-timeout-seconds", "300"] + arguments
        )
        let address = try service.readyAddress()
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
