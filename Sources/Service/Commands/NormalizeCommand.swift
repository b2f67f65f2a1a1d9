internal import ArgumentParser
internal import Serialization

struct NormalizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "normalize",
        abstract: "Normalizes upstream responses, and prints the same results as POST /v1/normalize.",
        discussion: """
            Results go to standard output, one per file and in the order of the files. Problems go to standard error.

            Exit code 0: every response was normalized. 1: a response was rejected. 2: wrong usage, a file cannot be \
            read, or the output cannot be written.

            Input that begins with HTTP/ and a digit is read as a message, such as the output of curl -i, unless \
            --form or a flag that
            describes the response is given: curl -i https://example.com/ | decant normalize

            A Boolean option without a value is true. DECANT_MAX_… variables set the limits, which options can only \
            lower.
            DECANT_PROFILES specifies the file with profiles.
            """
    )

    @Argument(
        help: "Files with the content of the responses; - is standard input, which is the default.",
        completion: .file()
    )
    var files: [String] = []

    @OptionGroup(title: "The form of the input")
    var inputFormat: TableFlags<InputFlags>

    @OptionGroup(title: "The response")
    var head: TableFlags<UpstreamHeadFlags>

    @OptionGroup(title: "The output")
    var format: TableFlags<OutputFlags>

    @OptionGroup(title: "Options, as in the query of POST /v1/normalize")
    var options: TableFlags<QueryOptions>

    func run() throws {
        let serialization = try CommandSerialization(options.pairs, for: .normalize)
        let upstream = try UpstreamResponse(flags: head.values)
        let inputFormat = try InputFormat.selected(flags: inputFormat.values, head: head.values)
        let sources = try ContentSource.all(files)
        let output = try CommandOutput(flags: format.values)
        var status: Int32 = 0
        for source in sources {
            let name = sources.count > 1 ? source.path ?? "standard input" : nil
            do throws(CommandFailure) {
                let result = try serialization.response(to: upstream, in: inputFormat, from: source)
                let input = ProblemReport.Input(
                    name: source.path,
                    content: result.content,
                    isPart: result.isPart,
                    command: command(source)
                )
                try output.write(result.response, of: name, input: input)
                if result.response.isProblem { status = max(status, ExitStatus.failed) }
            } catch {
                // A file that cannot be read does not prevent the others from being normalized, nor does a closed
                // standard error.
                status = max(status, error.status)
                do throws(CommandFailure) {
                    try output.writeError("Error: \(error.description)")
                } catch { status = max(status, error.status) }
            }
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// The command for one of the files, for a hint.
    private func command(_ source: ContentSource) -> CommandText {
        let flags = inputFormat.pairs + head.pairs + format.pairs + options.pairs
        return CommandText(name: "normalize", flags: flags, operand: source.path)
    }
}

/// The options of the HTTP contract, which have the same names on the command line.
enum QueryOptions: FlagTable {
    static let flags = OptionTable.all.map { FlagDefinition($0) }
}

extension FlagDefinition {
    init(_ option: OptionDefinition) {
        self.init(
            name: option.name.rawValue,
            valueName: "value",
            help: "\(option.summary) [\(option.allowed().joined(separator: ", "))]"
                + " (default: \(option.defaultDescription()))",
            isRepeatable: option.name == .thumbnail,
            completions: option.completions
        )
    }
}

extension OptionDefinition {
    /// Common values of options whose values are text.
    private static let frequentValues: [OptionName: [String]] = [
        .type: FileMediaType.mediaTypes,
        .acceptStatus: ["200-299", "*", "none"],
        .acceptTypes: ["*", "none"],
        .xmlArrays: ["auto", "always"],
        .formArrays: ["auto", "always"],
        .csvDelimiter: ["auto", "comma", "semicolon", "tab", "pipe"],
        .omit: ["none"],
        .thumbnail: ["none", ThumbnailRequest.byDefault.text],
    ]

    /// The values that a shell completes; empty if they cannot be listed.
    fileprivate var completions: [String] {
        switch values {
        case .boolean: ["true", "false"]
        case .oneOf(let values), .known(let values): values
        case .list(let values, let alternative): (alternative.map { [$0] } ?? []) + values
        case .text: Self.frequentValues[name] ?? []
        case .number, .limit: []
        }
    }
}
