internal import Serialization

/// A profile that every service has. A file may add others (``ProfilesReader``), and cannot change these.
enum BuiltInProfile: String, CaseIterable, Sendable {
    case `default`
    case afnetworking

    /// The description in `GET /v1/profiles`.
    var summary: String {
        switch self {
        case .default:
            "Decant's own rules: media types match by range and suffix, and a missing type is detected from the content."
        case .afnetworking:
            "AFNetworking 4's decisions: exact media types, no detection, nulls kept, no top-level scalars."
        }
    }

    /// The options that differ from their defaults, with their values as they are written in a query.
    var values: [(OptionName, String)] {
        switch self {
        case .default: []
        case .afnetworking:
            [(.serializer, "json"), (.nulls, "keep"), (.fragments, "false"), (.prefixes, "reject")]
        }
    }

    /// The rules beyond what an option can express.
    private var rules: RuleSet {
        switch self {
        case .default: .decant
        case .afnetworking: .afnetworking
        }
    }

    var serialization: SerializationOptions {
        switch self {
        case .default: Self.defaultSerialization
        case .afnetworking: Self.afnetworkingSerialization
        }
    }

    private static let defaultSerialization = BuiltInProfile.default.resolved()
    private static let afnetworkingSerialization = BuiltInProfile.afnetworking.resolved()

    private func resolved() -> SerializationOptions {
        var options = RequestOptions()
        options.serialization.rules = rules
        for (name, value) in values {
            do {
                try OptionParser.apply(name, value, to: &options, within: Limits())
            } catch {
                preconditionFailure("The profile \(rawValue) sets an option to a value that the table does not allow.")
            }
        }
        return options.serialization
    }
}
