/// What is purged.
package enum CachePurge<Key: CacheEntryKey>: Sendable {
    /// All entries of a partition.
    case partition(String)
    /// All entries of an index key: all variants of a URL.
    case index(Key.Index)
}

extension LRUCache {
    /// The maximum number of nodes that are examined while a lock is held.
    private static var maxVisitsPerSlice: Int { 256 }

    /// The maximum number of entries that are removed while a lock is held.
    private static var maxRemovalsPerSlice: Int { 64 }

    /// Removes entries and their renditions, or marks entries as stale. Values whose requests began earlier are not
    /// stored afterwards.
    ///
    /// An index key is found directly. For a partition, all entries are examined, without keeping a lock: up to a
    /// second for 10 million entries. All that were stored before are purged when this function returns.
    /// - Parameter isSoft: Entries are marked as stale, and can still be used while they are validated.
    /// - Returns: the number of purged entries, without renditions.
    @discardableResult
    package func purge(_ purge: CachePurge<Key>, isSoft: Bool = false) -> Int {
        let time = tick()
        switch purge {
        case .partition(let partition):
            fences.add(time, hash: CacheFences.hash(ofPartition: partition))
            return isSoft ? markStale(time) { $0 == partition } : removeAll { $0.key.partition == partition }
        case .index(let index):
            fences.add(time, hash: index.hashValue)
            return isSoft ? markStale(index, time) : remove(index)
        }
    }

    /// Returns whether a value for an index key would not be stored, because the key was purged after the request of
    /// the value began.
    package func isPurged(since began: UInt64, partition: String, _ index: @autoclosure () -> Key.Index) -> Bool {
        fences.reject(began, partition: partition, indexHash: index().hashValue)
    }

    /// Removes everything, without an effect on values that are inserted later. This is the reaction to memory
    /// pressure.
    /// - Returns: the number of entries.
    @discardableResult
    package func removeAll() -> Int { removeAll { _ in true } }

    /// Removes the entry of a key.
    /// - Parameter isCurrent: whether the entry has the value that is removed. It is called with a lock of the cache.
    /// - Returns: whether there was one.
    @discardableResult
    package func remove(_ key: Key, if isCurrent: (Value) -> Bool = { _ in true }) -> Bool {
        let hash = key.primary.hashValue
        var dropped: [CacheNode] = []
        return withDropped(&dropped, shard(ofIndexHash: key.index.hashValue)) { state, dropped in
            guard let entry = entry(key, hash: hash, in: &state), entry.value.map(isCurrent) == true else {
                return false
            }
            state.counters.purgedEntries += 1
            remove(entry, from: &state, &dropped)
            return true
        }
    }

    private func remove(_ index: Key.Index) -> Int {
        let hash = index.hashValue
        let shard = shard(ofIndexHash: hash)
        var total = 0
        while true {
            var dropped: [CacheNode] = []
            let count = withDropped(&dropped, shard) { state, dropped in
                var count = 0
                // The group is found again, because it is removed with its last entry.
                while count < Self.maxRemovalsPerSlice, let group = group(index, hash: hash, in: &state),
                    let entry = unsafe group.first
                {
                    remove(entry, from: &state, &dropped)
                    count += 1
                }
                state.counters.purgedEntries += count
                return count
            }
            total += count
            if count < Self.maxRemovalsPerSlice { return total }
        }
    }

    private func removeAll(_ isRemoved: (Entry) -> Bool) -> Int {
        visit(\.entries) { node, state, dropped in
            let entry = asEntry(node)
            // Renditions are removed with their response.
            guard !entry.isRendition, isRemoved(entry) else { return 0 }
            remove(entry, from: &state, &dropped)
            state.counters.purgedEntries += 1
            return 1
        }
    }

    private func markStale(_ index: Key.Index, _ time: UInt64) -> Int {
        let hash = index.hashValue
        return shard(ofIndexHash: hash).withLock { state in
            guard let group = group(index, hash: hash, in: &state) else { return 0 }
            return markStale(group, time, in: &state)
        }
    }

    private func markStale(_ time: UInt64, _ isMarked: (String) -> Bool) -> Int {
        visit(\.groups) { node, state, _ in
            let group = asGroup(node)
            // A group has an entry, which is in the same shard.
            guard let entry = unsafe group.first, isMarked(entry.key.partition) else { return 0 }
            return markStale(group, time, in: &state)
        }
    }

    private func markStale(_ group: Group, _ time: UInt64, in state: inout CacheShard.State) -> Int {
        group.staleBefore = max(group.staleBefore, time)
        state.counters.staleEntries += group.count
        return group.count
    }

    /// Visits all nodes that are in a table of a shard all the time.
    /// - Returns: the sum of the results of `body`.
    func visit(
        _ table: KeyPath<CacheShard.State, BucketTable>,
        _ body: (CacheNode, inout CacheShard.State, inout [CacheNode]) -> Int
    ) -> Int {
        var total = 0
        for shard in shards {
            var (bucket, isUnfinished) = (0, true)
            while isUnfinished {
                var dropped: [CacheNode] = []
                total += withDropped(&dropped, shard) { state, dropped in
                    var (visits, total) = (0, 0)
                    while visits < Self.maxVisitsPerSlice, dropped.count < Self.maxRemovalsPerSlice,
                        bucket < state[keyPath: table].bucketCount
                    {
                        var next = state[keyPath: table].chain(ofBucket: bucket)
                        while let node = next {
                            next = node.chain
                            visits += 1
                            // The renditions that are removed with a response are in another bucket.
                            total += body(node, &state, &dropped)
                        }
                        visits += 1
                        bucket += 1
                    }
                    isUnfinished = bucket < state[keyPath: table].bucketCount
                    return total
                }
            }
        }
        return total
    }
}
