/// An object of a shard, which is linked into the structures of the shard.
///
/// - `chain` links the nodes of one bucket of a ``BucketTable``, which owns its nodes.
/// - `older` and `newer` link the nodes of an ``AccessOrder``, which does not.
///
/// @unchecked Sendable: all variables of a node and of its subclasses are accessed only with the lock of the shard that
/// contains the node, or before it was inserted. A node that was removed from its shard is only released.
@usableFromInline
class CacheNode: @unchecked Sendable {
    /// The hash by which the node is found in its table.
    @usableFromInline final let hash: Int
    @usableFromInline final var chain: CacheNode?
    final unowned(unsafe) var older: CacheNode?
    final unowned(unsafe) var newer: CacheNode?
    /// The time of the last access, as the value of the clock of the cache.
    final var stamp: UInt64 = 0

    init(hash: Int) {
        self.hash = hash
    }
}

/// A node that is evicted by the time of its last access.
@usableFromInline
class ChargedNode: CacheNode, @unchecked Sendable {
    final var charge: CacheCharge

    init(hash: Int, charge: CacheCharge) {
        self.charge = charge
        super.init(hash: hash)
    }
}

/// A stored response.
@usableFromInline
final class CacheEntry<Key: CacheEntryKey, Value: Sendable, Rendition: Sendable>: ChargedNode, @unchecked Sendable {
    @usableFromInline let key: Key
    @usableFromInline var value: Value
    /// The time of the insertion or the last update, as the value of the clock of the cache.
    @usableFromInline var storedStamp: UInt64 = 0
    /// Its renditions, in no particular order.
    @usableFromInline var renditions: [RenditionNode<Key, Value, Rendition>] = []
    @usableFromInline unowned(unsafe) var group: CacheGroup<Key, Value, Rendition>?
    unowned(unsafe) var previousInGroup: CacheEntry?
    unowned(unsafe) var nextInGroup: CacheEntry?

    init(_ key: Key, _ value: Value, hash: Int, charge: CacheCharge) {
        self.key = key
        self.value = value
        super.init(hash: hash, charge: charge)
    }

    /// The number of bytes of the entry and its renditions.
    var totalBytes: Int { renditions.reduce(charge.bytes) { $0 + $1.charge.bytes } }
}

/// A rendition of a stored response, which its entry owns.
@usableFromInline
final class RenditionNode<Key: CacheEntryKey, Value: Sendable, Rendition: Sendable>: ChargedNode, @unchecked Sendable {
    @usableFromInline let options: Key.Options
    @usableFromInline let rendition: Rendition
    unowned(unsafe) let entry: CacheEntry<Key, Value, Rendition>

    init(
        _ rendition: Rendition,
        _ options: Key.Options,
        hash: Int,
        of entry: CacheEntry<Key, Value, Rendition>,
        charge: CacheCharge
    ) {
        self.rendition = rendition
        self.options = options
        unsafe self.entry = entry
        super.init(hash: hash, charge: charge)
    }
}

/// The entries of an index key. It exists while it has entries.
@usableFromInline
final class CacheGroup<Key: CacheEntryKey, Value: Sendable, Rendition: Sendable>: CacheNode, @unchecked Sendable {
    @usableFromInline let index: Key.Index
    @usableFromInline var varyNames: [String]
    var count = 0
    /// Entries that were stored earlier are stale.
    @usableFromInline var staleBefore: UInt64 = 0
    unowned(unsafe) var first: CacheEntry<Key, Value, Rendition>?

    init(_ index: Key.Index, hash: Int, varyNames: [String]) {
        self.index = index
        self.varyNames = varyNames
        super.init(hash: hash)
    }
}
