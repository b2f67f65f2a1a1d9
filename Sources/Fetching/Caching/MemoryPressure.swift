/// The reaction of a cache to a shortage of memory, as AFNetworking's cache reacts to a memory warning.
///
/// The service compares the memory of its control group that cannot be reclaimed with the limit of the group.
package enum MemoryPressure {
    package enum Action: Equatable, Sendable {
        case none
        /// Evict down to the size after an eviction.
        case evict
        /// Remove everything.
        case empty
    }

    /// The usage above which the cache evicts, in percent of the limit (exclusive).
    static let evictAbovePercent = 90

    /// The usage above which the cache is emptied, in percent of the limit (exclusive).
    static let emptyAbovePercent = 95

    /// The minimum interval between two actions, in seconds: the memory that an action released must have been returned
    /// to the system before the next decision.
    static let intervalSeconds = 30

    /// Returns what a cache should do.
    /// - Parameters:
    ///   - usedBytes: the memory usage of the control group, without pages that the kernel can reclaim.
    ///   - limitBytes: the limit of the control group; `nil` if it has none.
    ///   - lastAction: the time of the last action other than `none`; `nil` if there was none.
    ///   - now: nanoseconds of a monotonic clock, as `lastAction`.
    package static func action(usedBytes: Int, limitBytes: Int?, lastAction: UInt64?, now: UInt64) -> Action {
        guard let limitBytes, limitBytes > 0 else { return .none }
        if let lastAction, now < lastAction + UInt64(intervalSeconds) * 1_000_000_000 { return .none }
        // The product of a percentage and a size does not fit if the limit is the greatest integer, which means that
        // there is none.
        let share = Double(usedBytes) * 100 / Double(limitBytes)
        if share > Double(emptyAbovePercent) { return .empty }
        return share > Double(evictAbovePercent) ? .evict : .none
    }
}
