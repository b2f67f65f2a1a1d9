internal import ArgumentParser

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decant",
        abstract: "Turns any upstream HTTP response into clean, validated JSON.",
        version: decantVersion,
        subcommands: [ServeCommand.self, NormalizeCommand.self, HealthcheckCommand.self, WorkerCommand.self],
        defaultSubcommand: ServeCommand.self
    )
}
