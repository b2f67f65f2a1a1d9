/// Finds keys that occur more than once in a dictionary. Keys are compared by their text, not by their object.
///
/// Up to 16 keys are compared in pairs. More keys use a table of hashes with a seed per process (``NameHash``), with
/// four bytes for each key that can differ from the others. A bucket contains the index of the member and, in the bits
/// above it, those of the hash, so that almost only equal keys are compared.
struct PropertyListKeys {
    private var hashes: [UInt32] = []
    private var buckets: [UInt32] = []
    private let nameHash = NameHash()

    private static let maxPaired = 16

    /// The keys of one dictionary that repeat earlier ones.
    struct Repetitions {
        /// The members that are left out.
        private(set) var overridden: MemberSet
        /// The first repetitions, in the order of the dictionary, each with the index of the first key that it equals.
        private(set) var listed: [(index: Int, first: Int)] = []
        private(set) var unlistedCount = 0
        private let maxListed: Int
        private let policy: DuplicateNames

        fileprivate init(count: Int, policy: DuplicateNames, maxListed: Int) {
            overridden = MemberSet(count: count)
            self.policy = policy
            self.maxListed = maxListed
        }

        /// - Parameter earlier: the first key that equals the one at `index`, or a repetition of it that was noted
        ///   before.
        fileprivate mutating func note(_ index: Int, repeats earlier: Int) {
            overridden.insert(policy == .last ? earlier : index)
            guard listed.count < maxListed else { return unlistedCount += 1 }
            listed.append((index, first(of: earlier)))
        }

        /// Returns the first key that the one at `index` repeats, or `index` if it is the first one.
        private func first(of index: Int) -> Int {
            // Repetitions are noted in ascending order.
            let position = listed.indices.partitioningIndex { listed[$0].index >= index }
            return position < listed.count && listed[position].index == index ? listed[position].first : index
        }
    }

    /// The repeated keys of a dictionary; `nil` if there are none, or `policy` keeps all members.
    /// - Parameter maxListed: the maximum number of listed repetitions; the others are counted.
    mutating func repetitions(
        of dictionary: PropertyListObject,
        keeping policy: DuplicateNames,
        maxListed: Int,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> Repetitions? {
        let count = Int(dictionary.count)
        guard count > 1, policy != .keep else { return nil }
        var repetitions: Repetitions?
        func note(_ index: Int, repeats earlier: Int) {
            if repetitions == nil {
                repetitions = Repetitions(count: count, policy: policy, maxListed: maxListed)
            }
            repetitions?.note(index, repeats: earlier)
        }
        if count <= Self.maxPaired {
            findInPairs(dictionary, graph, bytes, note)
        } else {
            findInTable(dictionary, policy, graph, bytes, note)
        }
        return repetitions
    }

    private func hash(
        of key: PropertyListObject,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> UInt32 {
        graph.withUTF8(of: key, bytes) { nameHash.hash(of: $0) }
    }

    private mutating func findInPairs(
        _ dictionary: PropertyListObject,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>,
        _ note: (_ index: Int, _ earlier: Int) -> Void
    ) {
        hashes.removeAll(keepingCapacity: true)
        for index in 0..<Int(dictionary.count) {
            let key = graph.key(index, of: dictionary, bytes)
            let hash = hash(of: key, graph, bytes)
            // The last equal key before it: with `last`, the second of three replaces the first, and the third the
            // second.
            for earlier in (0..<index).reversed()
            where hashes[earlier] == hash && graph.isSameText(graph.key(earlier, of: dictionary, bytes), key, bytes) {
                note(index, earlier)
                break
            }
            hashes.append(hash)
        }
    }

    private mutating func findInTable(
        _ dictionary: PropertyListObject,
        _ policy: DuplicateNames,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>,
        _ note: (_ index: Int, _ earlier: Int) -> Void
    ) {
        let count = Int(dictionary.count)
        // At most three quarters of the buckets are used.
        let size = UInt64(min(count, graph.distinctObjects)) * 4 / 3 + 1
        let indexBits = UInt32(
            truncatingIfNeeded: UInt32.bitWidth - UInt32(truncatingIfNeeded: count).leadingZeroBitCount
        )
        let mask = indexBits < 32 ? (1 << indexBits) - 1 : UInt32.max
        buckets.removeAll(keepingCapacity: true)
        buckets.append(contentsOf: repeatElement(0, count: Int(size)))
        for index in 0..<count {
            let key = graph.key(index, of: dictionary, bytes)
            let hash = hash(of: key, graph, bytes)
            var bucket = Int((UInt64(hash) * size) >> 32)
            let entry = hash << indexBits | UInt32(truncatingIfNeeded: index + 1)
            while case let other = buckets[bucket], other != 0 {
                if (other ^ entry) & ~mask == 0 {
                    let earlier = Int(other & mask) - 1
                    if graph.isSameText(graph.key(earlier, of: dictionary, bytes), key, bytes) {
                        note(index, earlier)
                        break
                    }
                }
                bucket = bucket + 1 < Int(size) ? bucket + 1 : 0
            }
            if buckets[bucket] == 0 || policy == .last { buckets[bucket] = entry }
        }
    }
}

extension PropertyListGraph {
    /// Returns the key of a member.
    @inline(__always) func key(
        _ index: Int,
        of dictionary: PropertyListObject,
        _ bytes: Span<UInt8>
    ) -> PropertyListObject {
        object(reference(index, of: dictionary, bytes), bytes)
    }

    /// Whether two string objects read the same.
    fileprivate func isSameText(_ first: PropertyListObject, _ second: PropertyListObject, _ bytes: Span<UInt8>) -> Bool
    {
        if first.kind == second.kind, first.start == second.start, first.count == second.count { return true }
        return withUTF8(of: first, bytes) { first in
            withUTF8(of: second, bytes) { first.equals($0) }
        }
    }
}
