internal import Synchronization

/// A cache of a limited size in bytes that evicts the least recently used entries, after AFNetworking's
/// `AFAutoPurgingImageCache`.
///
/// If the size exceeds the capacity after an insertion, entries are evicted in the order of their last access until the
/// size after an eviction is reached. A hit and a replacement count as accesses. An entry is a response or a rendition
/// of one, which is found by its response and options.
///
/// **Structure.** The hash of the index key selects one of 16 shards. Each has a lock, a table of entries by primary
/// key, a table of groups by index key, and a list of its entries in the order of their last access. A shared clock,
/// which counts accesses, stamps each access; it is read with the lock of the shard, so that the stamps in a list
/// ascend. The oldest entry of the cache is the one with the least stamp of the 16 heads.
///
///     index key ─► shard ┬ groups    index key ─► names of Vary, responses of the group
///                        ├ entries   primary key ─► at most 8 variants, and at most 32 renditions of each
///                        └ order     oldest ─► rendition ─► rendition ─► response ─► … ─► newest
///
/// An access of a rendition stamps its response as well, with the next stamp. Therefore the renditions of a response
/// precede it in the order, and are evicted before it, but only if they were not used for as long as the other entries
/// that are evicted. A response that is removed otherwise takes its renditions with it.
///
/// **Locks** are held for a bounded number of nodes: at most 64 are evicted and at most 256 examined at a time. Values
/// are released without a lock. A lookup, an insertion and an eviction take a time that does not depend on the number
/// of entries, also while a table grows.
///
/// **Memory.** The size is the sum of the ``CacheCharge``s of the account, including those that only readers refer to.
/// A value that is not stored is not charged.
///
/// **Differences from the original**, all deliberate: whole keys are compared; an entry that is too large is not kept,
/// instead of evicting everything; a capacity of 0 stores nothing.
///
/// **Invariant.** With the lock of a shard, its table and its list contain the same entries, each response is in the
/// group of its index key, and each rendition has its response, which is after it in the list. A response that began
/// before its key was purged is not stored. `CacheModelTests` compares every operation with a model, and
/// `CacheStressTests` checks the sums after many threads.
@usableFromInline
package final class LRUCache<Key: CacheEntryKey, Value: Sendable, Rendition: Sendable>: Sendable {
    @usableFromInline typealias Entry = CacheEntry<Key, Value, Rendition>
    @usableFromInline typealias Group = CacheGroup<Key, Value, Rendition>

    /// The maximum number of variants of a primary key.
    static var maxVariants: Int { 8 }

    /// The maximum number of renditions of a response.
    static var maxRenditions: Int { 32 }

    package let account: CacheAccount
    @usableFromInline let shards: [CacheShard]
    let clock = Atomic<UInt64>(1)
    let fences = CacheFences()
    let eviction = Mutex(EvictionProgress())
    private let currentLimits: Mutex<CacheLimits>
    private let evictsInInsertions: Bool

    /// - Parameters:
    ///   - account: the account to which the charges of all entries belong.
    ///   - evictsInInsertions: whether entries are evicted before an insertion or an update returns, if the capacity is
    ///     exceeded. If others wait for the threads that insert, it is `false`, and another thread calls `evict`.
    package init(limits: CacheLimits, account: CacheAccount = CacheAccount(), evictsInInsertions: Bool = true) {
        currentLimits = Mutex(limits)
        self.account = account
        self.evictsInInsertions = evictsInInsertions
        shards = (0..<16).map { _ in CacheShard() }
    }

    /// The limits. Lower ones take effect with the next insertion, as in the original.
    package var limits: CacheLimits {
        get { currentLimits.withLock { $0 } }
        set { currentLimits.withLock { $0 = newValue } }
    }

    /// The size in bytes, including evicted buffers that are still referenced.
    package var usedBytes: Int { account.usedBytes }

    /// The current time of the cache. A flight that began at this time stores nothing if its key is purged later: see
    /// `insert`.
    package var now: UInt64 { clock.load(ordering: .relaxed) }

    @inlinable
    func shard(ofIndexHash hash: Int) -> CacheShard {
        shards[Int(truncatingIfNeeded: UInt(bitPattern: hash) >> (UInt.bitWidth - 4))]
    }

    // MARK: Lookups

    // A hit consists of these functions. They are inlinable, so that they are specialized for the types of a client in
    // another module: without that, looking up generic metadata and calling witnesses takes most of the time of a hit.

    /// A stored response.
    @usableFromInline
    package struct Hit: Sendable {
        @usableFromInline package var value: Value
        /// Whether it was purged softly: it may be used only as a stale response.
        @usableFromInline package var isMarkedStale: Bool

        @inlinable
        init(value: Value, isMarkedStale: Bool) {
            self.value = value
            self.isMarkedStale = isMarkedStale
        }
    }

    /// Returns the names in the `Vary` field of the newest response for an index key; `nil` if there is no response.
    @inlinable
    package func varyNames(of index: Key.Index) -> [String]? {
        let hash = index.hashValue
        var names: [String]?
        shard(ofIndexHash: hash).look { names = group(index, hash: hash, in: &$0)?.varyNames }
        return names
    }

    /// Returns the entry of a key, and its rendition with these options if it has one. This counts as an access of
    /// both.
    @inlinable
    package func hit(_ key: Key, rendition options: Key.Options) -> (hit: Hit, rendition: Rendition?)? {
        let hash = key.primary.hashValue
        var result: (Hit, Rendition?)?
        shard(ofIndexHash: key.index.hashValue).look { state in
            guard let entry = entry(key, hash: hash, in: &state), let value = entry.value else {
                state.counters.misses += 1
                return
            }
            state.counters.hits += 1
            let rendition = rendition(options, of: entry, in: &state)
            if let rendition {
                state.counters.renditionHits += 1
                refresh(rendition, in: &state)
            } else {
                state.counters.renditionMisses += 1
            }
            refresh(entry, in: &state)
            result = (Hit(value: value, isMarkedStale: isMarkedStale(entry)), rendition?.rendition)
        }
        return result
    }

    /// Returns the entry of a key. This is not an access, and is not counted.
    @inlinable
    package func peek(_ key: Key) -> Hit? {
        let hash = key.primary.hashValue
        var result: Hit?
        shard(ofIndexHash: key.index.hashValue).look { state in
            guard let entry = entry(key, hash: hash, in: &state), let value = entry.value else { return }
            result = Hit(value: value, isMarkedStale: isMarkedStale(entry))
        }
        return result
    }

    // MARK: Insertions

    package enum Insertion: Equatable, Sendable {
        case stored
        /// The entry is larger than `maxEntryBytes` or the capacity, or nothing is stored at the moment (``mayStore``).
        /// An older entry of the same key was removed.
        case tooLarge
        /// The key was purged after the flight began. Nothing was changed.
        case purged
        /// The value of the same key is newer. Nothing was changed.
        case outdated
    }

    /// Whether entries are stored: not while those that were evicted and are still used have the size of the whole
    /// cache. Otherwise readers that are slow could make it grow without limit.
    private var mayStore: Bool { account.evictedBytes < limits.capacityBytes }

    /// Stores a value, and replaces the entry of the same key, including its renditions. Of more than 8 variants, the
    /// one with the oldest access is evicted.
    ///
    /// - Parameters:
    ///   - charge: the bytes of the value and its key (``CacheCost``), for the account of this cache.
    ///   - varyNames: the names in the `Vary` field of the response.
    ///   - began: the time of this cache (`now`) when the request for the value began.
    ///   - isNewer: whether the value of an entry with the same key is newer. It is called with a lock of the cache.
    @discardableResult
    package func insert(
        _ value: Value,
        for key: Key,
        charge: CacheCharge,
        varyNames: [String] = [],
        began: UInt64 = .max,
        unless isNewer: (Value) -> Bool = { _ in false }
    ) -> Insertion {
        let (primary, index) = (key.primary, key.index)
        let (hash, indexHash) = (primary.hashValue, index.hashValue)
        let limits = limits
        let fits = charge.bytes <= min(limits.maxEntryBytes, limits.capacityBytes) && mayStore
        let new = Entry(key, value, hash: hash, charge: charge)
        var dropped: [CacheNode] = []
        let result: Insertion = withDropped(&dropped, shard(ofIndexHash: indexHash)) { state, dropped in
            guard !fences.reject(began, partition: key.partition, indexHash: indexHash) else { return .purged }
            if let old = entry(key, hash: hash, in: &state) {
                guard old.value.map(isNewer) != true else { return .outdated }
                remove(old, from: &state, &dropped)
            }
            guard fits else { return .tooLarge }
            let variants = entries(hash, in: state) { !$0.isRendition && $0.key.primary == primary }
            evict(variants, maxCount: Self.maxVariants - 1, from: &state, &dropped)
            add(new, to: index, hash: indexHash, varyNames: varyNames, in: &state)
            return .stored
        }
        dropped = []
        if evictsInInsertions { evict() }
        return result
    }

    /// Replaces the value of an entry, and keeps its renditions: the response was validated. The entry is no longer
    /// marked as stale.
    ///
    /// - Parameters:
    ///   - isCurrent: whether the entry has the value that was validated. It is called with a lock of the cache.
    ///   - varyNames: the names in the `Vary` field; `nil` to leave them unchanged.
    /// - Returns: `false` if nothing was changed, because there is no such entry, or because it was purged after the
    ///   request began.
    @discardableResult
    package func update(
        _ value: Value,
        for key: Key,
        charge: CacheCharge,
        varyNames: [String]? = nil,
        began: UInt64 = .max,
        if isCurrent: (Value) -> Bool
    ) -> Bool {
        let hash = key.primary.hashValue
        let indexHash = key.index.hashValue
        let maxEntryBytes = limits.maxEntryBytes
        var dropped: [CacheNode] = []
        var replaced: [(Value, CacheCharge)] = []
        let isUpdated = withDropped(&dropped, shard(ofIndexHash: indexHash)) { state, dropped in
            guard !fences.reject(began, partition: key.partition, indexHash: indexHash),
                let entry = entry(key, hash: hash, in: &state), let old = entry.value, isCurrent(old),
                charge.bytes <= maxEntryBytes
            else { return false }
            replaced.append((old, entry.charge))
            entry.charge.evict()
            charge.count()
            (entry.content, entry.charge) = (.value(value), charge)
            if let varyNames { unsafe entry.group?.varyNames = varyNames }
            refresh(entry, in: &state)
            entry.storedStamp = entry.stamp
            let renditions = renditions(of: entry, in: state)
            evict(
                renditions,
                maxCount: Self.maxRenditions,
                maxBytes: maxEntryBytes - charge.bytes,
                from: &state,
                &dropped
            )
            return true
        }
        // Without the lock, and before the size is compared with the capacity.
        replaced = []
        dropped = []
        if evictsInInsertions { evict() }
        return isUpdated
    }

    /// Stores a rendition of a response, and replaces the one with the same options. Of more than 32 renditions, or if
    /// the response becomes larger than `maxEntryBytes` with them, those with the oldest access are evicted.
    ///
    /// - Parameters:
    ///   - key: the key of the response.
    ///   - charge: the bytes of the rendition, for the account of this cache.
    ///   - isCurrent: whether the entry has the value from which the rendition was made. It is called with a lock of
    ///     the cache.
    /// - Returns: `false` if the rendition was not stored, because its response is not there, because both are larger
    ///   than `maxEntryBytes`, or because nothing is stored at the moment (``mayStore``).
    @discardableResult
    package func insert(
        _ rendition: Rendition,
        options: Key.Options,
        below key: Key,
        charge: CacheCharge,
        if isCurrent: (Value) -> Bool
    ) -> Bool {
        guard mayStore else { return false }
        let hash = key.primary.hashValue
        let maxEntryBytes = limits.maxEntryBytes
        var dropped: [CacheNode] = []
        let isStored = withDropped(&dropped, shard(ofIndexHash: key.index.hashValue)) { state, dropped in
            guard let entry = entry(key, hash: hash, in: &state), entry.value.map(isCurrent) == true,
                charge.bytes <= maxEntryBytes - entry.charge.bytes
            else { return false }
            if let old = self.rendition(options, of: entry, in: &state) { remove(old, from: &state, &dropped) }
            let renditions = renditions(of: entry, in: state)
            let maxBytes = maxEntryBytes - entry.charge.bytes - charge.bytes
            evict(renditions, maxCount: Self.maxRenditions - 1, maxBytes: maxBytes, from: &state, &dropped)
            state.renditionCount += 1
            add(Entry(rendition, options, of: entry, charge: charge), in: &state)
            refresh(entry, in: &state)
            return true
        }
        dropped = []
        if evictsInInsertions { evict() }
        return isStored
    }
}
