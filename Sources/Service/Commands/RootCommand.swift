internal import ArgumentParser
internal import Serialization

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decant",
        abstract: "Turns upstream HTTP responses (JSON, XML, CSV, images and more) into clean, validated JSON.",
        version: decantVersion,
        subcommands: [
            ServeCommand.self, NormalizeCommand.self, BatchCommand.self, ThumbnailCommand.self, FetchURLCommand.self,
            SignCommand.self, HealthcheckCommand.self, VersionCommand.self,
        ],
        defaultSubcommand: ServeCommand.self
    )

    /// What the program prints without arguments.
    static let examples = """
        Decant turns upstream HTTP responses (JSON, XML, CSV, images and more) into clean, validated JSON.

            decant serve                                    # run the service, and a page for trying it
            decant normalize feed.xml data.json             # normalize files
            curl -i https://example.com/ | decant normalize # normalize a response with its head
            decant batch --output out.ndjson crawl.warc.gz  # normalize all responses of a web archive
            decant fetch https://example.com/data.json      # request a URL, and normalize the response
            decant thumbnail --output small.webp photo.jpg  # make a thumbnail

        'decant --help' lists the commands, and 'decant COMMAND --help' their options.
        """

    /// Returns whether `argument`, the first argument, selects a subcommand other than the service.
    static func isOtherThanServe(_ argument: String?) -> Bool {
        configuration.subcommands.contains { $0.configuration.commandName == argument && $0 != ServeCommand.self }
    }

    static let names = configuration.subcommands.compactMap { $0.configuration.commandName }

    /// Rejects a first argument that looks like a subcommand and is not one. Otherwise it would be passed to the
    /// default subcommand, which has no arguments.
    /// - Throws: ``CommandFailure`` for wrong usage.
    static func checkName(_ argument: String?) throws(CommandFailure) {
        guard let argument, !argument.hasPrefix("-") else { return }
        guard !names.contains(argument), argument != "help" else { return }
        let nearest = NearestName.nearest(to: argument, in: names)
        let remedy = nearest.map { "Did you mean '\($0)'?" } ?? "The commands are \(names.joined(separator: ", "))."
        throw CommandFailure(usage: "there is no command '\(argument.excerpt)'. \(remedy)")
    }
}

/// `decant version`, which other programs have as a command, and not only as a flag.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Prints the version.")

    func run() { print(decantVersion) }
}
