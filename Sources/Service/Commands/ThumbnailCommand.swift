internal import ArgumentParser
internal import HTTP
internal import Platform
internal import Serialization

struct ThumbnailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Makes a thumbnail of an image, like POST /v1/thumbnail.",
        discussion: """
            The thumbnail goes to standard output or to a file. Problems go to standard error. If there is a problem, \
            no file is written.

            Exit code 0: the thumbnail was made. 1: the image was rejected. 2: wrong usage, or a file cannot be read.

            The option thumbnail (format=webp) or the extension of the output file selects the format. Otherwise it \
            depends on the image.
            """
    )

    @Argument(help: "File with the image; - is standard input, which is the default.", completion: .file())
    var file: String?

    @Option(
        name: .shortAndLong,
        help: "File for the thumbnail; - is standard output, which is the default.",
        completion: .file()
    )
    var output: String?

    @OptionGroup(title: "The response")
    var head: TableFlags<UpstreamHeadFlags>

    @OptionGroup(title: "The output")
    var format: TableFlags<OutputFlags>

    @OptionGroup(title: "Options, as in the query of POST /v1/thumbnail")
    var options: TableFlags<ThumbnailOptions>

    func run() throws {
        let path = output == "-" ? nil : output
        let serialization = try CommandSerialization(
            options.pairs,
            for: .thumbnail,
            thumbnailsAs: path.flatMap(ThumbnailFormat.init(ofFile:))
        )
        let upstream = try UpstreamResponse(flags: head.values)
        let streams = try CommandOutput(flags: format.values)
        if path == nil, FileDescriptor.isStandardOutputTerminal {
            throw CommandFailure(usage: "standard output is a terminal; use --output to specify a file.")
        }
        let source = ContentSource(file)
        let result = try serialization.response(to: upstream, from: source)
        if result.response.isProblem {
            let flags = [("output", path)].compactMap { name, value in value.map { (name, $0) } }
            let command = CommandText(
                name: "thumbnail",
                flags: flags + head.pairs + format.pairs + options.pairs,
                operand: source.path
            )
            let input = ProblemReport.Input(name: source.path, content: result.content, command: command)
            try streams.write(result.response, input: input)
            throw ExitCode(ExitStatus.failed)
        }
        try streams.writeWarnings(result.response)
        guard result.response.status != 204 else {
            return try streams.writeError("The response has no content, so there is no thumbnail.")
        }
        try write(result.response, to: path)
    }

    private func write(_ response: borrowing Response, to path: String?) throws(CommandFailure) {
        do throws(SystemError) {
            let target = if let path { try FileDescriptor(creating: path) } else { try FileDescriptor.standardOutput() }
            try response.withContent { content throws(SystemError) in try target.writeAll(content) }
        } catch { throw CommandFailure(usage: error.description) }
    }
}

/// The options of `POST /v1/thumbnail`, which have the same names on the command line.
enum ThumbnailOptions: FlagTable {
    static let flags = OptionParser.namesForThumbnail.filter { $0 != .serializer }.map { name in
        guard name == .thumbnail else { return FlagDefinition(OptionTable[name]) }
        let initial = ThumbnailRequest.byDefault.text
        return FlagDefinition(
            name: name.rawValue,
            valueName: "value",
            help:
                "The size of the thumbnail in pixels, and its properties. [\(OptionTable.thumbnailSyntax)] "
                + "(default: \(initial))",
            completions: [initial]
        )
    }
}

extension ThumbnailFormat {
    /// Returns the format for the extension of the file; `nil` if the extension is missing or is not that of a format.
    fileprivate init?(ofFile path: String) {
        let type = FileMediaType.mediaType(ofFile: path)
        guard let format = Self.allCases.first(where: { $0.mediaType == type }) else { return nil }
        self = format
    }
}
