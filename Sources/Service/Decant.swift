internal import ArgumentParser
internal import Glibc
internal import Platform

/// The version of the program.
let decantVersion = "0.1.0"

/// Parses the command line, runs the command, and exits with its code.
@main enum Decant {
    static func main() {
        // This comes first: an early signal must not be lost, and threads inherit the mask.
        let serves = !RootCommand.isOtherThanServe(CommandLine.arguments.dropFirst().first)
        if serves { TerminationSignals.block() }
        // A service needs no standard stream. A command whose output is lost fails.
        FileDescriptor.fillStandardStreams(isUsable: serves)
        do {
            // Swift reads them from /proc. Without it, every flag would be ignored silently.
            guard !CommandLine.arguments.isEmpty else {
                throw CommandFailure("cannot read the command line; is /proc mounted?")
            }
            let arguments = Array(CommandLine.arguments.dropFirst())
            try checkEncoding(of: arguments)
            guard !arguments.isEmpty else { return try printExamples() }
            try RootCommand.checkName(arguments.first)
            var command = try RootCommand.parseAsRoot(BooleanFlags.withValues(arguments))
            try command.run()
        } catch { exit(reporting: error) }
    }

    /// Checks that the arguments are UTF-8. Otherwise they were changed when they were decoded, and the name of a file
    /// would be that of another one.
    private static func checkEncoding(of arguments: [String]) throws(CommandFailure) {
        for (index, argument) in arguments.enumerated() where argument.unicodeScalars.contains("\u{FFFD}") {
            // The element is a C string that lives as long as the process.
            guard let bytes = unsafe CommandLine.unsafeArgv[index + 1], unsafe String(validatingCString: bytes) == nil
            else { continue }
            throw CommandFailure(usage: "The argument \(index + 1), '\(argument)', is not UTF-8.")
        }
    }

    private static func printExamples() throws(CommandFailure) {
        do {
            try FileDescriptor.standardOutput().writeLine(RootCommand.examples)
        } catch { throw CommandFailure(error.description) }
    }

    /// Exits with 0 for help and version, with 2 for wrong usage (for which ArgumentParser uses 64), and otherwise with
    /// the code that the command threw.
    private static func exit(reporting error: any Error) -> Never {
        let code = RootCommand.exitCode(for: error)
        let message = RootCommand.fullMessage(for: error)
        // Nobody waits for signals any more. A message that nobody reads must not prevent the end.
        TerminationSignals.exitAtOnceOnNext()
        if !message.isEmpty, !print(message, onStandardError: code != .success), code == .success {
            Glibc.exit(ExitStatus.failed)
        }
        if let failure = error as? CommandFailure {
            Glibc.exit(failure.status)
        }
        Glibc.exit(code == .validationFailure ? ExitStatus.wrongUsage : code.rawValue)
    }

    /// Prints a message.
    /// - Returns: whether it was written.
    private static func print(_ message: String, onStandardError: Bool) -> Bool {
        do {
            let stream = try onStandardError ? FileDescriptor.standardError() : FileDescriptor.standardOutput()
            try stream.writeLine(message)
            return true
        } catch { return false }
    }
}
