package import Fetching
package import Platform
internal import Primitives

// The table is a state machine without I/O: it is told what happened and when, and returns what must be done. One
// thread uses it.
//
//     join, cancel, leave, look up ─┐                     ┌─► frames to the fetcher
//     frames of the fetcher         ├──►  FlightTable ──► ├─► serializations
//     ready, died                   │                     ├─► responses, 202
//     time, serialized             ─┘                     └─► lines of the log
//
// Example: two clients request the same URL with different options. The first creates a flight, which takes a permit of
// its origin and starts a transfer; the second joins it. At the end of the content, the flight starts two
// serializations. Each client receives the result of its own. If the first client disconnects before, the flight
// continues for the second one.

/// All fetches in progress, and the requests that wait for them.
///
/// **Invariant**, which `FlightFixture` and `FlightWitness` check after each step:
/// - A request that waits has one ``Waiter``, which is in the list of exactly one flight. A flight without requests
///   ends, unless it validates a stored response (``Flight/isBackground``).
/// - A flight is in one state: it waits (in the queue of its origin, or set aside), backs off, has an active transfer,
///   or is being serialized. A permit is held exactly while its transfer is active: it is returned with the last frame
///   of the transfer, with the frame that cancels it, or with the fetcher, which processes frames in order.
/// - A request receives one response, or none if its client has left: an error, or what was made with its own options
///   of a response to its own URL (or caller's key), partition, fields and mode of redirects, all of which are in
///   ``FlightIdentity``. A response that must not be shared reaches only the first request of its flight, and one that
///   began before its key was purged is not stored.
package struct FlightTable: ~Copyable {
    let settings: FlightSettings
    let account: any FlightAccount
    let cache: ResponseCache?
    /// The rules with which redirects are checked.
    package var policy: FetchPolicy
    /// Returns the time of day, in seconds since 1970.
    let wallSeconds: @Sendable () -> Int
    var random = FlightRandom(seed: .random(in: 0 ... .max))

    /// What must be done, in order. The caller takes it after each change.
    package internal(set) var effects: [FlightEffect] = []
    package internal(set) var counts = FlightCounts()

    /// The flights that can be joined.
    var flights: [FlightKey: Flight] = [:]
    /// The flights of active transfers. Their number is that of permits in use.
    var transfers: [UInt64: Flight] = [:]
    /// The identifier of the next transfer.
    var nextTransfer: UInt64 = 1
    /// The length of the contents of all requests that are active, in bytes.
    var activeContentBytes = 0
    /// The flights of serializations that are in progress.
    var jobs: [UInt64: Flight] = [:]
    var nextJob: UInt64 = 1
    /// The number of the next flight.
    var nextFlight: UInt64 = 1

    /// The requests that wait for a result.
    var waiters: [RequestNumber: Waiter] = [:]
    /// The same by the names under which they are cancelled.
    var names: [ScopedName: [RequestNumber: Waiter]] = [:]
    var slots: [ScopedName: Slot] = [:]

    var origins: [FetchOrigin: OriginState] = [:]
    /// The origins with flights that may begin, in the order in which they take turns.
    var turns = TurnQueue()
    /// The shares of permits and of the queue.
    var shares = FlightShares()
    /// The number of flights that wait for a permit.
    package var waiting: Int { shares.waiting }

    /// The results that are kept after 202, by the names of their receipts.
    var results: [ScopedName: KeptResult] = [:]
    /// The same by the flights that other requests would join.
    var resultsByIdentity: [FlightIdentity: [KeptResult]] = [:]
    /// The requests that do not join each other for a while.
    var hitForMiss = HitForMiss()

    var timers = DeadlineQueue()

    /// Whether there is a fetcher that accepts frames.
    package private(set) var isReady = false
    /// Whether there may be one within the time that requests wait.
    var isAvailable = true
    var isStopping = false
    /// Whether the service will stop when the results of all requests without a client were received. No further
    /// request receives a 202 response.
    package var isDraining = false

    /// The view of a caller that shows one resource at a time, and its requests for it.
    struct Slot {
        var identity: FlightIdentity
        var waiters: [RequestNumber: Waiter] = [:]
    }

    /// - Parameters:
    ///   - cache: `nil` if nothing is stored.
    ///   - wallSeconds: returns the time of day, in seconds since 1970.
    package init(
        _ settings: FlightSettings,
        account: any FlightAccount,
        cache: ResponseCache? = nil,
        wallSeconds: @escaping @Sendable () -> Int
    ) {
        self.settings = settings
        policy = settings.policy
        self.cache = cache
        self.wallSeconds = wallSeconds
        self.account = account
    }

    /// The number of active transfers.
    package var active: Int { transfers.count }

    /// The number of requests that wait for a result.
    package var requests: Int { waiters.count }

    /// Returns the numbers of origins whose breakers are open and half-open.
    package func breakers(at now: MonotonicTime) -> (open: Int, halfOpen: Int) {
        var (open, halfOpen) = (0, 0)
        for origin in origins.values {
            switch origin.breaker.state(at: now.nanoseconds) {
            case .closed: break
            case .open: open += 1
            case .halfOpen: halfOpen += 1
            }
        }
        return (open, halfOpen)
    }

    /// The time at which ``advance(to:)`` must be called; `never` if nothing waits.
    package var nextTime: MonotonicTime { timers.first }

    /// The time of the cache.
    var cacheTime: UInt64 { cache?.store.now ?? 0 }

    /// Returns what must be done.
    package mutating func takeEffects() -> [FlightEffect] {
        let taken = effects
        effects = []
        return taken
    }

    /// - Parameter began: the time of the cache when the flight began, if it continues another one.
    mutating func newFlight(
        _ callerRequest: CallerRequest,
        _ key: FlightKey,
        _ route: Route,
        isShared: Bool,
        at now: MonotonicTime,
        began: UInt64? = nil
    ) -> Flight {
        let number = nextFlight
        nextFlight += 1
        let flight = Flight(number, callerRequest, key, route, at: now, began: began ?? cacheTime)
        flight.isShared = isShared
        return flight
    }

    // MARK: The fetcher

    /// Called when a fetcher accepts frames.
    package mutating func fetcherReady(at now: MonotonicTime) {
        isReady = true
        isAvailable = true
        dispatch(at: now)
    }

    /// Called when the fetcher has ended. All of its transfers have failed.
    /// - Parameter mayReturn: whether it is replaced soon. If not, requests are rejected immediately.
    package mutating func fetcherDied(at now: MonotonicTime, mayReturn: Bool = true) {
        isReady = false
        isAvailable = mayReturn
        for id in transfers.keys.sorted() {
            guard let flight = transfers[id] else { continue }
            let phase: FetchPhase = flight.route.hop.head == nil ? .head : .content
            failed(flight, .fetcherDied, in: phase, timings: nil, detail: "", at: now)
        }
        if !mayReturn { failWaiting(at: now) }
    }

    // MARK: The end

    /// Whether no request without a client waits, and all results that are kept were received. Results expire.
    package var isDrained: Bool { waiters.values.allSatisfy(\.hasClient) && results.values.allSatisfy(\.isDelivered) }

    /// Ends the requests that no client waits for. Their receipts say so, as long as the service accepts connections.
    package mutating func endUnattended(at now: MonotonicTime) {
        defer { dispatch(at: now) }
        for waiter in waiters.inOrder where !waiter.hasClient { end(waiter, .draining, at: now) }
    }

    /// Ends all requests. Every further one is rejected.
    package mutating func stop(at now: MonotonicTime) {
        isStopping = true
        for waiter in waiters.inOrder { end(waiter, .draining, at: now) }
        for kept in results.values { timers.remove(kept) }
        results = [:]
        resultsByIdentity = [:]
    }
}
