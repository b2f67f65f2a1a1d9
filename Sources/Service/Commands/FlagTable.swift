internal import ArgumentParser

/// One `--name value` on the command line.
struct FlagDefinition: Sendable {
    /// Without the dashes: `max-content-bytes`.
    var name: String
    /// Stands in angle brackets in the help.
    var valueName: String
    var help: String
}

/// A list of flags that is kept somewhere else: the settings, the options of the HTTP contract.
protocol FlagTable: Sendable {
    static var flags: [FlagDefinition] { get }
}

/// The flags of a table for a command, as an `@OptionGroup`.
///
/// ArgumentParser finds a command's flags by its mirror: the properties that are wrapped in `@Option`. This type shows it
/// one for each entry of the table, so that a table stays the only place where its flags are written down.
struct TableFlags<Table: FlagTable>: ParsableArguments, CustomReflectable {
    /// The flags given, by name.
    private(set) var values: [String: String] = [:]

    private var repeated: [String] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for flag in Table.flags {
            let given = try container.decode(Option<[String]>.self, forKey: Key(stringValue: flag.name)).wrappedValue
            values[flag.name] = given.last
            if given.count > 1 { repeated.append(flag.name) }
        }
    }

    /// Which of two values is meant, nobody knows: the same is refused in a query.
    func validate() throws {
        if let name = repeated.first { throw ValidationError("--\(name) is given more than once.") }
    }

    var customMirror: Mirror {
        let options = Table.flags.map { flag in
            let help = ArgumentHelp("\(flag.help)", valueName: flag.valueName)
            // An option that is no list takes the last of its values, and tells of no other.
            let option = Option<[String]>(
                wrappedValue: [],
                name: .customLong(flag.name),
                parsing: .singleValue,
                help: help
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
