/// The failure of a command: a sentence for standard error, and an exit code.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String
    var status: Int32

    init(_ description: String) {
        self.description = description
        status = ExitStatus.failed
    }

    /// Creates the failure for a flag, a variable, a value or a file that cannot be used.
    init(usage description: String) {
        self.description = description
        status = ExitStatus.wrongUsage
    }
}

/// The meaning of the exit codes of `decant` other than 0.
enum ExitStatus {
    /// The service could not run, the response was rejected, or the service is not ready.
    static let failed: Int32 = 1

    static let wrongUsage: Int32 = 2
}
