/// The sizes of a cache, in bytes.
package struct CacheLimits: Equatable, Sendable {
    /// The size above which the cache evicts (exclusive). With 0, nothing is kept.
    package var capacityBytes: Int
    /// The size after an eviction, at most the capacity: the settings reject a greater value.
    package var bytesAfterPurge: Int
    /// The maximum size of an entry with its renditions (inclusive). A larger entry is not kept.
    package var maxEntryBytes: Int

    package init(capacityBytes: Int, bytesAfterPurge: Int, maxEntryBytes: Int) {
        self.capacityBytes = capacityBytes
        self.bytesAfterPurge = bytesAfterPurge
        self.maxEntryBytes = maxEntryBytes
    }

    /// Returns the size after an eviction while evicted buffers of `bytes` are still referenced: the same part of what
    /// remains of the capacity.
    func bytesAfterPurge(besides bytes: Int) -> Int {
        guard bytes > 0, capacityBytes > 0 else { return bytesAfterPurge }
        let share = Double(max(0, capacityBytes - bytes)) / Double(capacityBytes)
        return Int(Double(bytesAfterPurge) * share)
    }
}
