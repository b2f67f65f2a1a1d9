internal import ArgumentParser

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decant",
        abstract: "Turns any upstream HTTP response into clean, validated JSON.",
        version: decantVersion,
        subcommands: [ServeCommand.self, NormalizeCommand.self, HealthcheckCommand.self, WorkerCommand.self],
        defaultSubcommand: ServeCommand.self
    )

    /// Whether `argument`, the first of the command line, selects a subcommand other than the service.
    static func isOtherThanServe(_ argument: String?) -> Bool {
        configuration.subcommands.contains { $0.configuration.commandName == argument && $0 != ServeCommand.self }
    }
}
