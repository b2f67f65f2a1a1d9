internal import ArgumentParser

/// The definition of one flag `--name value` of the command line.
struct FlagDefinition: Sendable {
    /// The name without the dashes: `max-content-bytes`.
    var name: String

    /// The name of the value, which the help shows in angle brackets.
    var valueName: String

    var help: String

    /// Whether the flag may be given several times.
    var isRepeatable = false

    /// The values that a shell completes; empty if they cannot be listed.
    var completions: [String] = []
}

/// A list of flags that is defined elsewhere: the settings, or the options of the HTTP contract.
protocol FlagTable: Sendable {
    static var flags: [FlagDefinition] { get }
}

/// The flags of a table for a command, as an `@OptionGroup`.
///
/// ArgumentParser finds the flags of a command with a mirror, as properties that are wrapped in `@Option`. This type
/// provides one such property for each entry of the table, so that only the table lists the flags.
struct TableFlags<Table: FlagTable>: ParsableArguments, CustomReflectable {
    /// The flags that were given, in the order of the table, so that the same command always reports the same error.
    private(set) var pairs: [(name: String, value: String)] = []

    private var repeated: [String] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for flag in Table.flags {
            let given = try container.decode(Option<[String]>.self, forKey: Key(stringValue: flag.name)).wrappedValue
            pairs += given.map { (flag.name, $0) }
            if given.count > 1, !flag.isRepeatable { repeated.append(flag.name) }
        }
    }

    /// The values of the flags that were given, by name. A repeated flag has its last value.
    var values: [String: String] { Dictionary(pairs.map { ($0.name, $0.value) }) { $1 } }

    /// Rejects a repeated flag, like a repeated option in a query, because it is ambiguous.
    func validate() throws {
        if let name = repeated.first { throw ValidationError("--\(name) is given more than once.") }
    }

    var customMirror: Mirror {
        let options = Table.flags.map { flag in
            let help = ArgumentHelp("\(flag.help)", valueName: flag.valueName)
            // An option that is not a list accepts several values, and uses the last one without an error.
            let option = Option<[String]>(
                wrappedValue: [],
                name: .customLong(flag.name),
                parsing: .singleValue,
                help: help,
                completion: flag.completions.isEmpty ? nil : .list(flag.completions)
            )
            return (label: flag.name, value: option as Any)
        }
        return Mirror(self, children: options, displayStyle: .struct)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
