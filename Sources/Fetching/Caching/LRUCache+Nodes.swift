internal import Synchronization

/// The changes of one shard, which its lock protects.
extension LRUCache {
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
    func tick() -> UInt64 { clock.wrappingAdd(1, ordering: .relaxed).newValue }

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

    /// Returns the entries whose primary key has this hash, and that satisfy a condition.
    func entries(_ hash: Int, in state: borrowing CacheShard.State, where isSelected: (Entry) -> Bool) -> [Entry] {
        var selected: [Entry] = []
        var next = state.entries.chain(of: hash)
        while let node = next {
            if node.hash == hash, isSelected(asEntry(node)) { selected.append(asEntry(node)) }
            next = node.chain
        }
        return selected
    }

    /// Returns the renditions of a response.
    func renditions(of entry: Entry, in state: borrowing CacheShard.State) -> [Entry] {
        // The pointer is compared only.
        entries(entry.renditionHash, in: state) { unsafe $0.source === entry }
    }

    @inlinable
    func rendition(_ options: Key.Options, of entry: Entry, in state: inout CacheShard.State) -> Entry? {
        let hash = entry.renditionHash
        var next = state.entries.chain(of: hash)
        while let node = next {
            if node.hash == hash {
                let found = asEntry(node)
                // The pointer is compared only.
                if unsafe found.source === entry, case .rendition(_, let others) = found.content, others == options {
                    return found
                }
            }
            next = node.chain
        }
        return nil
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
        add(entry, in: &state)
    }

    func add(_ entry: Entry, in state: inout CacheShard.State) {
        entry.charge.count()
        state.entries.insert(entry)
        entry.stamp = tick()
        entry.storedStamp = entry.stamp
        state.order.append(entry)
    }

    /// Removes an entry, with the renditions of a response, and returns their size in bytes.
    @discardableResult
    func remove(_ entry: Entry, from state: inout CacheShard.State, _ dropped: inout [CacheNode]) -> Int {
        // The tables must not release the last reference, while the lock is held.
        dropped.append(entry)
        entry.charge.evict()
        state.order.remove(entry)
        if let buckets = state.entries.remove(entry) { dropped.append(buckets) }
        guard !entry.isRendition else {
            state.renditionCount -= 1
            return entry.charge.bytes
        }
        let bytes = renditions(of: entry, in: state).reduce(entry.charge.bytes) {
            $0 + remove($1, from: &state, &dropped)
        }
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
        return bytes
    }

    /// Evicts an entry, and returns what it has freed, in bytes.
    @discardableResult
    func evict(_ entry: Entry, from state: inout CacheShard.State, _ dropped: inout [CacheNode]) -> Int {
        let renditionCount = state.renditionCount
        let freedBytes = remove(entry, from: &state, &dropped)
        state.counters.evictedRenditions += renditionCount - state.renditionCount
        state.counters.evictedEntries += entry.isRendition ? 0 : 1
        state.counters.evictedBytes += freedBytes
        return freedBytes
    }

    /// Evicts those of `entries` with the oldest access until there are at most `maxCount`, with at most `maxBytes`.
    func evict(
        _ entries: [Entry],
        maxCount: Int,
        maxBytes: Int = .max,
        from state: inout CacheShard.State,
        _ dropped: inout [CacheNode]
    ) {
        var (count, bytes) = (entries.count, entries.reduce(0) { $0 + $1.charge.bytes })
        guard count > maxCount || bytes > maxBytes else { return }
        for entry in entries.sorted(by: { $0.stamp < $1.stamp }) where count > maxCount || bytes > maxBytes {
            count -= 1
            bytes -= entry.charge.bytes
            evict(entry, from: &state, &dropped)
        }
    }
}
