import Foundation
import Testing

@testable import HTTP
@testable import Service

/// A process of the built `decant`.
final class DecantProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// - Parameter arguments: the arguments after `decant`.
    /// - Parameter environment: the complete environment of the process.
    init(_ arguments: [String], environment: [String: String] = [:], input: String = "") throws {
        try start(Self.executable.path, arguments, environment, input)
    }

    /// Starts the process with a shell, which can redirect streams in ways that this class cannot. `"$0"` is the
    /// executable.
    init(shell script: String) throws {
        try start("/bin/sh", ["-c", script, Self.executable.path], ["PATH": "/usr/bin:/bin"], "")
    }

    /// Starts the process with `stream` as its standard output and standard error.
    init(_ arguments: [String], writingTo stream: FileHandle) throws {
        try start(Self.executable.path, arguments, [:], "", stream)
    }

    private func start(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ input: String,
        _ stream: FileHandle? = nil
    ) throws {
        let standardInput = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = standardInput
        process.standardOutput = stream ?? output
        process.standardError = stream ?? errors
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The executable, which is next to the one that runs the tests.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("decant")

    /// The output of a command, and its exit status.
    struct Result: Equatable {
        var status: Int32
        var output: String
        var errors: String
    }

    static func run(_ arguments: String..., environment: [String: String] = [:], input: String = "") throws -> Result {
        try DecantProcess(arguments, environment: environment, input: input).finish()
    }

    /// Waits for the end of the process.
    func finish() throws -> Result {
        let output = try output.fileHandleForReading.readToEnd() ?? Data()
        let errors = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self)
        )
    }

    // MARK: A service

    /// Starts a service on a free port and waits until it is ready.
    static func serving(_ arguments: String...) throws -> (process: DecantProcess, address: SocketAddress) {
        let service = try DecantProcess(["serve", "--port", "0"] + arguments)
        return (service, try service.readyAddress())
    }

    /// Waits for the ready line, and returns the address in it.
    func readyAddress() throws -> SocketAddress {
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let match = try #require(line.wholeMatch(of: /decant (\S+) ready at http:\/\/127\.0\.0\.1:(\d+)\n/))
        try #require(match.1 == decantVersion)
        let port = try #require(UInt16(match.2))
        return try SocketAddress(parsing: "127.0.0.1", port: port)
    }

    /// Reads standard error until it contains `pattern`, and returns the text of the first capture.
    func awaitError(_ pattern: Regex<(Substring, Substring)>) throws -> String {
        var text = ""
        while true {
            let data = errors.fileHandleForReading.availableData
            try #require(!data.isEmpty, "standard error ended: \(text)")
            text += String(decoding: data, as: UTF8.self)
            if let match = text.firstMatch(of: pattern) { return String(match.1) }
        }
    }

    var isRunning: Bool { process.isRunning }

    /// The exit status, or the number of the signal that ended it.
    var status: Int32 { process.terminationStatus }

    /// Whether a thread of the process blocks `signal`. The main thread does so only while it does not wait for it.
    func blocks(_ signal: Int32) -> Bool {
        let folder = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.contains { thread in
            let text = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
            let digits = text?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }?.dropFirst(8)
            return digits.flatMap { UInt64($0, radix: 16) }.map { $0 >> UInt64(signal - 1) & 1 == 1 } ?? false
        }
    }

    /// Returns the files of its open descriptors: `socket:[123]`, `/dev/null`.
    func files() throws -> [Int: String] {
        let folder = "/proc/\(process.processIdentifier)/fd"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return names.reduce(into: [:]) { files, name in
            guard let number = Int(name) else { return }
            files[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        }
    }

    /// Returns the number of its open descriptors.
    func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
    }

    /// Returns the number of the next descriptor that it opens.
    func nextDescriptor() throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd")
        let open = Set(names.compactMap { Int($0) })
        return (0...).first { !open.contains($0) } ?? 0
    }

    /// Returns its processor time in clock ticks of 10 ms (proc(5), utime and stime).
    func processorTicks() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }

    static let hasPrlimit = FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit")

    func limitOpenFiles(to count: Int) throws {
        let prlimit = Process()
        prlimit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        prlimit.arguments = ["--pid", "\(process.processIdentifier)", "--nofile=\(count):"]
        try prlimit.run()
        prlimit.waitUntilExit()
    }

    var processIdentifier: Int32 { process.processIdentifier }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }
}
