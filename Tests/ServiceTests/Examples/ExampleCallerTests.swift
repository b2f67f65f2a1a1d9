import Foundation
import Testing

@testable import HTTP
@testable import Service

/// Runs each caller in `examples` against the built service, if its tool is installed.
@Suite struct ExampleCallerTests {
    /// The output of every caller.
    private static let output = """
        JSON: Ann has 2 tags, nulls dropped: 1
        XML: items: 1, the first is One
        image: 480x640, thumbnails: 48x64, 32x32
        error: upstream-status (response.unacceptable_status, json.unexpected_end), at byte 10: try again later
        content: json.unexpected_character: tell the upstream; with lenient=trailing-commas: 2 elements
        envelope: response.unacceptable_status, value: no such user: handle the status 404
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
