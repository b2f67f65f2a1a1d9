/// A hash table of ``CacheNode``s that never rehashes all of them.
///
/// The table grows by linear hashing: an insertion into a table that has as many nodes as buckets splits one bucket in
/// two. Therefore each operation takes a constant time, and nobody waits for the growth of a large table. With `base` =
/// 4 and 6 buckets, buckets 0 and 1 are already split, and the nodes of bucket 1 whose hash has the bit 4 are in bucket
/// 5:
///
///     hash     0 4   1   2 6   3 7   4    5        hash & 7 is the bucket if it exists,
///     bucket   0     1   2     3     4    5        otherwise hash & 3
///
/// Buckets never disappear while the table has nodes, and a node moves only to a bucket with a greater number.
/// Therefore a traversal in ascending order of the buckets, with changes between its parts, visits every node that is
/// in the table all the time.
@usableFromInline
struct BucketTable: Sendable {
    private static let segmentBits = 6
    private static let segmentMask = (1 << segmentBits) - 1
    private static let minBuckets = 1 << segmentBits

    private var segments = [[CacheNode?](repeating: nil, count: minBuckets)]
    /// The greatest power of two that is not greater than the number of buckets.
    private var base = minBuckets
    private(set) var bucketCount = minBuckets
    private(set) var count = 0

    private func bucket(of hash: Int) -> Int {
        let bucket = hash & (base << 1 - 1)
        return bucket < bucketCount ? bucket : hash & (base - 1)
    }

    private subscript(bucket: Int) -> CacheNode? {
        get { segments[bucket >> Self.segmentBits][bucket & Self.segmentMask] }
        set { segments[bucket >> Self.segmentBits][bucket & Self.segmentMask] = newValue }
    }

    /// Returns the first node of the chain that contains all nodes with this hash.
    @usableFromInline
    func chain(of hash: Int) -> CacheNode? { self[bucket(of: hash)] }

    /// Returns the first node of a bucket, which must be less than `bucketCount`.
    func chain(ofBucket bucket: Int) -> CacheNode? { self[bucket] }

    mutating func insert(_ node: CacheNode) {
        if count == bucketCount { split() }
        count += 1
        let bucket = bucket(of: node.hash)
        node.chain = self[bucket]
        self[bucket] = node
    }

    private mutating func split() {
        let (from, to) = (bucketCount - base, bucketCount)
        if to & Self.segmentMask == 0 { segments.append([CacheNode?](repeating: nil, count: Self.minBuckets)) }
        var next = self[from]
        var (kept, moved): (CacheNode?, CacheNode?) = (nil, nil)
        while let node = next {
            next = node.chain
            if node.hash & base == 0 {
                node.chain = kept
                kept = node
            } else {
                node.chain = moved
                moved = node
            }
        }
        self[from] = kept
        self[to] = moved
        bucketCount += 1
        if bucketCount == base << 1 { base = bucketCount }
    }

    /// Removes a node that the table contains. A table without nodes returns to its minimum size.
    /// - Returns: the buckets of a table that has returned to its minimum size. The caller releases them without the
    ///   lock, because the time is proportional to their number.
    mutating func remove(_ node: CacheNode) -> DiscardedBuckets? {
        let bucket = bucket(of: node.hash)
        if self[bucket] === node {
            self[bucket] = node.chain
        } else {
            var previous = self[bucket]
            while let current = previous, current.chain !== node { previous = current.chain }
            precondition(previous != nil, "the node is in the table")
            previous?.chain = node.chain
        }
        node.chain = nil
        count -= 1
        guard count == 0, bucketCount > Self.minBuckets else { return nil }
        let discarded = DiscardedBuckets(segments)
        self = BucketTable()
        return discarded
    }
}

/// The empty buckets of a table that has returned to its minimum size.
///
/// @unchecked Sendable: the buckets are not accessed. See also ``CacheNode``.
final class DiscardedBuckets: CacheNode, @unchecked Sendable {
    private let segments: [[CacheNode?]]

    fileprivate init(_ segments: [[CacheNode?]]) {
        self.segments = segments
        super.init(hash: 0)
    }
}
