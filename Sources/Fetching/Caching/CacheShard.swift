internal import Synchronization

/// A part of the entries of a cache, with a lock of its own. All entries of an index key, and all of their renditions,
/// are in one shard.
@usableFromInline
final class CacheShard: Sendable {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline var entries = BucketTable()
        @usableFromInline var groups = BucketTable()
        /// The entries in the order of their last access. Their stamps ascend.
        var order = AccessOrder()
        var renditionCount = 0
        @usableFromInline var counters = CacheCounters()
    }

    private let state = Mutex(State())
    private let oldest = Atomic<UInt64>(.max)

    /// The stamp of the oldest access, which may be out of date without the lock; the maximum if the shard is empty.
    var oldestStamp: UInt64 { oldest.load(ordering: .relaxed) }

    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state)
            publishOldest(state)
            return result
        }
    }

    /// Runs `body`, which looks something up, with the lock. It is not generic, because its callers are specialized in
    /// other modules.
    @usableFromInline
    func look(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            publishOldest(state)
        }
    }

    private func publishOldest(_ state: borrowing State) {
        oldest.store(state.order.oldest?.stamp ?? .max, ordering: .relaxed)
    }
}
