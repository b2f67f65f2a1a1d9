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

    init(hash: Int) { self.hash = hash }
}

/// A stored response or rendition.
@usableFromInline
final class CacheEntry<Key: CacheEntryKey, Value: Sendable, Rendition: Sendable>: CacheNode, @unchecked Sendable {
    @usableFromInline
    enum Content {
        case value(Value)
        case rendition(Rendition, Key.Options)
    }

    /// The key of the response.
    @usableFromInline let key: Key
    @usableFromInline var content: Content
    var charge: CacheCharge
    /// The time of the insertion or the last update, as the value of the clock of the cache.
    @usableFromInline var storedStamp: UInt64 = 0
    /// The response of a rendition, which is in the cache as long as the rendition.
    @usableFromInline unowned(unsafe) let source: CacheEntry?
    // Those of a response. A rendition is in no group.
    @usableFromInline unowned(unsafe) var group: CacheGroup<Key, Value, Rendition>?
    unowned(unsafe) var previousInGroup: CacheEntry?
    unowned(unsafe) var nextInGroup: CacheEntry?

    init(_ key: Key, _ value: Value, hash: Int, charge: CacheCharge) {
        self.key = key
        content = .value(value)
        unsafe source = nil
        self.charge = charge
        super.init(hash: hash)
    }

    init(_ rendition: Rendition, _ options: Key.Options, of source: CacheEntry, charge: CacheCharge) {
        key = source.key
        content = .rendition(rendition, options)
        unsafe self.source = source
        self.charge = charge
        super.init(hash: source.renditionHash)
    }

    /// The hash of the renditions of a response. With another low bit, they are in another bucket than the response, so
    /// that a search for it does not compare them.
    @inlinable var renditionHash: Int { hash ^ 1 }

    var isRendition: Bool { value == nil }

    /// The response; `nil` if it is a rendition.
    @inlinable var value: Value? { if case .value(let value) = content { value } else { nil } }

    /// The rendition; `nil` if it is a response.
    @inlinable var rendition: Rendition? { if case .rendition(let rendition, _) = content { rendition } else { nil } }
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
