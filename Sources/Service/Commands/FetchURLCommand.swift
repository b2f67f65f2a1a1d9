internal import ArgumentParser
internal import Fetching
internal import Logging
internal import Platform
internal import Serialization
internal import Workers

struct FetchURLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Requests a URL, normalizes the response, and prints the response of POST /v1/fetch.",
        discussion: """
            The result goes to standard output, a problem to standard error. Public addresses are allowed, others by --allow-address.

            Exit code 0: the response was normalized. 1: there is none, or it was rejected. 2: wrong usage.

            Timeouts, the proxy and certificate authorities come from DECANT_FETCH_… variables, limits from DECANT_MAX_… variables.
            """
    )

    @Argument(help: "An http or https URL.")
    var url: String

    @OptionGroup(title: "The request")
    var request: TableFlags<FetchFlags>

    @OptionGroup(title: "The output")
    var form: TableFlags<OutputFlags>

    @OptionGroup(title: "Options, as in the query of POST /v1/fetch")
    var options: TableFlags<QueryOptions>

    func run() throws {
        let output = try CommandOutput(flags: form.values)
        let configuration = try Configuration.reading(
            only: Settings.isolation.all + Settings.limits + Settings.fetching.all + [Settings.server.profiles]
        )
        var call = FetchCall()
        call.url = url
        var allowed: [AddressBlock] = []
        for (name, value) in request.pairs { try set(name, value, &call, &allowed) }
        let response = try CommandFetch.response(
            to: call,
            options.pairs,
            configuration,
            allowing: allowed
        )
        try output.write(response)
        if response.isProblem { throw ExitCode(ExitStatus.failed) }
    }

    private func set(
        _ name: String,
        _ value: String,
        _ call: inout FetchCall,
        _ allowed: inout [AddressBlock]
    ) throws(CommandFailure) {
        switch name {
        case "allow-address":
            do throws(AddressBlockError) {
                allowed += try AddressBlock.list(parsing: value)
            } catch {
                throw CommandFailure(
                    usage: "--allow-address is '\(value)'; it must be an address or a CIDR block: \(error.reason)."
                )
            }
        case "method":
            call.method = value
        case "header":
            guard let colon = value.firstIndex(of: ":") else {
                throw CommandFailure(usage: "--header is '\(value)'; it must be a name, a colon and a value.")
            }
            call.fields.append(
                HeaderFields.Field(
                    name: String(value[..<colon]),
                    value: String(value[value.index(after: colon)...]).trimmingBlanks()
                )
            )
        case "redirects":
            guard let mode = RedirectMode(rawValue: value) else {
                throw CommandFailure(usage: "--redirects is '\(value)'; it must be follow, manual or error.")
            }
            call.redirects = mode
        default: break
        }
    }
}

/// The flags for the request to the origin.
enum FetchFlags: FlagTable {
    static let flags = [
        FlagDefinition(
            name: "allow-address",
            valueName: "cidr",
            help: "An address or a block of addresses that is not public, and may be requested. It may be repeated.",
            isRepeatable: true
        ),
        FlagDefinition(
            name: "method",
            valueName: "method",
            help: "Method of the request. (default: GET)",
            completions: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        ),
        FlagDefinition(
            name: "header",
            valueName: "field",
            help: "Header field of the request, such as 'Accept: text/xml'. It may be repeated.",
            isRepeatable: true
        ),
        FlagDefinition(
            name: "redirects",
            valueName: "mode",
            help: "What is done with redirects. [follow, manual, error] (default: follow)",
            completions: RedirectMode.allCases.map(\.rawValue)
        ),
    ]
}
