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
            The result goes to standard output, a problem to standard error. Public addresses are allowed, others by \
            --fetch-allow-addresses.

            Exit code 0: the response was normalized. 1: there is none, or it was rejected. 2: wrong usage, or the \
            output cannot be written.

            Timeouts, the proxy and certificate authorities come from DECANT_FETCH_… variables, limits from \
            DECANT_MAX_… variables.
            """
    )

    @Argument(help: "An http or https URL.")
    var url: String

    @OptionGroup(title: "The request")
    var request: TableFlags<FetchFlags>

    @OptionGroup(title: "The output")
    var format: TableFlags<OutputFlags>

    @OptionGroup(title: "Options, as in the query of POST /v1/fetch")
    var options: TableFlags<QueryOptions>

    func run() throws {
        let output = try CommandOutput(flags: format.values)
        let configuration = try Configuration.reading(
            only: Settings.isolation.all + Settings.limits + Settings.fetching.all + [Settings.server.profiles]
        )
        var call = FetchCall()
        call.url = url
        var allowed: [AddressBlock] = []
        for (name, value) in request.pairs { try set(name, value, &call, &allowed) }
        let response = try CommandFetch.response(to: call, options.pairs, configuration, allowing: allowed)
        let command = CommandText(name: "fetch", flags: request.pairs + format.pairs + options.pairs, operand: url)
        try output.write(response, input: ProblemReport.Input(name: url, command: command))
        if response.isProblem { throw ExitCode(ExitStatus.failed) }
    }

    private func set(
        _ name: String,
        _ value: String,
        _ call: inout FetchCall,
        _ allowed: inout [AddressBlock]
    ) throws(CommandFailure) {
        guard let parameter = FetchParameter.allCases.first(where: { $0.row.flag?.name == name }) else {
            do throws(AddressBlockError) {
                allowed += try AddressBlock.list(parsing: value)
            } catch {
                throw CommandFailure(
                    usage:
                        "--fetch-allow-addresses is '\(value)'; it must be an address or a CIDR block: \(error.reason)."
                )
            }
            return
        }
        let type = parameter.row.value
        if case .preference(.fields) = type {
            guard let colon = value.firstIndex(of: ":") else {
                throw CommandFailure(usage: "--\(name) is '\(value)'; it must be a name, a colon and a value.")
            }
            call.preferences.fields.append(
                HeaderFields.Field(
                    name: String(value[..<colon]),
                    value: String(value[value.index(after: colon)...]).trimmingBlanks()
                )
            )
        } else if !type.set(value, in: &call) {
            let others = type.allowed.dropLast().joined(separator: ", ")
            throw CommandFailure(usage: "--\(name) is '\(value)'; it must be \(others) or \(type.allowed.last ?? "").")
        }
    }
}

/// The flags for the request to the origin.
enum FetchFlags: FlagTable {
    static let flags =
        [
            FlagDefinition(
                name: "fetch-allow-addresses",
                valueName: "cidr",
                help:
                    "An address or a block of addresses that is not public, and may be requested. It may be repeated.",
                isRepeatable: true
            )
        ] + FetchParameter.allCases.compactMap(\.row.flag)
}
