/// The number of requests per combination of labels: a hash table with open addressing and linear probing.
///
/// The number of slots is a power of two and at least twice the number of combinations, so that every search ends at an
/// empty slot.
struct RequestTable: Sendable {
    private struct Slot {
        /// The key of ``RequestLabels``; 0 if the slot is empty.
        var key: UInt32 = 0
        var requests: UInt64 = 0
    }

    private var slots = [Slot](repeating: Slot(), count: 64)

    /// The number of combinations.
    private(set) var count = 0

    @inline(__always) mutating func add(_ requests: UInt64, to labels: RequestLabels) {
        let mask = slots.count &- 1
        var index = Self.hash(labels.key) & mask
        while slots[index].key != labels.key {
            guard slots[index].key != 0 else { return insert(requests, labels) }
            index = (index &+ 1) & mask
        }
        slots[index].requests &+= requests
    }

    @inline(never) private mutating func insert(_ requests: UInt64, _ labels: RequestLabels) {
        count += 1
        if count * 2 > slots.count { grow() }
        place(Slot(key: labels.key, requests: requests))
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: old.count * 2)
        for slot in old where slot.key != 0 { place(slot) }
    }

    private mutating func place(_ slot: Slot) {
        var index = Self.hash(slot.key) & (slots.count - 1)
        while slots[index].key != 0 { index = (index + 1) & (slots.count - 1) }
        slots[index] = slot
    }

    /// Multiplicative hashing: the upper half of the product depends on all bits of the key.
    @inline(__always) private static func hash(_ key: UInt32) -> Int {
        Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }

    mutating func merge(_ other: borrowing RequestTable) {
        for slot in other.slots where slot.key != 0 { add(slot.requests, to: RequestLabels(key: slot.key)) }
    }

    /// The combinations in the order of their keys.
    var sorted: [(labels: RequestLabels, requests: UInt64)] {
        slots.filter { $0.key != 0 }.sorted { $0.key < $1.key }.map { (RequestLabels(key: $0.key), $0.requests) }
    }
}
