// Who may use a connection again: what was left on it, or what it was authenticated for, must not reach another tenant.
//
//     partition ─► pool ─┬► connection to a.example, idle
//                        └► connection to b.example, used by a transfer
//
// A transfer finds idle connections in the pool of its partition only (CURL_LOCK_DATA_CONNECT of libcurl). Whatever
// libcurl chooses, it is asked again before the request is sent: the connection must be known, of the same pool, to a
// permitted address, and without unread bytes.
//
// The limits are those of the process. While several partitions are active, each keeps an equal part of the idle
// connections: one that has more closes those that it has used.

/// The pools of the partitions that were active last.
struct ConnectionPools {
    /// The maximum number of pools, inclusive.
    static let maxPools = 64

    /// The maximum number of connections that no transfer uses, of all pools together.
    static let maxIdle = 128

    private let set: CurlSet
    private var pools: [String: ConnectionPool] = [:]
    private var uses: UInt64 = 0

    init(_ set: CurlSet) {
        self.set = set
    }

    /// Returns the pool of a partition for one more transfer; `nil` if there is no memory.
    mutating func pool(of partition: String) -> ConnectionPool? {
        uses += 1
        if pools[partition] == nil {
            if pools.count >= Self.maxPools { closeOldest() }
            pools[partition] = set.openPool()
        }
        pools[partition]?.lastUse = uses
        // Pools that others have not used for the longest time make way for this one.
        while set.idleConnections >= Self.maxIdle, pools.count > 1 { closeOldest() }
        return pools[partition]
    }

    /// Forgets the pool that was used the longest time ago. Its transfers continue.
    private mutating func closeOldest() {
        guard let oldest = pools.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        pools[oldest.key] = nil
    }

    /// Whether a pool keeps no further idle connection.
    func isFull(_ pool: ConnectionPool) -> Bool {
        pool.idleConnections >= Self.maxIdle / max(pools.count, 1) || set.idleConnections >= Self.maxIdle
    }
}
