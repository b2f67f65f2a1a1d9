package import Glibc

/// A process that this one started, which communicates over a socket and whose standard error is kept.
///
/// Used by one thread. The process is killed at the end of the lifetime of this object.
package final class ChildProcess {
    package let id: pid_t
    /// What the standard streams of the process refer to: memory of a few KiB, so that the process neither reads nor
    /// fills the streams of this one.
    private let lastWords: FileDescriptor
    private var isReaped = false

    /// The maximum length of the output of a process on standard error, in bytes.
    private static let lastWordsBytes = 4 << 10

    /// Starts the program at `executable`, and neither passes the environment of this process nor any of its
    /// descriptors.
    /// - Parameters:
    ///   - arguments: The arguments after the name of the program.
    ///   - environment: Further variables of the environment, each as `NAME=value`.
    ///   - descriptors: The descriptors 3, 4 and so on of the process.
    package init(
        _ executable: String,
        arguments: [String],
        environment: [String] = [],
        descriptors: [Int32]
    ) throws(SystemError) {
        let lastWords = try Sandbox.makeMemory(bytes: Self.lastWordsBytes)
        id = try Sandbox.spawn(
            executable,
            [executable] + arguments,
            // A crash must not start Swift's debugger.
            environment: ["SWIFT_BACKTRACE=enable=no"] + environment,
            descriptors: [lastWords.number, lastWords.number, lastWords.number] + descriptors
        )
        self.lastWords = lastWords
    }

    deinit { end() }

    /// Returns the path of the program `name` in the folder of this program. The folder does not change, even if the
    /// program is replaced while it runs.
    package static func programBeside(_ name: String) -> String {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        // The call writes at most as many bytes as `path` has.
        let count = unsafe path.withUnsafeMutableBytes { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                unsafe text.baseAddress.map { unsafe readlink("/proc/self/exe", $0, text.count) } ?? -1
            }
        }
        let program = path.prefix(max(count, 0))
        let folder = program.prefix(through: program.lastIndex(of: UInt8(ascii: "/")) ?? program.startIndex)
        return String(decoding: folder, as: UTF8.self) + name
    }

    /// Kills the process if it is still running, and waits for its end.
    /// - Returns: how the process ended; `nil` if an earlier call has returned this.
    @discardableResult
    package func end() -> ProcessEnd? {
        guard !isReaped else { return nil }
        isReaped = true
        kill(id, SIGKILL)
        var status: Int32 = 0
        // The process is a child that has not been waited for. The call writes one integer.
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return ProcessEnd(status: status, lastWords: readLastWords())
    }

    private func readLastWords() -> String {
        var bytes = [UInt8](repeating: 0, count: Self.lastWordsBytes)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(lastWords.number, $0.baseAddress, $0.count, 0) }
        let text = bytes.prefix(max(count, 0)).prefix { $0 != 0 }.prefix(ProcessEnd.maxLastWordsBytes)
        // The process may be compromised: its output is reduced to one line without control characters.
        return String(decoding: text.map { 0x20..<0x7F ~= $0 ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
    }
}

package struct ProcessEnd: Equatable, Sendable, CustomStringConvertible {
    /// The status that waitpid(2) returned.
    package var status: Int32
    /// The output of the process on standard error, truncated.
    package var lastWords: String

    package static let maxLastWordsBytes = 300

    package var signal: Int32 { status & 0x7F }

    package var description: String {
        switch signal {
        case 0: "exit status \((status >> 8) & 0xFF)"
        case SIGSYS: "killed for a forbidden system call"
        case SIGKILL: "killed"
        case SIGSEGV: "segmentation fault"
        case SIGABRT: "abort"
        default: "signal \(signal)"
        }
    }
}
