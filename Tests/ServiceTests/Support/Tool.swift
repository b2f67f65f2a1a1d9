import Foundation
import Testing

/// A program of the machine.
enum Tool {
    /// Whether `name` is on the PATH, and ends successfully with `arguments` if there are any.
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
    /// - Parameter environment: additions to the environment of the tests.
    static func run(_ command: [String], environment: [String: String] = [:]) throws -> DecantProcess.Result {
        let process = Process()
        process.executableURL = URL(filePath: try #require(path(command[0])))
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = Contract.root
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files, because a pipe that nobody reads while the other is read could fill.
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
