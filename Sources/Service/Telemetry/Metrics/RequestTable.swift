/// The number of requests per combination of labels: a hash table with open addressing and linear probing.
///
/// The number of buckets is a power of two and at least twice the number of combinations, so that every search ends at
/// an empty bucket.
struct RequestTable: Sendable {
    private struct Bucket {
        /// The key of ``RequestLabels``; 0 if the bucket is empty.
        var key: UInt32 = 0
        var requests: UInt64 = 0
    }

    private var buckets = [Bucket](repeating: Bucket(), count: 64)

    /// The number of combinations.
    private(set) var count = 0

    @inline(__always) mutating func add(_ requests: UInt64, to labels: RequestLabels) {
        let mask = buckets.count &- 1
        var index = Self.hash(labels.key) & mask
        while buckets[index].key != labels.key {
            guard buckets[index].key != 0 else { return insert(requests, labels) }
            index = (index &+ 1) & mask
        }
        buckets[index].requests &+= requests
    }

    @inline(never) private mutating func insert(_ requests: UInt64, _ labels: RequestLabels) {
        count += 1
        if count * 2 > buckets.count { grow() }
        write(Bucket(key: labels.key, requests: requests))
    }

    private mutating func grow() {
        let old = buckets
        buckets = [Bucket](repeating: Bucket(), count: old.count * 2)
        for bucket in old where bucket.key != 0 { write(bucket) }
    }

    private mutating func write(_ bucket: Bucket) {
        var index = Self.hash(bucket.key) & (buckets.count - 1)
        while buckets[index].key != 0 { index = (index + 1) & (buckets.count - 1) }
        buckets[index] = bucket
    }

    /// Multiplicative hashing: the upper half of the product depends on all bits of the key.
    @inline(__always) private static func hash(_ key: UInt32) -> Int {
        Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }

    mutating func merge(_ other: borrowing RequestTable) {
        for bucket in other.buckets where bucket.key != 0 { add(bucket.requests, to: RequestLabels(key: bucket.key)) }
    }

    /// The combinations in the order of their keys.
    var sorted: [(labels: RequestLabels, requests: UInt64)] {
        buckets.filter { $0.key != 0 }.sorted { $0.key < $1.key }.map { (RequestLabels(key: $0.key), $0.requests) }
    }
}
