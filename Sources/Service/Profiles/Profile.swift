internal import Serialization

/// A named set of options; an option of the request overrides its value.
struct Profile: Equatable, Sendable {
    let name: String

    /// One sentence for `GET /v1/profiles`; `nil` if its author wrote none.
    let summary: String?

    let serialization: SerializationOptions

    /// The limits that the profile lowers, with their values.
    var limits: [OptionName: Int] = [:]

    /// The options of a fetch.
    var fetch = FetchPreferences()
}

extension Profile {
    init(_ profile: BuiltInProfile) {
        self.init(
            name: profile.rawValue,
            summary: profile.summary,
            serialization: profile.serialization,
            fetch: profile.fetch
        )
    }

    /// The built-in profiles, the default first.
    static let builtIn = BuiltInProfile.allCases.map { Profile($0) }

    /// Returns the options of a request that specifies only this profile.
    /// - Parameter service: the limits of the service, which apply unless the profile lowers them.
    func options(limits service: Limits) -> RequestOptions {
        var options = RequestOptions(serialization: serialization, limits: service, fetch: fetch)
        for (name, value) in limits {
            guard case .limit(let path, _, _) = OptionTable[name].target else { continue }
            options[keyPath: path] = min(value, options[keyPath: path])
        }
        return options
    }
}
