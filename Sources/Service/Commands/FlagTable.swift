internal import ArgumentParser

/// One `--name value` on the command line.
struct FlagDefinition: Sendable {
    /// The name without the dashes: `max-content-bytes`.
    var name: String

    /// The name of the value, which is in angle brackets in the help.
    var valueName: String

    var help: String

    /// Whether the flag may be given several times.
    var isRepeatable = false

    /// The values that a shell completes; empty if they cannot be listed.
    var completions: [String] = []
}

/// A list of flags that is kept elsewhere: the settings, the options of the HTTP contract.
protocol FlagTable: Sendable {
    static var flags: [FlagDefinition] { get }
}

/// The flags of a table for a command, as an `@OptionGroup`.
///
/// ArgumentParser finds a command's flags by its mirror: the properties that are wrapped in `@Option`. This type presents
/// one for each entry of the table, so that a table remains the only place where its flags are listed.
struct TableFlags<Table: FlagTable>: ParsableArguments, CustomReflectable {
    /// The flags given, in the order of the table, so that the same command reports the same error.
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

    /// The flags given, by name; the last value of a flag that is repeated.
    var values: [String: String] {
        Dictionary(pairs.map { ($0.name, $0.value) }) { $1 }
    }

    /// Rejects a repeated flag, as a repeated option is rejected in a query: it is not known which value is meant.
    func validate() throws {
        if let name = repeated.first { throw ValidationError("--\(name) is given more than once.") }
    }

    var customMirror: Mirror {
        let options = Table.flags.map { flag in
            let help = ArgumentHelp("\(flag.help)", valueName: flag.valueName)
            // An option that is not a list takes the last of its values, and does not report the others.
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

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }
}
