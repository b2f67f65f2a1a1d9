import Foundation

/// The programs that are built with the tests.
public enum BuiltProgram {
    /// The folder of the build products, which contains the executable that runs the tests.
    private static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// Runs a program, and returns its standard output.
    public static func output(of name: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = folder.appending(path: name)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
