import Foundation
import Testing

@testable import Service

/// Runs each caller in `examples` against the built service, if its tool is installed.
@Suite struct ExampleCallerTests {
    /// The output of every caller.
    private static let output = """
        JSON: Ann has 2 tags, nulls dropped: 1
        XML: items: 1, the first is One
        image: 480x640, thumbnails: 48x64, 32x32
        error: 422 at byte 10, chain: json.unexpected_end, response.unacceptable_status
        envelope: response.unacceptable_status, value: no such user
        thumbnail: image/png of an image of 480x640, is PNG: true

        """

    @Test(.enabled(if: Tool.isInstalled("python3"), "python3 is not installed"))
    func `a caller in Python`() throws {
        try expectOutput("python3", "examples/caller.py")
    }

    @Test(.enabled(if: Tool.isInstalled("node", running: "-e", "fetch"), "Node 18 or newer is not installed"))
    func `a caller in Node`() throws {
        try expectOutput("node", "examples/caller.mjs")
    }

    @Test(.enabled(if: Tool.isInstalled("go", running: "version"), "Go is not installed"))
    func `a caller in Go`() throws {
        try expectOutput("go", "run", "examples/caller.go")
    }

    @Test(.enabled(if: Tool.isInstalled("swiftc"), "swiftc is not on the PATH"))
    func `a caller in Swift`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "decant-example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appending(path: "caller").path
        let compilation = try Tool.run("swiftc", "examples/caller.swift", "-o", program)
        #expect(compilation == .init(status: 0, output: "", errors: ""))
        try expectOutput(program)
    }

    private static let generated = Contract.root.appending(path: ".build/clients")
    private static let python = generated.appending(path: "venv/bin/python").path

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: python)
                && FileManager.default.fileExists(atPath: generated.appending(path: "python/decant_client").path),
            "make clients has not generated the client"
        )
    )
    func `a caller that uses the client generated in Python`() throws {
        let path = Self.generated.appending(path: "python").path
        try expectOutput(Self.python, "examples/generated/caller.py", environment: ["PYTHONPATH": path])
    }

    private func expectOutput(_ command: String..., environment: [String: String] = [:]) throws {
        let (service, address) = try DecantProcess.serving()
        defer { service.signal(SIGTERM) }
        let url = "http://127.0.0.1:\(address.port)"
        let result = try Tool.run(command, environment: environment.merging(["DECANT_URL": url]) { $1 })
        #expect(result == .init(status: 0, output: Self.output, errors: ""))
    }
}

/// A program that is installed on this machine.
private enum Tool {
    /// Returns whether `name` is on the PATH, and ends successfully with `arguments` if there are any.
    static func isInstalled(_ name: String, running arguments: String...) -> Bool {
        guard path(name) != nil else { return false }
        return arguments.isEmpty || (try? run([name] + arguments))?.status == 0
    }

    private static func path(_ name: String) -> String? {
        if name.hasPrefix("/") { return name }
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static func run(_ command: String...) throws -> DecantProcess.Result {
        try run(command)
    }

    /// Runs a command in the project's root.
    /// - Parameter environment: variables that are added to the environment of the tests.
    static func run(_ command: [String], environment: [String: String] = [:]) throws -> DecantProcess.Result {
        let process = Process()
        process.executableURL = URL(filePath: try #require(path(command[0])))
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = Contract.root
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // A file for the errors, because a second pipe could fill while the first one is read.
        let (output, errors) = (Pipe(), FileManager.default.temporaryDirectory.appending(path: UUID().uuidString))
        try Data().write(to: errors)
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return DecantProcess.Result(
            status: process.terminationStatus,
            output: String(decoding: text, as: UTF8.self),
            errors: try String(contentsOf: errors, encoding: .utf8)
        )
    }
}
