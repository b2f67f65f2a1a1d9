import Foundation

/// A program of the machine.
enum Tool {
    /// Runs a program on the PATH, and waits for its end.
    /// - Returns: its standard output.
    @discardableResult
    static func run(_ command: String...) throws -> String {
        try run(command)
    }

    @discardableResult
    static func run(_ command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw OriginError.tool(command.joined(separator: " "), output: text)
        }
        return text
    }
}
