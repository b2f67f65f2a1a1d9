internal import Synchronization

/// The changes of one shard, which its lock protects.
extension AutoPurgingCache {
    /// Runs `body` with the lock of a shard. The nodes that it adds to `dropped` are released by the caller, without
    /// the lock.
    func withDropped<Result: Sendable>(
        _ dropped: inout [CacheNode],
        _ shard: CacheShard,
        _ body: (inout CacheShard.State, inout [CacheNode]) -> Result
    ) -> Result {
        shard.withLock { body(&$0, &dropped) }
    }

    /// Returns the next time of the clock.
    func tick() -> UInt64 {
        clock.wrappingAdd(1, ordering: .relaxed).newValue
    }

    @usableFromInline
    func refresh(_ node: CacheNode, in state: inout CacheShard.State) {
        node.stamp = tick()
        state.order.makeNewest(node)
    }

    @inlinable
    func isMarkedStale(_ entry: Entry) -> Bool {
        // The group of an entry exists as long as the entry is in the shard.
        unsafe entry.storedStamp < entry.group?.staleBefore ?? 0
    }

    // MARK: Searching

    @inlinable
    func entry(_ key: Key, hash: Int, in state: inout CacheShard.State) -> Entry? {
        var next = state.entries.chain(of: hash)
        while let node = next {
            if node.hash == hash {
                let entry = asEntry(node)
                if entry.key == key { return entry }
            }
            next = node.chain
        }
        return nil
    }

    func variants(_ primary: Key.Primary, hash: Int, in state: inout CacheShard.State) -> [Entry] {
        var variants: [Entry] = []
        var next = state.entries.chain(of: hash)
        while let node = next {
            if node.hash == hash {
                let entry = asEntry(node)
                if entry.key.primary == primary { variants.append(entry) }
            }
            next = node.chain
        }
        return variants
    }

    @inlinable
    func group(_ index: Key.Index, hash: Int, in state: inout CacheShard.State) -> Group? {
        var next = state.groups.chain(of: hash)
        while let node = next {
            if node.hash == hash {
                let group = asGroup(node)
                if group.index == index { return group }
            }
            next = node.chain
        }
        return nil
    }

    @inlinable
    func rendition(_ options: Key.Options, of entry: Entry) -> Node? {
        if entry.renditions.isEmpty { return nil }
        let hash = options.hashValue
        return entry.renditions.first { $0.hash == hash && $0.options == options }
    }

    @inlinable
    func asEntry(_ node: CacheNode) -> Entry {
        // The table of entries contains only entries of this cache.
        unsafe unsafeDowncast(node, to: Entry.self)
    }

    @inlinable
    func asGroup(_ node: CacheNode) -> Group {
        // The table of groups contains only groups of this cache.
        unsafe unsafeDowncast(node, to: Group.self)
    }

    // MARK: Changing

    func add(_ entry: Entry, to index: Key.Index, hash: Int, varyNames: [String], in state: inout CacheShard.State) {
        let group: Group
        if let existing = self.group(index, hash: hash, in: &state) {
            group = existing
            group.varyNames = varyNames
        } else {
            group = Group(index, hash: hash, varyNames: varyNames)
            state.groups.insert(group)
        }
        // The entries of a group and the group are owned by the tables of the same shard. `remove` clears these links
        // first.
        unsafe entry.group = group
        unsafe entry.nextInGroup = group.first
        if let first = unsafe group.first { unsafe first.previousInGroup = entry }
        unsafe group.first = entry
        group.count += 1
        state.entries.insert(entry)
        entry.stamp = tick()
        entry.storedStamp = entry.stamp
        state.order.append(entry)
    }

    /// Removes an entry and its renditions, and returns their size in bytes.
    @discardableResult
    func remove(_ entry: Entry, from state: inout CacheShard.State, _ dropped: inout [CacheNode]) -> Int {
        // The tables must not release the last reference, while the lock is held.
        dropped.append(entry)
        entry.charge.evict()
        for rendition in entry.renditions {
            rendition.charge.evict()
            state.order.remove(rendition)
        }
        state.renditionCount -= entry.renditions.count
        state.order.remove(entry)
        if let buckets = state.entries.remove(entry) { dropped.append(buckets) }
        // The neighbours in the group are entries in the same shard.
        if let previous = unsafe entry.previousInGroup {
            unsafe previous.nextInGroup = entry.nextInGroup
        } else {
            unsafe entry.group?.first = entry.nextInGroup
        }
        if let next = unsafe entry.nextInGroup { unsafe next.previousInGroup = entry.previousInGroup }
        if let group = unsafe entry.group {
            group.count -= 1
            if group.count == 0 {
                dropped.append(group)
                if let buckets = state.groups.remove(group) { dropped.append(buckets) }
            }
        }
        unsafe entry.group = nil
        unsafe entry.previousInGroup = nil
        unsafe entry.nextInGroup = nil
        return entry.totalBytes
    }

    /// Removes a rendition, and returns its size in bytes.
    @discardableResult
    func remove(_ node: Node, from state: inout CacheShard.State, _ dropped: inout [CacheNode]) -> Int {
        dropped.append(node)
        node.charge.evict()
        state.order.remove(node)
        // The entry owns the rendition until here.
        let entry = unsafe node.entry
        if let index = entry.renditions.firstIndex(where: { $0 === node }) {
            entry.renditions.swapAt(index, entry.renditions.count - 1)
            entry.renditions.removeLast()
        }
        state.renditionCount -= 1
        return node.charge.bytes
    }

    /// Evicts variants of a primary key until there is place for another one.
    func evictVariants(
        of primary: Key.Primary,
        hash: Int,
        from state: inout CacheShard.State,
        _ dropped: inout [CacheNode]
    ) {
        var variants = variants(primary, hash: hash, in: &state)
        while variants.count >= Self.maxVariants,
            let oldest = variants.indices.min(by: { variants[$0].stamp < variants[$1].stamp })
        {
            let entry = variants.remove(at: oldest)
            state.counters.evictedEntries += 1
            state.counters.evictedRenditions += entry.renditions.count
            state.counters.evictedBytes += remove(entry, from: &state, &dropped)
        }
    }

    /// Evicts the renditions of an entry with the oldest access until it has at most `maxCount`, and at most `maxBytes`
    /// with all of them.
    func evictRenditions(
        of entry: Entry,
        maxCount: Int,
        maxBytes: Int,
        from state: inout CacheShard.State,
        _ dropped: inout [CacheNode]
    ) {
        var bytes = entry.totalBytes
        while entry.renditions.count > maxCount || bytes > maxBytes,
            let oldest = entry.renditions.min(by: { $0.stamp < $1.stamp })
        {
            let freedBytes = remove(oldest, from: &state, &dropped)
            bytes -= freedBytes
            state.counters.evictedRenditions += 1
            state.counters.evictedBytes += freedBytes
        }
    }
}
