internal import Synchronization

/// A part of the entries of a cache, with a lock of its own. All entries of an index key, and all of their renditions, are in one shard.
final class CacheShard: Sendable {
    struct State: Sendable {
        var entries = BucketTable()
        var groups = BucketTable()
        /// The entries and renditions in the order of their last access. Their stamps ascend.
        var order = AccessOrder()
        var renditionCount = 0
        var counters = CacheCounters()
    }

    private let state = Mutex(State())
    private let oldest = Atomic<UInt64>(.max)

    /// The stamp of the oldest access, which may be out of date without the lock; the maximum if the shard is empty.
    var oldestStamp: UInt64 { oldest.load(ordering: .relaxed) }

    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state)
            oldest.store(state.order.oldest?.stamp ?? .max, ordering: .relaxed)
            return result
        }
    }
}
