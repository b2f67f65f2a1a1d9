/// Finds keys that occur more than once in a dictionary. Keys are compared by their text, not by their object.
///
/// Up to 16 keys are compared in pairs. More keys use a table of hashes with a seed per process (``NameHash``), with
/// four bytes for each key that can differ from the others. A slot contains the index of the member and, in the bits
/// above it, those of the hash, so that almost only equal keys are compared.
struct PropertyListKeys {
    private var hashes: [UInt32] = []
    private var slots: [UInt32] = []
    private let nameHash = NameHash()

    private static let maxPaired = 16

    /// Returns the overridden members, or `nil` if there are none.
    mutating func overriddenMembers(
        of dictionary: PropertyListObject,
        keeping policy: DuplicateNames,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> MemberSet? {
        let count = Int(dictionary.count)
        guard count > 1, policy != .keep else { return nil }
        return count <= Self.maxPaired
            ? overriddenInPairs(dictionary, policy, graph, bytes) : overriddenInTable(dictionary, policy, graph, bytes)
    }

    private func hash(
        of key: PropertyListObject,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> UInt32 {
        graph.withUTF8(of: key, bytes) { name in
            // The bytes are valid for the duration of the call.
            unsafe name.withUnsafeBufferPointer { bytes in
                unsafe JSONSource(bytes).hash(of: 0..<bytes.count, hasEscapes: false, nameHash)
            }
        }
    }

    private mutating func overriddenInPairs(
        _ dictionary: PropertyListObject,
        _ policy: DuplicateNames,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> MemberSet? {
        var overridden: MemberSet?
        hashes.removeAll(keepingCapacity: true)
        for index in 0..<Int(dictionary.count) {
            let key = graph.key(index, of: dictionary, bytes)
            let hash = hash(of: key, graph, bytes)
            // The last equal key before it: of three, the third overrides the second, and the second the first.
            for earlier in (0..<index).reversed()
            where hashes[earlier] == hash && graph.isSameText(graph.key(earlier, of: dictionary, bytes), key, bytes) {
                overridden = overridden ?? MemberSet(count: Int(dictionary.count))
                overridden?.insert(policy == .last ? earlier : index)
                break
            }
            hashes.append(hash)
        }
        return overridden
    }

    private mutating func overriddenInTable(
        _ dictionary: PropertyListObject,
        _ policy: DuplicateNames,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> MemberSet? {
        let count = Int(dictionary.count)
        // At most three quarters of the slots are used.
        let size = UInt64(min(count, graph.distinctObjects)) * 4 / 3 + 1
        let indexBits = UInt32(
            truncatingIfNeeded: UInt32.bitWidth - UInt32(truncatingIfNeeded: count).leadingZeroBitCount
        )
        let mask = indexBits < 32 ? (1 << indexBits) - 1 : UInt32.max
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: repeatElement(0, count: Int(size)))
        var overridden: MemberSet?
        for index in 0..<count {
            let key = graph.key(index, of: dictionary, bytes)
            let hash = hash(of: key, graph, bytes)
            var slot = Int((UInt64(hash) * size) >> 32)
            let entry = hash << indexBits | UInt32(truncatingIfNeeded: index + 1)
            while case let other = slots[slot], other != 0 {
                if (other ^ entry) & ~mask == 0 {
                    let earlier = Int(other & mask) - 1
                    if graph.isSameText(graph.key(earlier, of: dictionary, bytes), key, bytes) {
                        overridden = overridden ?? MemberSet(count: count)
                        overridden?.insert(policy == .last ? earlier : index)
                        break
                    }
                }
                slot = slot + 1 < Int(size) ? slot + 1 : 0
            }
            if slots[slot] == 0 || policy == .last { slots[slot] = entry }
        }
        return overridden
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

    /// Returns the index of the first key with the same text as the key at `index`, or `nil` if there is none before
    /// it.
    func firstKey(
        likeThatAt index: Int,
        of dictionary: PropertyListObject,
        _ bytes: Span<UInt8>
    ) -> PropertyListObject? {
        let repeated = key(index, of: dictionary, bytes)
        for earlier in 0..<index {
            let key = key(earlier, of: dictionary, bytes)
            if isSameText(key, repeated, bytes) { return key }
        }
        return nil
    }

    /// Returns whether two string objects have the same text.
    fileprivate func isSameText(_ first: PropertyListObject, _ second: PropertyListObject, _ bytes: Span<UInt8>) -> Bool
    {
        if first.kind == second.kind, first.start == second.start, first.count == second.count { return true }
        return withUTF8(of: first, bytes) { first in
            withUTF8(of: second, bytes) { second in
                first.count == second.count && first.indices.allSatisfy { first[$0] == second[$0] }
            }
        }
    }
}
