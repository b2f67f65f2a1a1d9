/// Finds keys that a dictionary has more than once, by the text that they mean and not by the object that holds it.
///
/// Up to 16 keys are compared in pairs, more go through a table of hashes seeded per process (``NameHash``).
struct PropertyListKeys {
    private var hashes: [UInt32] = []
    private var slots: [UInt32] = []
    private let nameHash = NameHash()

    /// The first members that do not count, as indices in ascending order, and the member that each loses to.
    /// - Parameter keys: the key objects in order.
    mutating func losers(
        among keys: [PropertyListObject],
        keeping policy: DuplicateNames,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> [Int] {
        guard keys.count > 1, policy != .keep else { return [] }
        hashes.removeAll(keepingCapacity: true)
        for key in keys {
            hashes.append(graph.withUTF8(of: key, bytes) { hash(of: $0) })
        }
        return keys.count <= 16
            ? losersInPairs(keys, policy, graph, bytes) : losersInTable(keys, policy, graph, bytes)
    }

    private func hash(of name: Span<UInt8>) -> UInt32 {
        // Lent for the call.
        unsafe name.withUnsafeBufferPointer { bytes in
            unsafe JSONSource(bytes).hash(of: 0..<bytes.count, hasEscapes: false, nameHash)
        }
    }

    private func losersInPairs(
        _ keys: [PropertyListObject],
        _ policy: DuplicateNames,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> [Int] {
        var losers: [Int] = []
        for index in keys.indices.dropFirst() {
            // The last equal one before it: of three, the second loses to the third and the first to the second.
            for earlier in (0..<index).reversed()
            where hashes[earlier] == hashes[index] && graph.isSameText(keys[earlier], keys[index], bytes) {
                losers.append(policy == .last ? earlier : index)
                break
            }
        }
        return policy == .last ? losers.sorted() : losers
    }

    private mutating func losersInTable(
        _ keys: [PropertyListObject],
        _ policy: DuplicateNames,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> [Int] {
        var size = 64
        while size < keys.count * 2 { size *= 2 }
        let empty = UInt32.max
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: repeatElement(empty, count: size))
        var losers: [Int] = []
        for index in keys.indices {
            var slot = Int(hashes[index]) & (size - 1)
            while slots[slot] != empty {
                let earlier = Int(slots[slot])
                if hashes[earlier] == hashes[index], graph.isSameText(keys[earlier], keys[index], bytes) {
                    losers.append(policy == .last ? earlier : index)
                    break
                }
                slot = (slot + 1) & (size - 1)
            }
            slots[slot] = UInt32(truncatingIfNeeded: index)
        }
        return policy == .last ? losers.sorted() : losers
    }
}

extension PropertyListGraph {
    /// Whether two string objects read the same.
    fileprivate func isSameText(_ first: PropertyListObject, _ second: PropertyListObject, _ bytes: Span<UInt8>) -> Bool
    {
        withUTF8(of: first, bytes) { first in
            withUTF8(of: second, bytes) { second in
                first.count == second.count && first.indices.allSatisfy { first[$0] == second[$0] }
            }
        }
    }
}
