/// The content of a cache at one time.
package struct CacheStatistics: Equatable, Sendable {
    /// An entry, without its key.
    package struct Item: Equatable, Sendable {
        /// The size of the entry and its renditions.
        package var bytes: Int
        package var renditions: Int
        /// What the caller computed from the value.
        package var time: UInt64
    }

    package var entries = 0
    package var renditions = 0
    /// The size of the entries and renditions.
    package var storedBytes = 0
    /// The size including evicted buffers that are still referenced.
    package var usedBytes = 0
    /// The least time of an entry; `nil` if there is none.
    package var oldest: UInt64?
    /// The largest entries, the largest one first.
    package var largest: [Item] = []
}

extension LRUCache {
    /// Returns the events since the creation of the cache.
    package var counters: CacheCounters {
        shards.reduce(into: CacheCounters()) { sum, shard in sum += shard.withLock { $0.counters } }
    }

    /// The number of entries, without renditions.
    package var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.withLock { $0.entries.count - $0.renditionCount } }
    }

    /// The number of renditions.
    package var renditionCount: Int { shards.reduce(0) { sum, shard in sum + shard.withLock { $0.renditionCount } } }

    /// Examines all entries, without keeping a lock.
    /// - Parameters:
    ///   - largest: the maximum number of items in `largest`.
    ///   - time: the time at which a value was stored, on a clock of the caller.
    package func statistics(largest: Int, time: (Value) -> UInt64) -> CacheStatistics {
        var statistics = CacheStatistics()
        statistics.entries = visit(\.entries) { node, state, _ in
            let entry = asEntry(node)
            guard let value = entry.value else { return 0 }
            let renditions = renditions(of: entry, in: state)
            let item = CacheStatistics.Item(
                bytes: renditions.reduce(entry.charge.bytes) { $0 + $1.charge.bytes },
                renditions: renditions.count,
                time: time(value)
            )
            statistics.renditions += item.renditions
            statistics.storedBytes += item.bytes
            statistics.oldest = min(statistics.oldest ?? item.time, item.time)
            if statistics.largest.count < largest || item.bytes > statistics.largest.last?.bytes ?? .max {
                let index = statistics.largest.firstIndex { $0.bytes < item.bytes } ?? statistics.largest.count
                statistics.largest.insert(item, at: index)
                if statistics.largest.count > largest { statistics.largest.removeLast() }
            }
            return 1
        }
        statistics.usedBytes = usedBytes
        return statistics
    }
}
