/// What happened in a cache since its creation.
@usableFromInline
package struct CacheCounters: Equatable, Sendable {
    /// The lookups that found an entry, and those that did not.
    @usableFromInline package var hits = 0
    @usableFromInline package var misses = 0
    /// The lookups that found the rendition, and those that found only its entry.
    @usableFromInline package var renditionHits = 0
    @usableFromInline package var renditionMisses = 0
    /// The entries and renditions that were dropped because of the capacity, because there were too many variants or
    /// renditions, or because of memory pressure; and their bytes.
    package var evictedEntries = 0
    package var evictedRenditions = 0
    package var evictedBytes = 0
    /// The entries that were purged or removed, and those that were marked stale.
    package var purgedEntries = 0
    package var staleEntries = 0

    package init() {}

    static func += (sum: inout CacheCounters, other: CacheCounters) {
        sum.hits += other.hits
        sum.misses += other.misses
        sum.renditionHits += other.renditionHits
        sum.renditionMisses += other.renditionMisses
        sum.evictedEntries += other.evictedEntries
        sum.evictedRenditions += other.evictedRenditions
        sum.evictedBytes += other.evictedBytes
        sum.purgedEntries += other.purgedEntries
        sum.staleEntries += other.staleEntries
    }
}
