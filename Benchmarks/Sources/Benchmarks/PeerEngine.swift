import Foundation

/// A peer in a process of its own, which is asked for one turn after the other and holds the files in memory.
///
/// A question is a line: `whole` or `each`, the length of the turn in seconds, the path. The answer is a line: seconds
/// of the best pass and of the median one; or `-` where the peer refuses the file.
final class PeerEngine: Engine {
    let name: String
    private let process = Process()
    private let questions = Pipe()
    private let answers = Pipe()
    private var isRunning: Bool

    /// - Parameter command: a peer that is not on this machine ends at once, without an answer.
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

    /// The next line without its end; nil where the peer has ended.
    private func readLine() -> String? {
        var line: [UInt8] = []
        while let byte = try? answers.fileHandleForReading.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
