internal import Synchronization

/// The content of a configuration file, which can be replaced while requests are served.
///
/// A request takes the lock for the time of one copy of the value, which should be a single reference.
final class ReloadableFile<Value: Sendable>: Sendable {
    let path: String

    private let read: @Sendable (String) throws(ConfigurationFileError) -> Value
    private let current: Mutex<Value>
    private let reloads = Atomic<Int>(0)
    private let failedReloads = Atomic<Int>(0)
    private let isCurrent = Atomic<Bool>(true)

    /// Reads the file.
    init(
        path: String,
        read: @escaping @Sendable (String) throws(ConfigurationFileError) -> Value
    ) throws(ConfigurationFileError) {
        self.path = path
        self.read = read
        current = Mutex(try read(path))
    }

    /// The value in force.
    var value: Value { current.withLock { $0 } }

    /// Reads the file again. If it is invalid, the previous value stays in force.
    /// - Returns: the new value.
    func reload() throws(ConfigurationFileError) -> Value {
        do {
            let value = try read(path)
            let replaced = current.withLock { current in
                let replaced = current
                current = value
                return replaced
            }
            // Released without the lock.
            withExtendedLifetime(replaced) {}
            reloads.wrappingAdd(1, ordering: .relaxed)
            isCurrent.store(true, ordering: .relaxed)
            return value
        } catch {
            failedReloads.wrappingAdd(1, ordering: .relaxed)
            isCurrent.store(false, ordering: .relaxed)
            throw error
        }
    }

    /// The numbers of reloads since the start, and whether the last one succeeded (or none was tried), for metrics.
    var figures: ReloadFigures {
        ReloadFigures(
            succeeded: reloads.load(ordering: .relaxed),
            failed: failedReloads.load(ordering: .relaxed),
            isCurrent: isCurrent.load(ordering: .relaxed)
        )
    }
}

/// The figures about the reloads of a configuration file.
struct ReloadFigures: Equatable, Sendable {
    var succeeded = 0
    var failed = 0
    /// Whether the last attempt succeeded, or none was made.
    var isCurrent = true
}
