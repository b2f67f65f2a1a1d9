internal import Serialization

/// A named set of options; a query option overrides what it says.
enum Profile: String, CaseIterable, Sendable {
    case `default`
    case afnetworking

    /// What a person reads about it in `GET /v1/profiles`.
    var summary: String {
        switch self {
        case .default:
            "Decant's own rules: media types match by range and suffix, a missing type is told from the content."
        case .afnetworking:
            "AFNetworking 4's decisions: exact media types, no sniffing, nulls kept, no top-level scalars."
        }
    }

    var serialization: SerializationOptions {
        var options = SerializationOptions()
        switch self {
        case .default:
            break
        case .afnetworking:
            options.rules = .afnetworking
            options.serializer = .one(.json)
            options.nulls = .keep
            options.fragments = false
            options.prefixes = .reject
        }
        return options
    }
}
