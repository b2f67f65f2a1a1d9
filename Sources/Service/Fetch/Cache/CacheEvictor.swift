internal import Fetching
internal import Flights
internal import HTTP
internal import Platform

/// Evicts entries that exceed the capacity of the cache, or the memory of the control group. One thread uses it.
struct CacheEvictor {
    /// The interval at which the memory of the control group is read.
    private static let interval = Duration.seconds(10)

    /// The number of slices that are evicted before the thread handles what has happened in the meantime: together
    /// about a millisecond.
    private static let slicesPerIteration = 8

    private let cache: ResponseCache
    private let readUsage: () -> MemoryUsage?
    private var lastAction: MonotonicTime?
    /// The thread of the last action. An action is short, compared with the time between two of them.
    private var thread: Thread?

    /// The time at which ``advance(to:)`` must be called.
    private(set) var nextTime: MonotonicTime

    /// Whether ``advance(to:)`` must be called again soon, because more must be evicted.
    private(set) var isEvicting = false

    /// - Parameter readUsage: returns the memory of the control group; `nil` if it has no limit.
    init(_ cache: ResponseCache, readUsage: @escaping () -> MemoryUsage? = { MemoryUsage.current() }) {
        self.cache = cache
        self.readUsage = readUsage
        let isEnabled = cache.store.limits.capacityBytes > 0
        nextTime = isEnabled ? .now + Self.interval : .never
    }

    mutating func advance(to now: MonotonicTime) {
        isEvicting = true
        for _ in 0..<Self.slicesPerIteration where isEvicting { isEvicting = cache.store.evictSlice() }
        guard nextTime <= now else { return }
        nextTime = now + Self.interval
        guard let usage = readUsage() else { return }
        let action = MemoryPressure.action(
            usedBytes: usage.usedBytes,
            limitBytes: usage.limitBytes,
            lastAction: lastAction?.nanoseconds,
            now: now.nanoseconds
        )
        guard action != .none else { return }
        thread?.join()
        thread = nil
        // The thread of flights must not wait for it.
        do throws(SystemError) {
            thread = try Thread { [cache] in
                switch action {
                case .none: break
                case .evict: cache.store.evictToSizeAfterPurge()
                case .empty: cache.store.removeAll()
                }
                Heap.trim()
            }
            lastAction = now
        } catch {
            // Memory is short. It is tried again at the next reading.
        }
    }

    /// Waits for an action that is in progress.
    mutating func stop() {
        thread?.join()
        thread = nil
    }
}

extension CacheCharge: MemoryCharge {}
