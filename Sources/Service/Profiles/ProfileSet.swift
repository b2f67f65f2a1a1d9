internal import Serialization

/// The profiles that are in force at one time. A request uses one set from its beginning to its end.
final class ProfileSet: Sendable {
    /// The built-in profiles, and then those of the file in its order.
    let profiles: [Profile]

    /// The response of `GET /v1/profiles`.
    let document: Document

    private let indices: [String: Int]

    /// - Parameters:
    ///   - custom: profiles whose names are unique, and not those of built-in profiles.
    ///   - limits: the service's own.
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

    /// The maximum number of names with which an unknown one is compared.
    private static let maxComparedNames = 128

    /// Returns the first names, and before them the nearest match if it would not be listed.
    static func listed(_ names: [String], for unknown: String) -> [String] {
        guard names.count > maxListedNames else { return names }
        let listed = Array(names.prefix(maxListedNames))
        guard let nearest = NearestName.nearest(to: unknown, in: Array(names.prefix(maxComparedNames))),
            !listed.contains(nearest)
        else { return listed }
        return [nearest] + listed.dropLast()
    }
}
