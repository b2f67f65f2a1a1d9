/// The failure of a command: sentences for standard error, one per line, and an exit code.
struct CommandFailure: Error, CustomStringConvertible {
    /// Without characters that a terminal executes or hides: the names of files may contain them.
    let description: String
    let status: Int32

    init(_ description: String) { self.init(description, ExitStatus.failed) }

    /// Creates the failure for a flag, a variable, a value, a file or a stream that cannot be used.
    init(usage description: String) { self.init(description, ExitStatus.wrongUsage) }

    private init(_ description: String, _ status: Int32) {
        let lines = description.split(separator: "\n", omittingEmptySubsequences: false)
        self.description = lines.map { TerminalText.escaped(String($0)) }.joined(separator: "\n")
        self.status = status
    }
}

/// The meaning of the exit codes of `decant` other than 0.
enum ExitStatus {
    /// The service could not run, the response was rejected, or the service is not ready.
    static let failed: Int32 = 1

    static let wrongUsage: Int32 = 2
}
