internal import CFaults
internal import Glibc
internal import Platform

/// Enters the sandbox of a fetcher, and makes one system call, for tests of the sandbox. It is not part of the service.
///
/// Its arguments are a folder whose files may be read, and a fault of `CFaults`. It prints the parts of the sandbox
/// that are in effect, the result of the call, and errno.
@main enum SandboxProbe {
    static func main() {
        guard CommandLine.arguments.count == 3 else { exit(1) }
        let parts = Sandbox.enterNetwork(
            .all.subtracting(.parentBound),
            readablePaths: [CommandLine.arguments[1], "/nonexistent"],
            addressBytes: 512 << 20,
            files: 16
        )
        errno = 0
        let result = unsafe cfaults_try(CommandLine.arguments[2])
        let text = "\(parts.rawValue) \(min(result, 0)) \(errno)\n"
        _ = unsafe write(1, text, text.utf8.count)
        _exit(0)
    }
}
