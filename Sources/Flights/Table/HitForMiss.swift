internal import Fetching
internal import Platform

/// The requests that are not merged for a while, because a response to one of them must not be shared.
struct HitForMiss {
    /// The times at which requests are merged again, by the digest of their identities.
    private var ends: [SIMD4<UInt64>: MonotonicTime] = [:]
    /// The keys in the order of their ends. A key that was added again is there twice.
    private var order: [(key: SIMD4<UInt64>, end: MonotonicTime)] = []
    private var start = 0

    mutating func insert(_ identity: FlightIdentity, at now: MonotonicTime) {
        removeExpired(at: now)
        let end = now + FlightSettings.hitForMissTime
        let key = identity.digest
        ends[key] = end
        order.append((key, end))
        while ends.count > FlightSettings.maxHitForMissKeys { removeFirst() }
    }

    func contains(_ identity: FlightIdentity, at now: MonotonicTime) -> Bool {
        guard !ends.isEmpty else { return false }
        return ends[identity.digest].map { now < $0 } ?? false
    }

    private mutating func removeExpired(at now: MonotonicTime) {
        while start < order.count, order[start].end <= now { removeFirst() }
    }

    private mutating func removeFirst() {
        guard start < order.count else { return }
        let (key, end) = order[start]
        if ends[key] == end { ends[key] = nil }
        start += 1
        guard start * 2 > order.count else { return }
        order.removeFirst(start)
        start = 0
    }
}
