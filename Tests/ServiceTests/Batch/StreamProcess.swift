import Foundation
import Testing

/// A process of the built `decant` that a test speaks with.
final class StreamProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let error = Pipe()
    private var received = Data()

    init(_ arguments: String...) throws {
        try start(DecantProcess.executable.path, arguments)
    }

    /// Starts the process with a shell. `"$0"` is the executable.
    init(shell script: String) throws {
        try start("/bin/sh", ["-c", script, DecantProcess.executable.path])
    }

    private func start(_ path: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = [:]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = error
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    func send(_ text: String) { send(Data(text.utf8)) }

    func send(_ bytes: Data) { try? input.fileHandleForWriting.write(contentsOf: bytes) }

    func closeInput() { try? input.fileHandleForWriting.close() }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the next line of standard output.
    func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: 10) {
                let line = received[received.startIndex..<end]
                received = received[(end + 1)...]
                return String(decoding: line, as: UTF8.self)
            }
            try receive()
        }
    }

    /// Waits for `count` bytes of standard output.
    func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count { try receive() }
        let bytes = received.prefix(count)
        received = received.dropFirst(count)
        return Array(bytes)
    }

    private func receive() throws {
        let data = output.fileHandleForReading.availableData
        try #require(!data.isEmpty, "standard output ended after '\(String(decoding: received, as: UTF8.self))'")
        received += data
    }

    /// Waits for the end of standard output.
    func rest() -> String {
        received += (try? output.fileHandleForReading.readToEnd()) ?? Data()
        return String(decoding: received, as: UTF8.self)
    }

    /// Waits for the end of the process.
    /// - Returns: its exit status.
    func finish() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The processes that it has started.
    var children: [Int32] {
        let folder = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.flatMap { thread in
            let text = try? String(contentsOfFile: "\(folder)/\(thread)/children", encoding: .utf8)
            return text?.split(separator: " ").compactMap { Int32($0) } ?? []
        }
    }

    /// All of standard error, after the end of the process.
    var errors: String {
        String(decoding: (try? error.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    }
}
