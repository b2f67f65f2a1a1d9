internal import Synchronization

/// The times of purges. A value whose request began before its key was purged is not stored.
///
/// Partitions and index keys are represented by their hashes: two that have the same hash only reject too much. If
/// there are too many, they are replaced by one time that applies to all keys.
final class CacheFences: Sendable {
    static let maxCount = 1024

    private struct Times {
        var everything: UInt64 = 0
        var single: [Int: UInt64] = [:]
    }

    private let times = Mutex(Times())
    /// The latest of all times.
    private let latest = Atomic<UInt64>(0)

    /// Rejects values for a partition or an index key whose requests begin before `time`.
    func add(_ time: UInt64, hash: Int) {
        times.withLock { times in
            if times.single.count >= Self.maxCount, times.single[hash] == nil {
                times = Times(everything: max(times.everything, time))
            } else {
                times.single[hash] = max(times.single[hash] ?? 0, time)
            }
            advance(to: time)
        }
    }

    private func advance(to time: UInt64) { latest.max(time, ordering: .relaxed) }

    /// Returns whether a purge rejects a value whose request began at `began`.
    ///
    /// When a value is stored, the caller has the lock of the shard. A purge adds its time first, and then removes the
    /// entries of each shard with its lock. Therefore a value is either rejected, or stored before the purge of its
    /// shard, which removes it.
    func reject(_ began: UInt64, partition: String, indexHash: @autoclosure () -> Int) -> Bool {
        if began >= latest.load(ordering: .relaxed) { return false }
        let indexHash = indexHash()
        return times.withLock { times in
            began < times.everything || began < times.single[indexHash] ?? 0
                || began < times.single[Self.hash(ofPartition: partition)] ?? 0
        }
    }

    static func hash(ofPartition partition: String) -> Int { partition.hashValue }
}
