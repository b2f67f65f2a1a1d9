internal import ArgumentParser
internal import Glibc
internal import Platform

/// The one place that says the version.
let decantVersion = "0.1.0"

/// The command line: what was meant, run, and an exit code that says how it went.
@main enum Decant {
    static func main() {
        // Before anything else: a signal that comes early must not be lost, and threads inherit the mask.
        if !RootCommand.isOtherThanServe(CommandLine.arguments.dropFirst().first) { TerminationSignals.block() }
        do {
            // Swift reads them from /proc. Without it every flag would be ignored, and not a word said.
            guard !CommandLine.arguments.isEmpty else {
                throw CommandFailure("cannot read the command line; is /proc mounted?")
            }
            var command = try RootCommand.parseAsRoot()
            try command.run()
        } catch {
            exit(reporting: error)
        }
    }

    /// 0 for help and version, 2 for wrong usage (ArgumentParser would say 64), else what the command threw.
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

    /// Says what can be said: where the stream is closed there is nobody to tell.
    private static func print(_ message: String, onStandardError: Bool) {
        do {
            let stream = try onStandardError ? FileDescriptor.standardError() : FileDescriptor.standardOutput()
            try stream.writeLine(message)
        } catch {
            return
        }
    }
}
