internal import Serialization

/// The profiles in force, which can be replaced while requests are served.
///
/// Only a request that names a profile takes the lock of the file.
final class ProfileRegistry: Sendable {
    /// The file of the setting `profiles`; `nil` if there are the built-in profiles only.
    let file: ReloadableFile<ProfileSet>?

    private let builtInSet: ProfileSet

    /// The built-in profiles, under the built-in limits.
    static let builtIn = ProfileRegistry(limits: Limits())

    /// Creates a registry of the built-in profiles.
    init(limits: Limits) {
        file = nil
        builtInSet = ProfileSet(limits: limits)
    }

    /// Reads the profiles from a file.
    /// - Parameters:
    ///   - path: the file; the empty string stands for the built-in profiles only.
    ///   - limits: the service's own, which a profile may lower.
    init(path: String, limits: Limits) throws(ConfigurationFileError) {
        builtInSet = ProfileSet(limits: limits)
        guard !path.isEmpty else {
            file = nil
            return
        }
        file = try ReloadableFile(path: path) { path throws(ConfigurationFileError) in
            try ProfilesReader.read(path: path, limits: limits)
        }
    }

    /// The set in force.
    var set: ProfileSet { file?.value ?? builtInSet }

    /// Reads the file again. If it is invalid, the previous profiles stay in force.
    /// - Returns: the number of profiles in the file; `nil` if there is no file.
    func reload() throws(ConfigurationFileError) -> Int? {
        guard let file else { return nil }
        return try file.reload().profiles.count - Profile.builtIn.count
    }
}
