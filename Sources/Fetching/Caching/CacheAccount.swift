internal import Synchronization

/// The account of the memory of a cache, in bytes.
///
/// It contains a ``CacheCharge`` for each entry and rendition. A charge is released with its last reference. A buffer
/// keeps a reference to the charge that pays for it, so that an evicted buffer counts until its last reader has
/// released it.
package final class CacheAccount: Sendable {
    private let used = Atomic<Int>(0)
    private let evicted = Atomic<Int>(0)

    package init() {}

    /// The number of bytes that are charged, including those of evicted buffers that are still referenced.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// The part of ``usedBytes`` that is no longer in the cache.
    var evictedBytes: Int { evicted.load(ordering: .relaxed) }

    fileprivate func add(_ bytes: Int, isEvicted: Bool) {
        used.wrappingAdd(bytes, ordering: .relaxed)
        if isEvicted { evicted.wrappingAdd(bytes, ordering: .relaxed) }
    }

    fileprivate func evict(_ bytes: Int) { evicted.wrappingAdd(bytes, ordering: .relaxed) }
}

/// The bytes of one entry or rendition in a ``CacheAccount``. They are charged from the insertion into the cache until
/// the last reference to the charge is released. If the cache rejects the entry, they are never charged.
package final class CacheCharge: Sendable {
    private struct State {
        var bytes: Int
        var isCounted = false
        var isEvicted = false
    }

    private let account: CacheAccount
    private let state: Mutex<State>

    /// - Parameter bytes: the size (``CacheCost``), which must not be negative.
    package init(_ bytes: Int, to account: CacheAccount) {
        precondition(bytes >= 0, "a charge is not negative")
        self.account = account
        state = Mutex(State(bytes: bytes))
    }

    deinit {
        let state = state.withLock { $0 }
        if state.isCounted { account.add(-state.bytes, isEvicted: state.isEvicted) }
    }

    /// The number of bytes.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// Changes the number of bytes. The cache evicts nothing until the next insertion or `evict`.
    package func resize(to bytes: Int) {
        precondition(bytes >= 0, "a charge is not negative")
        state.withLock { state in
            if state.isCounted { account.add(bytes - state.bytes, isEvicted: state.isEvicted) }
            state.bytes = bytes
        }
    }

    /// Charges the bytes from now on. The cache calls it for what it stores.
    package func count() {
        state.withLock { state in
            if !state.isCounted { account.add(state.bytes, isEvicted: false) }
            state.isCounted = true
        }
    }

    /// Called when the cache no longer contains the entry or rendition.
    func evict() {
        state.withLock { state in
            guard state.isCounted, !state.isEvicted else { return }
            state.isEvicted = true
            account.evict(state.bytes)
        }
    }
}
