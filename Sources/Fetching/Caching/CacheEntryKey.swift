/// The key of an entry of ``LRUCache``.
///
/// A key is equal to another one only if all of it is. `index` and `primary` are parts of the key: equal keys have
/// equal parts.
///
///     partition ⊃ index key ⊃ primary key ⊃ key
///     tenant      URL         fields        the values of the fields that Vary names
@usableFromInline
package protocol CacheEntryKey: Hashable, Sendable {
    /// The part that all responses to requests for one URL have in common. It includes the partition.
    associatedtype Index: Hashable, Sendable
    /// The part that all variants of a response have in common. It includes the index key.
    associatedtype Primary: Hashable, Sendable
    /// What distinguishes the renditions of a response.
    associatedtype Options: Equatable, Sendable

    var partition: String { get }
    var index: Index { get }
    var primary: Primary { get }
}
