internal import Fetching
package import Platform

// All fetches in progress, and the requests that wait for them.
//
// The table is a state machine without I/O: it is told what happened and when, and returns what must be done. One thread uses it.
//
//     join, cancel, leave, look up ─┐                     ┌─► frames to the fetcher
//     frames of the fetcher         ├──►  FlightTable ──► ├─► serializations
//     ready, died                   │                     ├─► responses, 202
//     time, serialized             ─┘                     └─► lines of the log
//
// Example: two clients request the same URL with different options. The first creates a flight, which takes a permit of its origin and
// starts a transfer; the second joins it. At the end of the content, the flight starts two serializations. Each client receives the result of
// its own. If the first client disconnects before, the flight continues for the second one.
//
// Invariants, which the tests check after each step:
// - A permit is held exactly while a transfer is active. A transfer ends with its last frame, with the frame that cancels it, or with the
//   fetcher, which processes frames in order.
// - Each ticket receives exactly one response, or none if its client has left.
// - A request is a part of at most one flight, and a flight without requests does not exist.

package struct FlightTable: ~Copyable {
    let settings: FlightSettings
    let account: any FlightAccount
    let cache: ResponseCache?
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
    private var nextFlight: UInt64 = 1

    var receipts: [UInt64: Receipt] = [:]
    var names: [ScopedName: [Receipt]] = [:]
    var slots: [ScopedName: Slot] = [:]

    var origins: [FetchOrigin: OriginState] = [:]
    /// The origins with flights that may begin, in the order in which they take turns.
    var turns = TurnQueue()
    /// The shares of permits and of the queue.
    var shares = FlightShares()
    /// The number of flights that wait for a permit.
    package var waiting: Int { shares.waiting }

    var results: [ScopedName: KeptResult] = [:]
    var resultsByIdentity: [FlightIdentity: [KeptResult]] = [:]
    var unshared = UnsharedKeys()

    var timers = DeadlineQueue()

    /// Whether there is a fetcher that accepts frames.
    package private(set) var isReady = false
    /// Whether there may be one within the time that requests wait.
    var isAvailable = true
    var isStopping = false
    /// Whether the service will stop when the results of all requests without a client were received. No further one is answered with 202.
    package var isDraining = false

    /// What a slot shows.
    struct Slot {
        var identity: FlightIdentity
        var receipts: [Receipt] = []
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
        self.cache = cache
        self.wallSeconds = wallSeconds
        self.account = account
    }

    /// The number of active transfers.
    package var active: Int { transfers.count }

    /// The number of requests that wait for a result.
    package var requests: Int { receipts.count }

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
        _ order: FetchOrder,
        _ key: FlightKey,
        isShared: Bool,
        at now: MonotonicTime,
        began: UInt64? = nil
    ) -> Flight {
        let number = nextFlight
        nextFlight += 1
        return Flight(number, order, key, isShared: isShared, at: now, began: began ?? cacheTime)
    }

    // MARK: Requests

    /// Joins a flight, or creates one.
    /// - Parameter ticket: a number that is never used again.
    package mutating func join(_ order: FetchOrder, ticket: UInt64, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard !isStopping else { return reject(ticket, order, .draining) }
        shares.record(order.partition, at: now)
        let identity = order.identity
        let max = FlightSettings.maxReceiptsPerName
        guard (names[order.scopedReceipt]?.count ?? 0) < max else { return reject(ticket, order, .nameFull) }
        if let name = order.scopedSlot, let slot = slots[name], slot.identity == identity, slot.receipts.count >= max {
            return reject(ticket, order, .nameFull)
        }
        if let slot = order.slot {
            supersede(ScopedName(partition: order.partition, name: slot), by: identity, at: now)
        }
        if let kept = keptResult(for: order, identity) {
            kept.isDelivered = true
            var facts = kept.facts(at: now)
            facts.isCollapsed = true
            effects.append(.deliver(ticket: ticket, kept.result, facts))
            return
        }

        let plan = plan(order, order.request, order.admission, at: now)
        let kind = plan.kind
        let mayShare: Bool
        switch plan.end {
        case .failed(let failure): return reject(ticket, order, failure)
        case .origin(let state):
            mayShare = order.isMergeable && !unshared.contains(identity, at: now)
            if let state { cache?.count(state.forward.use) }
        case .served(let selection, let isNotModified):
            mayShare = true
            cache?.count(plan.revalidations.isEmpty ? .hit : .stale)
            if !isNotModified, deliverRendition(selection, plan, order, ticket: ticket, at: now) {
                revalidate(plan, order, at: now)
                return
            }
        }
        if mayShare, let flight = flightToJoin(identity, kind, order.cache) {
            counts.merged += 1
            let receipt = add(order, ticket, to: flight, at: now, isCollapsed: true)
            joined(flight, receipt, at: now)
            return
        }
        let flight = newFlight(order, FlightKey(identity: identity, kind: kind), isShared: mayShare, at: now)
        if mayShare { flights[flight.key] = flight }
        let receipt = add(order, ticket, to: flight, at: now, isCollapsed: false)
        follow(plan, flight, at: now)
        dispatch(at: now)
        postponeIfDue(receipt, at: now)
    }

    /// Removes a request whose client has disconnected.
    package mutating func leave(ticket: UInt64, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard let receipt = receipts[ticket], receipt.hasClient else { return }
        counts.cancelled += 1
        unregister(receipt)
        detach(receipt, .cancelled, at: now)
    }

    /// Cancels one request, which receives 409.
    package mutating func cancel(ticket: UInt64, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard let receipt = receipts[ticket], receipt.hasClient else { return }
        end(receipt, .cancelled, at: now)
    }

    /// Cancels every request with this receipt.
    package mutating func cancel(receipt name: ScopedName, ticket: UInt64, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        cancelAll(names[name] ?? [], ticket, at: now)
    }

    /// Cancels every request in this slot.
    package mutating func cancel(slot name: ScopedName, ticket: UInt64, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        cancelAll(slots[name]?.receipts ?? [], ticket, at: now)
    }

    private mutating func cancelAll(_ receipts: [Receipt], _ ticket: UInt64, at now: MonotonicTime) {
        for receipt in receipts { end(receipt, .cancelled, at: now) }
        effects.append(.reply(ticket: ticket, receipts.isEmpty ? .missing : .cancelled(receipts.count)))
    }

    /// Delivers the result that is kept under a name, or 202 if there is none yet.
    /// - Parameter onlyGenerated: whether receipts that callers have chosen do not exist for the request.
    package mutating func lookUp(
        _ name: ScopedName,
        onlyGenerated: Bool = false,
        ticket: UInt64,
        at now: MonotonicTime
    ) {
        func isVisible(_ order: FetchOrder) -> Bool { !onlyGenerated || order.hasGeneratedReceipt }
        if let kept = results[name], isVisible(kept.order) {
            kept.isDelivered = true
            effects.append(.deliverKept(ticket: ticket, kept, kept.facts(at: now)))
        } else if let waiting = names[name]?.first(where: { isVisible($0.order) }) {
            effects.append(.postponeAgain(ticket: ticket, waiting.order))
        } else {
            effects.append(.reply(ticket: ticket, .missing))
        }
    }

    /// Whether no request without a client waits, and all results that are kept were received. Results expire.
    package var isDrained: Bool {
        receipts.values.allSatisfy(\.hasClient) && results.values.allSatisfy(\.isDelivered)
    }

    /// Ends all requests. Every further one is rejected.
    package mutating func stop(at now: MonotonicTime) {
        isStopping = true
        for ticket in receipts.keys.sorted() {
            if let receipt = receipts[ticket] { end(receipt, .draining, at: now) }
        }
        for kept in results.values { timers.remove(kept) }
        results = [:]
        resultsByIdentity = [:]
    }

    // MARK: Time

    /// Handles everything that is due.
    package mutating func advance(to now: MonotonicTime) {
        while let holder = timers.next(at: now) {
            switch holder {
            case let receipt as Receipt:
                if receipt.hasClient, receipt.waitEnd <= now, now < receipt.deadline {
                    postpone(receipt, at: now)
                } else {
                    timedOut(receipt, at: now)
                }
            case let flight as Flight:
                switch flight.state {
                case .queued where flight.holdEnd.map({ $0 <= now }) ?? false:
                    removeFromQueue(flight, at: now)
                    flight.endWait(at: now)
                    enqueue(flight, at: now)
                case .queued:
                    let pause = (flight.holdEnd ?? origins[flight.origin]?.pauseEnd)?.nanoseconds(since: now) ?? 0
                    let seconds = Int(clamping: (pause + 999_999_999) / 1_000_000_000)
                    fail(flight, isReady ? .queueTimeout(pauseSeconds: seconds) : .unavailable, at: now)
                case .backingOff:
                    flight.endWait(at: now)
                    enqueue(flight, at: now)
                case .active, .serializing, .ended: break
                }
            case let origin as OriginState:
                grantTurn(origin, at: now)
                retire(origin, at: now, isDue: true)
            case let kept as KeptResult: drop(kept)
            default: break
            }
        }
        dispatch(at: now)
    }

    private mutating func timedOut(_ receipt: Receipt, at now: MonotonicTime) {
        let flight = receipt.flight
        if !receipt.order.lowersTimeout, flight.receipts.count == 1, case .active(var attempt) = flight.state,
            let ticket = attempt.ticket.take()
        {
            // The configured time has passed. If the transfer has had all of it, that is a fact about the origin.
            let hadAll = now.nanoseconds(since: attempt.start) >= settings.idleTimeout.saturatedNanoseconds
            let outcome: CircuitBreaker.Outcome = hadAll ? (flight.head == nil ? .silent : .connected) : .none
            origins[flight.origin]?.breaker.record(outcome, ticket, at: now.nanoseconds)
            flight.state = .active(attempt)
        }
        switch flight.state {
        case .queued, .backingOff, .active:
            // There is no time for the target of a redirect.
            if let selection = substitute(for: .timedOut, flight, at: now),
                !selection.response.isFollowed(flight.redirects)
            {
                return serve(selection, to: receipt, at: now)
            }
        case .serializing, .ended: break
        }
        end(receipt, .timedOut, at: now)
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
            failed(flight, .fetcherDied, in: flight.head == nil ? .head : .content, timings: nil, detail: "", at: now)
        }
        if !mayReturn { failWaiting(at: now) }
    }

    // MARK: Serializations

    /// Called with the result of a serialization.
    package mutating func serialized(job: UInt64, _ response: any FlightResponse, at now: MonotonicTime) {
        defer { dispatch(at: now) }
        guard let flight = jobs.removeValue(forKey: job),
            let index = flight.groups.firstIndex(where: { $0.job == job })
        else { return }
        let group = flight.groups.remove(at: index)
        let rendition = keepRendition(response, group.order, flight)
        let members = flight.receipts.filter { $0.order.isRendered(like: group.order) }
        flight.receipts.removeAll { $0.order.isRendered(like: group.order) }
        for receipt in members {
            unregister(receipt)
            conclude(receipt, .rendered(response), at: now, entityTag: rendition?.entityTag)
        }
        if flight.receipts.isEmpty { succeed(flight, members.count, at: now) }
    }
}

/// The generator of delays between attempts: SplitMix64.
struct FlightRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
