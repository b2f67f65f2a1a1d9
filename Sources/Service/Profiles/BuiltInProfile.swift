internal import Fetching
internal import Serialization

/// A profile that every service has. A file may add profiles (``ProfilesReader``), but cannot change the built-in ones.
enum BuiltInProfile: String, CaseIterable, Sendable {
    case `default`
    case afnetworking
    case graphql

    /// The description in `GET /v1/profiles`.
    var summary: String {
        switch self {
        case .default:
            "The rules of Decant: media types match by range and suffix, and a missing type is detected from "
                + "the content."
        case .afnetworking:
            "The rules of AFNetworking 4: exact media types, no detection, nulls are kept, and top-level "
                + "scalars are rejected."
        case .graphql:
            "The rules of Decant, but nulls are kept: in a response of GraphQL, a null is a field without a value, or "
                + "one with an error."
        }
    }

    /// The options that differ from their defaults, with their values as they are written in a query.
    var values: [(OptionName, String)] {
        switch self {
        case .default: []
        case .afnetworking: [(.serializer, "json"), (.nulls, "keep"), (.fragments, "false"), (.prefixes, "reject")]
        case .graphql: [(.nulls, "keep")]
        }
    }

    /// The options of a fetch that differ from their defaults.
    var fetch: FetchPreferences {
        switch self {
        case .default, .graphql: FetchPreferences()
        // AFNetworking's cache of images has no expiry.
        case .afnetworking: FetchPreferences(cache: .forceCache)
        }
    }

    /// The rules that options cannot express.
    private var rules: RuleSet {
        switch self {
        case .default, .graphql: .decant
        case .afnetworking: .afnetworking
        }
    }

    var serialization: SerializationOptions {
        switch self {
        case .default: Self.defaultSerialization
        case .afnetworking: Self.afnetworkingSerialization
        case .graphql: Self.graphqlSerialization
        }
    }

    private static let defaultSerialization = BuiltInProfile.default.resolved()
    private static let afnetworkingSerialization = BuiltInProfile.afnetworking.resolved()
    private static let graphqlSerialization = BuiltInProfile.graphql.resolved()

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
