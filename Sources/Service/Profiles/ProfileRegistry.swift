internal import Serialization
internal import Synchronization

/// The current profiles, which can be replaced while requests are served.
///
/// Only requests that specify a profile take the lock, and only to copy a reference.
final class ProfileRegistry: Sendable {
    /// The file of the setting `profiles`; `nil` if there are only the built-in profiles.
    let path: String?

    private let limits: Limits
    private let current: Mutex<ProfileSet>
    private let reloads = Atomic<Int>(0)
    private let failedReloads = Atomic<Int>(0)
    private let isCurrent = Atomic<Bool>(true)

    /// The built-in profiles with the built-in limits.
    static let builtIn = ProfileRegistry(limits: Limits())

    /// Creates a registry of the built-in profiles.
    init(limits: Limits) {
        path = nil
        self.limits = limits
        current = Mutex(ProfileSet(limits: limits))
    }

    /// Reads the profiles from a file.
    /// - Parameters:
    ///   - path: the file; empty if there are only the built-in profiles.
    ///   - limits: the limits of the service, which a profile may lower.
    init(path: String, limits: Limits) throws(ProfilesError) {
        self.path = path.isEmpty ? nil : path
        self.limits = limits
        let set = path.isEmpty ? ProfileSet(limits: limits) : try ProfilesReader.read(path: path, limits: limits)
        current = Mutex(set)
    }

    /// The current set.
    var set: ProfileSet { current.withLock { $0 } }

    /// Reads the file again. If it is invalid, the previous profiles stay in force.
    /// - Returns: the number of profiles in the file; `nil` if there is no file.
    func reload() throws(ProfilesError) -> Int? {
        guard let path else { return nil }
        do {
            let set = try ProfilesReader.read(path: path, limits: limits)
            let replaced = current.withLock { current in
                let replaced = current
                current = set
                return replaced
            }
            // The previous set is released after the lock.
            withExtendedLifetime(replaced) {}
            reloads.wrappingAdd(1, ordering: .relaxed)
            isCurrent.store(true, ordering: .relaxed)
            return set.profiles.count - Profile.builtIn.count
        } catch {
            failedReloads.wrappingAdd(1, ordering: .relaxed)
            isCurrent.store(false, ordering: .relaxed)
            throw error
        }
    }

    // MARK: For metrics

    /// The numbers of reloads since the start, and whether the last one succeeded. Without a reload, this is `true`.
    var figures: (succeeded: Int, failed: Int, isCurrent: Bool) {
        (
            reloads.load(ordering: .relaxed), failedReloads.load(ordering: .relaxed), isCurrent.load(ordering: .relaxed)
        )
    }
}
