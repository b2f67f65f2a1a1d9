internal import ArgumentParser
internal import Glibc
internal import Platform

/// The version of the program.
let decantVersion = "0.1.0"

/// Parses the command line, runs the command, and exits with its code.
@main enum Decant {
    static func main() {
        // This comes first: an early signal must not be lost, and threads inherit the mask.
        if !RootCommand.isOtherThanServe(CommandLine.arguments.dropFirst().first) { TerminationSignals.block() }
        do {
            // Swift reads them from /proc. Without it, every flag would be ignored silently.
            guard !CommandLine.arguments.isEmpty else {
                throw CommandFailure("cannot read the command line; is /proc mounted?")
            }
            let arguments = Array(CommandLine.arguments.dropFirst())
            try RootCommand.checkName(arguments.first)
            var command = try RootCommand.parseAsRoot(BooleanFlags.withValues(arguments))
            try command.run()
        } catch {
            exit(reporting: error)
        }
    }

    /// Exits with 0 for help and version, with 2 for wrong usage (for which ArgumentParser uses 64), and otherwise with the code that the command threw.
    private static func exit(reporting error: any Error) -> Never {
        let code = RootCommand.exitCode(for: error)
        let message = RootCommand.fullMessage(for: error)
        if !message.isEmpty {
            print(message, onStandardError: code != .success)
        }
        if let failure = error as? CommandFailure {
            Glibc.exit(failure.status)
        }
        Glibc.exit(code == .validationFailure ? ExitStatus.wrongUsage : code.rawValue)
    }

    /// Prints a message, unless the stream is closed.
    private static func print(_ message: String, onStandardError: Bool) {
        do {
            let stream = try onStandardError ? FileDescriptor.standardError() : FileDescriptor.standardOutput()
            try stream.writeLine(message)
        } catch {
            return
        }
    }
}
