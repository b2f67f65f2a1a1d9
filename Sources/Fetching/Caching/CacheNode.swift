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

/// A stored response or rendition.
@usableFromInline
final class CacheEntry<Key: CacheEntryKey, Value: Sendable, Rendition: Sendable>: CacheNode, @unchecked Sendable {
    @usableFromInline
    enum Content {
        case value(Value)
        case rendition(Rendition)
    }

    @usableFromInline let key: Key
    @usableFromInline var content: Content
    var charge: CacheCharge
    /// The time of the insertion or the last update, as the value of the clock of the cache.
    @usableFromInline var storedStamp: UInt64 = 0
    // Those of a response. A rendition is in no group.
    @usableFromInline unowned(unsafe) var group: CacheGroup<Key, Value, Rendition>?
    unowned(unsafe) var previousInGroup: CacheEntry?
    unowned(unsafe) var nextInGroup: CacheEntry?

    init(_ key: Key, _ content: Content, hash: Int, charge: CacheCharge) {
        self.key = key
        self.content = content
        self.charge = charge
        super.init(hash: hash)
    }

    /// The response; `nil` if it is a rendition.
    @inlinable var value: Value? { if case .value(let value) = content { value } else { nil } }

    /// The rendition; `nil` if it is a response.
    @inlinable var rendition: Rendition? { if case .rendition(let rendition) = content { rendition } else { nil } }
}

/// The responses of an index key. It exists while it has some.
@usableFromInline
final class CacheGroup<Key: CacheEntryKey, Value: Sendable, Rendition: Sendable>: CacheNode, @unchecked Sendable {
    @usableFromInline let index: Key.Index
    @usableFromInline var varyNames: [String]
    var count = 0
    /// Responses that were stored earlier are stale.
    @usableFromInline var staleBefore: UInt64 = 0
    unowned(unsafe) var first: CacheEntry<Key, Value, Rendition>?

    init(_ index: Key.Index, hash: Int, varyNames: [String]) {
        self.index = index
        self.varyNames = varyNames
        super.init(hash: hash)
    }
}
