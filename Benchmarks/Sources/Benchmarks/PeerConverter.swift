import Foundation

/// A peer in a separate process, which keeps the files in memory and measures one turn per request.
///
/// A request is a line: `whole` or `each`, the duration of the turn in seconds, and the path. The response is a line:
/// the seconds of the best pass and of the median pass, or `-` if the peer rejects the file.
final class PeerConverter: Converter {
    let name: String
    private let process = Process()
    private let questions = Pipe()
    private let answers = Pipe()
    private var isRunning: Bool

    /// - Parameter command: the command of the peer. A peer that is not installed ends without a response.
    init(_ name: String, _ command: [String]) throws {
        self.name = name
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = questions
        process.standardOutput = answers
        process.standardError = FileHandle.nullDevice
        signal(SIGPIPE, SIG_IGN)
        try process.run()
        isRunning = true
    }

    deinit {
        try? questions.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func measure(_ file: BenchmarkFile, seconds: Double) -> Sample? {
        guard isRunning else { return nil }
        let question = "\(file.unit.rawValue) \(seconds) \(file.url.path)\n"
        do {
            try questions.fileHandleForWriting.write(contentsOf: Data(question.utf8))
        } catch {
            isRunning = false
            return nil
        }
        guard let answer = readLine() else {
            isRunning = false
            return nil
        }
        let numbers = answer.split(separator: " ").compactMap { Double($0) }
        return numbers.count == 2 ? Sample(best: numbers[0], median: numbers[1]) : nil
    }

    /// Returns the next line without its line feed; `nil` if the peer has ended.
    private func readLine() -> String? {
        var line: [UInt8] = []
        while let byte = try? answers.fileHandleForReading.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
