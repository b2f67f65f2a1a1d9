// Who may use a connection again: what was left on it, or what it was authenticated for, must not reach another tenant.
//
//     partition ─► pool ─┬► connection to a.example, idle
//                        └► connection to b.example, used by a transfer
//
// A transfer finds idle connections in the pool of its partition only (CURL_LOCK_DATA_CONNECT of libcurl). Whatever
// libcurl chooses, it is asked again before the request is sent: the connection must be known, of the same pool, to a
// permitted address, and without unread bytes.
//
// The limits are those of the process. Several pools keep an equal number of connections each: one that has more closes
// those that it uses.

/// The pools of the partitions that were active last.
struct ConnectionPools {
    /// The maximum number of pools, inclusive.
    static let maxPools = 64

    /// The maximum number of connections that are kept for further transfers, of all pools together.
    static let maxIdle = 128

    private let set: CurlSet
    private var pools: [String: ConnectionPool] = [:]
    private var uses: UInt64 = 0

    init(_ set: CurlSet) { self.set = set }

    /// Returns the pool of a partition for one more transfer; `nil` if there is no memory.
    mutating func pool(of partition: String) -> ConnectionPool? {
        uses += 1
        let use = uses
        if pools[partition] == nil {
            if pools.count >= Self.maxPools, !closeOldest(where: { !$0.isUsed }) { _ = closeOldest { _ in true } }
            pools[partition] = set.openPool()
        }
        guard let pool = pools[partition] else { return nil }
        pool.lastUse = use
        // Those that were not used for the longest time make way for this one.
        while set.keptConnections >= Self.maxIdle, pool.keptConnections < share,
            closeOldest(where: { !$0.isUsed && $0.lastUse < use })
        {}
        return pool
    }

    /// The maximum number of connections that each pool keeps.
    private var share: Int { Self.maxIdle / max(pools.count, 1) }

    /// Forgets the pool that was used the longest time ago. Its transfers continue.
    /// - Returns: whether there is one.
    private mutating func closeOldest(where isCandidate: (ConnectionPool) -> Bool) -> Bool {
        let candidates = pools.filter { isCandidate($0.value) }
        guard let oldest = candidates.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return false }
        pools[oldest.key] = nil
        return true
    }

    /// Decides at the end of a head whether the connection is kept for further transfers.
    func keepConnection(of curl: CurlTransfer) -> Bool { curl.keepConnection(share: share, max: Self.maxIdle) }
}
