import Foundation
import Glibc
import Platform
import Testing

/// The sandbox of the fetcher, which a compromised library would have to leave.
@Suite struct SandboxTests {
    private struct Outcome: Equatable {
        /// The signal that killed the process; 0 if it was not killed.
        var signal: Int32 = 0
        var result = 0
        var error: Int32 = 0
    }

    private static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("SandboxProbe")

    private func attempt(_ call: String, readable: String = "/nonexistent") throws -> Outcome {
        let process = Process()
        let output = Pipe()
        process.executableURL = Self.executable
        process.arguments = [readable, call]
        process.standardOutput = output
        try process.run()
        let words = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        process.waitUntilExit()
        if process.terminationReason == .uncaughtSignal { return Outcome(signal: process.terminationStatus) }
        try #require(words.count == 3, "\(words), status \(process.terminationStatus)")
        #expect(words[0] == "\(SandboxParts.all.subtracting(.parentBound).rawValue)", "all parts are in effect")
        return Outcome(result: Int(words[1]) ?? 1, error: Int32(words[2]) ?? 0)
    }

    @Test(arguments: ["execve", "clone", "ptrace", "listen", "accept", "process-vm"])
    func `a call that no library makes kills the process`(call: String) throws {
        #expect(try attempt(call) == Outcome(signal: SIGSYS))
    }

    @Test(arguments: [
        "bind", "socket-unix", "socket-netlink", "socket-raw", "openat-write", "mprotect", "mmap-exec", "kill-parent",
        "io_uring", "setpriority", "capset", "chown", "getppid", "unlink", "fcntl-owner",
    ])
    func `a call that is not listed fails`(call: String) throws {
        #expect(try attempt(call) == Outcome(result: -1, error: EPERM))
    }

    @Test(arguments: ["socket", "socket-datagram", "fcntl-flags"])
    func `sockets of IP can be opened and configured`(call: String) throws {
        #expect(try attempt(call) == Outcome())
    }

    @Test func `only files below the given folders can be read`() throws {
        #expect(try attempt("openat") == Outcome(result: -1, error: EACCES))
        #expect(try attempt("openat", readable: "/usr") == Outcome(result: -1, error: EACCES))
        #expect(try attempt("openat", readable: "/etc") == Outcome())
        #expect(try attempt("openat", readable: "/etc/passwd") == Outcome())
    }
}
