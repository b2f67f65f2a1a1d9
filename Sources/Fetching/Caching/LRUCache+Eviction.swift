internal import Synchronization

/// An eviction that all threads work on together.
struct EvictionProgress: Sendable {
    /// The bytes that remain to be evicted; 0 if there is no eviction.
    var owedBytes = 0
    /// The bytes that were evicted, and are being released.
    var releasingBytes = 0
}

extension LRUCache {
    /// The maximum number of entries that are evicted with one lock.
    private static var maxNodesPerSlice: Int { 64 }

    /// Evicts entries in the order of their last access if the capacity is exceeded, until the size
    /// after an eviction is reached.
    ///
    /// Evicted bytes count as freed, even if readers still refer to them. Their part of the capacity is not available
    /// as long as they do: the size after an eviction is smaller by the same part. So a few slow readers do not cause
    /// everything else to be evicted.
    package func evict() { while evictSlice() {} }

    /// Evicts down to the size after an eviction, whether or not the capacity is exceeded. This is the reaction to
    /// memory pressure.
    package func evictToSizeAfterPurge() { while evictSlice(isForced: true) {} }

    /// Evicts at most 64 entries if the capacity is exceeded, or an eviction is in progress.
    /// - Returns: whether more must be evicted.
    package func evictSlice() -> Bool { evictSlice(isForced: false) }

    private func evictSlice(isForced: Bool) -> Bool {
        let limits = limits
        // Without the lock of the eviction, which follows.
        if !isForced, account.usedBytes <= limits.capacityBytes, owesNothing { return false }
        var dropped: [CacheNode] = []
        dropped.reserveCapacity(2 * Self.maxNodesPerSlice)
        let (freedBytes, isUnfinished) = eviction.withLock { progress in
            let usedBytes = account.usedBytes - progress.releasingBytes
            let evictedBytes = account.evictedBytes
            let storedBytes = account.usedBytes - evictedBytes
            let referencedBytes = max(0, evictedBytes - progress.releasingBytes)
            let excessBytes = storedBytes - limits.bytesAfterPurge(besides: referencedBytes)
            if progress.owedBytes <= 0, isForced || usedBytes > limits.capacityBytes {
                progress.owedBytes = excessBytes
            }
            progress.owedBytes = min(progress.owedBytes, excessBytes)
            guard progress.owedBytes > 0 else {
                progress.owedBytes = 0
                return (0, false)
            }
            guard let freedBytes = evictOldest(progress.owedBytes, &dropped) else {
                progress.owedBytes = 0
                return (0, false)
            }
            progress.owedBytes = max(0, progress.owedBytes - freedBytes)
            progress.releasingBytes += freedBytes
            return (freedBytes, progress.owedBytes > 0)
        }
        dropped = []
        if freedBytes > 0 { eviction.withLock { $0.releasingBytes -= freedBytes } }
        return isUnfinished
    }

    private var owesNothing: Bool { eviction.withLock { $0.owedBytes == 0 } }

    /// Evicts entries of the shard with the oldest access, as long as they are older than those of all other shards.
    /// - Returns: the size of the evicted entries; `nil` if the cache is empty.
    private func evictOldest(_ owedBytes: Int, _ dropped: inout [CacheNode]) -> Int? {
        var (shard, oldest, next): (CacheShard?, UInt64, UInt64) = (nil, .max, .max)
        for candidate in shards {
            let stamp = candidate.oldestStamp
            if stamp < oldest {
                (shard, oldest, next) = (candidate, stamp, oldest)
            } else {
                next = min(next, stamp)
            }
        }
        guard let shard else { return nil }
        return withDropped(&dropped, shard) { state, dropped in
            var (freedBytes, count) = (0, 0)
            while count < Self.maxNodesPerSlice, freedBytes < owedBytes, let node = state.order.oldest,
                node.stamp <= next
            {
                count += 1
                freedBytes += evict(asEntry(node), from: &state, &dropped)
            }
            return freedBytes
        }
    }
}
