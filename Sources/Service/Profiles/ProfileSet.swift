internal import Serialization

/// The profiles of one version of the file. A request uses the same set from its beginning to its end.
///
/// **Invariant.** A set is complete and valid: it contains the built-in profiles, names are unique, every profile has
/// the options of those that it extends, and no option exceeds the limits of the service. It does not change. A file
/// with an error never becomes a set: the previous one stays in force. `ProfilesReaderTests`, `ProfileFetchTests` and
/// `ReloadTests` check this.
final class ProfileSet: Sendable {
    /// The built-in profiles, followed by those of the file in its order.
    let profiles: [Profile]

    /// The response of `GET /v1/profiles`.
    let document: Document

    private let indices: [String: Int]

    /// - Parameters:
    ///   - custom: profiles with unique names, which are not those of built-in profiles.
    ///   - limits: the limits of the service.
    init(_ custom: [Profile] = [], limits: Limits) {
        let profiles = Profile.builtIn + custom
        self.profiles = profiles
        indices = Dictionary(profiles.indices.map { (profiles[$0].name, $0) }) { first, _ in first }
        document = .profiles(profiles, limits: limits)
    }

    /// - Throws: ``OptionError/invalidValue(_:got:expected:)`` for an unknown name.
    func profile(named name: String) throws(OptionError) -> Profile {
        guard let index = indices[name] else {
            throw .invalidValue(.profile, got: name, expected: Self.listed(profiles.map(\.name), for: name))
        }
        return profiles[index]
    }

    /// The maximum number of names that a problem lists.
    private static let maxListedNames = 16

    /// The maximum number of names that are compared with an unknown name.
    private static let maxComparedNames = 128

    /// Returns the first names. If the nearest match is not one of them, it precedes them.
    static func listed(_ names: [String], for unknown: String) -> [String] {
        guard names.count > maxListedNames else { return names }
        let listed = Array(names.prefix(maxListedNames))
        guard let nearest = NearestName.nearest(to: unknown, in: Array(names.prefix(maxComparedNames))),
            !listed.contains(nearest)
        else { return listed }
        return [nearest] + listed.dropLast()
    }
}
