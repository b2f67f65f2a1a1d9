/// Names of members in one array, which are found by their hashes.
///
/// **Invariant.** Each name was added once, with an owner, which is a number that the user of the table chooses. Memory
/// is requested before an array grows. `FormOracle` (FuzzForm) and `CSVOracle` (FuzzCSV) check the results.
struct NameTable: ~Copyable {
    private struct Entry {
        /// The range in ``names``.
        var name: Range<Int32>
        var hash: UInt32
        var owner: Int32
    }

    private var names: [UInt8] = []
    private var entries: [Entry] = []
    /// Open addressing: the index of an entry plus 1, or 0. At most three quarters are used.
    private var buckets: [UInt32] = []
    private let nameHash = NameHash()

    /// Returns the owner of a name; `nil` if there is none.
    func owner(of name: Span<UInt8>) -> Int? {
        guard !buckets.isEmpty else { return nil }
        let hash = nameHash.hash(of: name)
        let mask = buckets.count - 1
        var bucket = Int(hash) & mask
        while buckets[bucket] != 0 {
            let entry = entries[Int(buckets[bucket]) - 1]
            if entry.hash == hash, withName(entry.name, { $0.equals(name) }) == true { return Int(entry.owner) }
            bucket = (bucket + 1) & mask
        }
        return nil
    }

    /// Adds a name that no entry has.
    /// - Returns: The range of the name, or `nil` if there is no memory.
    mutating func add(_ name: Span<UInt8>, owner: Int, _ memory: inout MemoryBudget) -> Range<Int32>? {
        guard memory.reserve(&names, name.count), memory.reserve(&entries, 1) else { return nil }
        let start = Int32(truncatingIfNeeded: names.count)
        names.append(name)
        let range = start..<Int32(truncatingIfNeeded: names.count)
        entries.append(Entry(name: range, hash: nameHash.hash(of: name), owner: Int32(truncatingIfNeeded: owner)))
        if entries.count * 4 > buckets.count * 3 {
            let count = max(64, buckets.count * 2)
            guard memory.take(count * MemoryLayout<UInt32>.stride) else { return nil }
            memory.release(buckets.count * MemoryLayout<UInt32>.stride)
            buckets = Array(repeating: 0, count: count)
            for index in entries.indices { link(index) }
        } else {
            link(entries.count - 1)
        }
        return range
    }

    private mutating func link(_ entry: Int) {
        let mask = buckets.count - 1
        var bucket = Int(entries[entry].hash) & mask
        while buckets[bucket] != 0 { bucket = (bucket + 1) & mask }
        buckets[bucket] = UInt32(truncatingIfNeeded: entry + 1)
    }

    /// Calls `body` with the name in a range that ``add(_:owner:_:)`` returned.
    func withName<Result>(_ range: Range<Int32>, _ body: (Span<UInt8>) -> Result) -> Result? {
        names.span.slice(Int(range.lowerBound)..<Int(range.upperBound), body)
    }

    func text(_ range: Range<Int32>) -> String { withName(range) { $0.text } ?? "" }
}
