internal import Serialization

/// The current profiles, which can be replaced while requests are served.
///
/// Only requests that specify a profile take the lock of the file, and only to copy a reference.
final class ProfileRegistry: Sendable {
    /// The file of the setting `profiles`; `nil` if there are only the built-in profiles.
    let file: ReloadableFile<ProfileSet>?

    private let builtInSet: ProfileSet

    /// The built-in profiles with the built-in limits.
    static let builtIn = ProfileRegistry(limits: Limits())

    /// Creates a registry of the built-in profiles.
    init(limits: Limits) {
        file = nil
        builtInSet = ProfileSet(limits: limits)
    }

    /// Reads the profiles from a file.
    /// - Parameters:
    ///   - path: the file; empty if there are only the built-in profiles.
    ///   - limits: the limits of the service, which a profile may lower.
    ///   - fetch: the settings of fetching, which a profile may lower too.
    init(path: String, limits: Limits, fetch: FetchPreferences.Bounds) throws(ConfigurationFileError) {
        builtInSet = ProfileSet(limits: limits)
        guard !path.isEmpty else {
            file = nil
            return
        }
        file = try ReloadableFile(path: path) { path throws(ConfigurationFileError) in
            try ProfilesReader.read(path: path, limits: limits, fetch: fetch)
        }
    }

    /// The set in force.
    var set: ProfileSet { file?.value ?? builtInSet }
}
