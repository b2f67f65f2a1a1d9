import Fetching

/// The behaviour of `LRUCache` in the simplest form: one list in the order of the last access, and searches
/// through all of it.
struct CacheModel {
    struct Entry: Equatable {
        var key: SampleKey
        var value: String
        var bytes: Int
        var isStale = false
    }

    enum Node: Equatable {
        case entry(Entry)
        case rendition(SampleKey, options: String, bytes: Int)

        var key: SampleKey {
            switch self {
            case .entry(let entry): entry.key
            case .rendition(let key, _, _): key
            }
        }

        var bytes: Int {
            switch self {
            case .entry(let entry): entry.bytes
            case .rendition(_, _, let bytes): bytes
            }
        }

        var entry: Entry? {
            if case .entry(let entry) = self { entry } else { nil }
        }

        func isRendition(of key: SampleKey, _ options: String? = nil) -> Bool {
            guard case .rendition(key, let found, _) = self else { return false }
            return options == nil || found == options
        }
    }

    var limits: CacheLimits
    /// The nodes, the one with the oldest access first.
    private(set) var nodes: [Node] = []
    private(set) var counters = CacheCounters()

    init(limits: CacheLimits) {
        self.limits = limits
    }

    var usedBytes: Int { nodes.reduce(0) { $0 + $1.bytes } }
    var entries: [Entry] { nodes.compactMap(\.entry) }
    var renditionCount: Int { nodes.count - entries.count }

    func entry(_ key: SampleKey) -> Entry? {
        entries.first { $0.key == key }
    }

    mutating func insert(_ value: String, for key: SampleKey, bytes: Int) -> Bool {
        defer { evict() }
        nodes.removeAll { $0.key == key }
        guard bytes <= limits.maxEntryBytes, bytes <= limits.capacityBytes, limits.capacityBytes > 0 else {
            return false
        }
        let variants = entries.filter { $0.key.primary == key.primary }
        if variants.count == 8 { evict(variants[0].key) }
        nodes.append(.entry(Entry(key: key, value: value, bytes: bytes)))
        return true
    }

    mutating func update(_ value: String, for key: SampleKey, bytes: Int) -> Bool {
        defer { evict() }
        guard entry(key) != nil, bytes <= limits.maxEntryBytes else { return false }
        nodes.removeAll { $0.entry?.key == key }
        nodes.append(.entry(Entry(key: key, value: value, bytes: bytes)))
        evictRenditions(of: key, maxCount: 32, maxBytes: limits.maxEntryBytes)
        return true
    }

    mutating func insert(rendition options: String, below key: SampleKey, bytes: Int) -> Bool {
        defer { evict() }
        guard let entry = entry(key), bytes <= limits.maxEntryBytes - entry.bytes else { return false }
        nodes.removeAll { $0.isRendition(of: key, options) }
        evictRenditions(of: key, maxCount: 31, maxBytes: limits.maxEntryBytes - bytes)
        nodes.append(.rendition(key, options: options, bytes: bytes))
        refresh { $0.entry?.key == key }
        return true
    }

    mutating func hit(_ key: SampleKey, rendition options: String) -> (entry: Entry?, hasRendition: Bool) {
        guard let entry = entry(key) else {
            counters.misses += 1
            return (nil, false)
        }
        counters.hits += 1
        let hasRendition = refresh { $0.isRendition(of: key, options) }
        counters.renditionHits += hasRendition ? 1 : 0
        counters.renditionMisses += hasRendition ? 0 : 1
        refresh { $0.entry?.key == key }
        return (entry, hasRendition)
    }

    mutating func purge(isSoft: Bool, _ isPurged: (SampleKey) -> Bool) -> Int {
        let keys = entries.map(\.key).filter(isPurged)
        if isSoft {
            counters.staleEntries += keys.count
            nodes = nodes.map { node in
                guard case .entry(var entry) = node, keys.contains(entry.key) else { return node }
                entry.isStale = true
                return .entry(entry)
            }
        } else {
            counters.purgedEntries += keys.count
            nodes.removeAll { keys.contains($0.key) }
        }
        return keys.count
    }

    @discardableResult
    private mutating func refresh(_ isSelected: (Node) -> Bool) -> Bool {
        guard let index = nodes.firstIndex(where: isSelected) else { return false }
        nodes.append(nodes.remove(at: index))
        return true
    }

    private mutating func evictRenditions(of key: SampleKey, maxCount: Int, maxBytes: Int) {
        func isTooMuch() -> Bool {
            let own = nodes.filter { $0.key == key }
            return own.count - 1 > maxCount || own.reduce(0) { $0 + $1.bytes } > maxBytes
        }
        while isTooMuch(), let index = nodes.firstIndex(where: { $0.isRendition(of: key) }) { evict(at: index) }
    }

    mutating func evict() {
        guard usedBytes > limits.capacityBytes else { return }
        evictToSizeAfterPurge()
    }

    mutating func evictToSizeAfterPurge() {
        while usedBytes > limits.bytesAfterPurge { evict(at: 0) }
    }

    private mutating func evict(_ key: SampleKey) {
        while let index = nodes.firstIndex(where: { $0.key == key }) { evict(at: index) }
    }

    private mutating func evict(at index: Int) {
        let node = nodes.remove(at: index)
        counters.evictedBytes += node.bytes
        if node.entry == nil { counters.evictedRenditions += 1 } else { counters.evictedEntries += 1 }
    }
}
