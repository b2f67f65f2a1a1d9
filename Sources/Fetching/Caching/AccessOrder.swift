/// The nodes of a shard in the order of their last access: a doubly linked list through the nodes, without ownership.
///
/// The links are `unowned(unsafe)`, because counting references would cost more than everything else that a hit does.
/// They are valid: a shard removes a node from this list under the same lock under which it removes the node from the
/// table, or the rendition from the entry, that owns it; and a link points only to a node of the same list.
/// `LRUCache` releases a removed node after both.
struct AccessOrder {
    private unowned(unsafe) var first: CacheNode?
    private unowned(unsafe) var last: CacheNode?

    /// The node with the oldest access.
    var oldest: CacheNode? { unsafe first }

    /// Appends a node that is in no list, as the newest.
    mutating func append(_ node: CacheNode) {
        // The shard owns the node as long as it is in this list.
        unsafe node.older = last
        unsafe node.newer = nil
        if let last = unsafe last { unsafe last.newer = node } else { unsafe first = node }
        unsafe last = node
    }

    mutating func remove(_ node: CacheNode) {
        // The neighbours are in the same list, and so are owned by the same shard.
        if let older = unsafe node.older { unsafe older.newer = node.newer } else { unsafe first = node.newer }
        if let newer = unsafe node.newer { unsafe newer.older = node.older } else { unsafe last = node.older }
        unsafe node.older = nil
        unsafe node.newer = nil
    }

    mutating func makeNewest(_ node: CacheNode) {
        guard unsafe last !== node else { return }
        remove(node)
        append(node)
    }
}
