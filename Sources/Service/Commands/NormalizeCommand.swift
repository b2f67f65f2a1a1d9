internal import ArgumentParser
internal import Logging
internal import Platform
internal import Serialization
internal import Workers

struct NormalizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "normalize",
        abstract: "Normalizes one upstream response and prints what POST /v1/normalize would answer.",
        discussion: """
            Exit code 0: normalized, the answer is on standard output. 1: the response was refused, the problem is on \
            standard output. 2: wrong usage. Limits come from DECANT_MAX_… variables; an option can only lower them.
            """
    )

    @Argument(help: "The content of the response; without it, or with -, standard input.")
    var file: String?

    @OptionGroup(title: "The response")
    var head: TableFlags<UpstreamHead>

    @OptionGroup(title: "Options, as in the query of POST /v1/normalize")
    var options: TableFlags<QueryOptions>

    func run() throws {
        let configuration = try Configuration.reading(only: Setting.isolation + Setting.limits)
        let renderer = LocalWorker(WorkerConfiguration(configuration), log: .command(level: .error))
        let serializer = try serializer(configuration, renderer)
        let upstream = try UpstreamResponse(flags: head.values)
        let response: Response
        do {
            let content = try content(maxBytes: serializer.limits.maxContentBytes)
            let normalization = Normalization(of: upstream, with: serializer, requestID: .given(""))
            response = normalization.respond(content.span, renderer)
        } catch {
            switch error {
            case .tooLong(_, let maxBytes):
                response = Problem(.contentTooLarge(maxBytes: maxBytes)).response(requestID: "")
            case .system(let error): throw CommandFailure(usage: error.description)
            }
        }
        try print(response)
        guard response.status < 400 else { throw ExitCode(ExitStatus.failed) }
    }

    private func serializer(_ configuration: Configuration, _ renderer: any ImageRenderer) throws -> ResponseSerializer
    {
        // The order of the table, so that the same command reports the same error.
        let pairs = QueryOptions.flags.compactMap { flag in options.values[flag.name].map { (flag.name, $0) } }
        do {
            let options = try OptionParser.parse(pairs, limits: configuration.limits)
            return ResponseSerializer(
                options: options.serialization,
                limits: options.limits,
                renderer: renderer
            )
        } catch {
            throw CommandFailure(usage: error.message)
        }
    }

    private func content(maxBytes: Int) throws(ReadError) -> [UInt8] {
        let input: FileDescriptor
        do throws(SystemError) {
            if let file, file != "-" {
                input = try FileDescriptor(opening: file)
            } else {
                input = try .standardInput()
            }
        } catch {
            throw .system(error)
        }
        return try input.readAll(maxBytes: maxBytes)
    }

    private func print(_ response: borrowing Response) throws {
        let output = try FileDescriptor.standardOutput()
        switch response.content {
        case .buffer(let buffer): try buffer.withBytes { try output.writeAll($0) }
        case .shared: break
        case .stream: break
        }
        try output.writeLine("")
    }
}

/// What the options of the HTTP contract are called on the command line: the same.
enum QueryOptions: FlagTable {
    static let flags = OptionTable.all.map { option in
        FlagDefinition(
            name: option.name.rawValue,
            valueName: "value",
            help: "\(option.summary) [\(option.allowed().joined(separator: ", "))]"
                + " (default: \(option.defaultDescription()))"
        )
    }
}

/// What `Upstream-*` fields, `Content-Type` and `Content-Encoding` say over HTTP.
enum UpstreamHead: FlagTable {
    static let flags = [
        FlagDefinition(
            name: "status",
            valueName: "status",
            help: "Status code of the response. (default: 200, and the answer says that it was assumed)"
        ),
        FlagDefinition(name: "url", valueName: "url", help: "Where the response came from."),
        FlagDefinition(
            name: "method",
            valueName: "method",
            help: "Method of the request that it answers; a response to HEAD has no content."
        ),
        FlagDefinition(
            name: "content-type",
            valueName: "content-type",
            help: "Its Content-Type field. Without it, the content tells."
        ),
        FlagDefinition(name: "content-encoding", valueName: "content-encoding", help: "Its Content-Encoding field."),
    ]
}

extension UpstreamResponse {
    /// What the flags of ``UpstreamHead`` say.
    fileprivate init(flags: [String: String]) throws {
        self.init(statusAssumed: flags["status"] == nil, url: flags["url"], method: flags["method"])
        if let text = flags["status"] {
            guard let code = UpstreamFieldValue.status(text.utf8Span.span) else {
                throw CommandFailure(usage: "--status is '\(text)'; it must be 100 to 999.")
            }
            status = code
        }
        if let method, !UpstreamFieldValue.isToken(method) {
            throw CommandFailure(usage: "--method is '\(method)'; it must be the name of a method.")
        }
        if let type = flags["content-type"] { fields.append(name: "Content-Type", value: type) }
        if let coding = flags["content-encoding"] { fields.append(name: "Content-Encoding", value: coding) }
    }
}
