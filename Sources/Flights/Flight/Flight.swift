internal import Fetching
internal import Platform
internal import Primitives

/// One fetch in progress: one or more attempts, of which at most one is active, and then one serialization for each
/// group of equal options.
///
///     queued ──► active ──► serializing ──► (removed)
///        ▲          │
///        └─ backing off, redirects
final class Flight: FlightTimer, ListElement {
    enum State {
        /// In the queue of its origin, or about to be.
        case queued
        /// It waits until it is retried.
        case backingOff
        case active(Attempt)
        case serializing
        case ended
    }

    /// One transfer of the fetcher, which occupies a permit.
    struct Attempt {
        /// The identifier in frames, which is never used again.
        let transfer: UInt64
        let start: CacheMoment
        var progress: TransferProgress
        /// The permission of the breaker; `nil` if its outcome is recorded.
        var permission: CircuitBreaker.Permission?
        /// What follows the transfer instead of its response.
        var then: Next?
        /// The length of the content of the request, in bytes.
        var requestBytes = 0
    }

    /// What follows a response that is not the result. Few responses have it, and it is much larger than the rest of an
    /// attempt, which is copied.
    indirect enum Next {
        case retry(after: Duration)
        case redirect(Hop)
        /// The same request with other conditions.
        case again(CacheForward)
        /// The stored response is used, because the origin has failed.
        case stored(CacheSelection)
    }

    /// The permit for a transfer, by which a flight is counted. See ``FlightShares``.
    enum Permit: Equatable {
        /// It neither has nor needs one.
        case none
        /// It waits in the queue of its origin.
        case queued
        /// It waits outside of the queue, so that it does not delay the flights behind it.
        case setAside(Obstacle)
        case held
    }

    /// What a flight that is set aside waits for.
    enum Obstacle {
        /// The time for which the origin has asked its caller to wait.
        case pause
        /// The share of the flights that no client waits for.
        case unattended
        /// The share of its partition.
        case partition
    }

    /// A serialization for a group of requests with equal options.
    struct Group {
        let job: UInt64
        /// The index of the options in ``renditions``.
        let rendition: Int
    }

    let number: UInt64
    /// The key under which other requests join it, if it is shared.
    let key: FlightKey
    /// The request that began it.
    let callerRequest: CallerRequest
    /// The time of the cache when it began. It stores nothing that was purged later.
    let began: UInt64
    /// Whether it continues without requests: it validates a stored response.
    var isBackground = false

    /// Whether other requests can join.
    var isShared = false

    /// The requests on the way to its result.
    var route: Route

    var state = State.queued
    var permit = Permit.none
    var listIndex = 0
    /// The number of its requests that count as clients.
    var clients = 0
    /// Whether it counts as a flight that no client waits for.
    var countsAsUnattended = false
    /// The counts of its partition, while it is counted.
    var partition: PartitionState?
    /// The time until which it waits because the origin has asked for it; `nil` if it has not.
    var holdEnd: MonotonicTime?
    private(set) var waiters = SparseList<Waiter>()
    /// At most the least maximum length of content that one of the requests permits, in bytes.
    private(set) var leastMaxContentBytes = Int.max
    /// The first request with each of the options with which requests have joined.
    private(set) var renditions: [CallerRequest] = []
    /// The number of requests with each of them.
    private(set) var renditionCounts: [Int] = []
    var groups: [Group] = []

    /// The time at which the flight began to wait for a permit or for its next attempt.
    var waitStart: MonotonicTime
    var facts: FlightFacts
    var retries = RetryPolicy.History()
    /// The stored response of which renditions are made; `nil` if nothing is stored.
    var source: CacheSelection?

    private var buffer = OutputBuffer(capacity: 0)
    /// The content that counts for the origin, in bytes.
    var chargedBytes = 0
    /// The memory of the head and the content of the response of the current hop.
    var memory: (any FlightMemory)?
    /// The memory of the redirects that were followed, and its length in bytes; `nil` if there are none.
    var passedMemory: (memory: any FlightMemory, bytes: Int)?
    /// The content after its end.
    var content: (any FlightContent)?

    /// - Parameters:
    ///   - number: a number that is never used again.
    ///   - began: the time of the cache.
    init(
        _ number: UInt64,
        _ callerRequest: CallerRequest,
        _ key: FlightKey,
        _ route: Route,
        at now: MonotonicTime,
        began: UInt64
    ) {
        self.number = number
        self.key = key
        self.callerRequest = callerRequest
        self.began = began
        self.route = route
        waitStart = now
        facts = FlightFacts(url: callerRequest.request.url.text)
    }

    var origin: FetchOrigin { route.hop.request.url.origin }

    /// The fields that the service adds to the request of the current hop.
    var credentials: [HeaderFields.Field] { route.hop.keepsOrigin ? callerRequest.credentials.fields(for: origin) : [] }

    var contentBytes: Int { buffer.count }

    var identity: FlightIdentity { key.identity }

    /// The kind of its result.
    var kind: FlightKind { key.kind }

    var isQueued: Bool { if case .queued = state { true } else { false } }

    /// The maximum number of retries that one of the requests permits.
    var maxRetries: Int { waiters.reduce(0) { max($0, $1.callerRequest.retries) } }

    /// The latest deadline of its requests.
    var deadline: MonotonicTime { waiters.reduce(MonotonicTime(nanoseconds: 0)) { max($0, $1.deadline) } }

    /// Returns the index of the options of a request in ``renditions``; `nil` if no request has joined with them.
    func rendition(of callerRequest: CallerRequest) -> Int? {
        renditions.firstIndex { $0.isRendered(like: callerRequest) }
    }

    /// Lets a request wait for the result.
    func add(_ waiter: Waiter) {
        let rendition = rendition(of: waiter.callerRequest) ?? renditions.count
        if rendition == renditions.count {
            renditions.append(waiter.callerRequest)
            renditionCounts.append(0)
        }
        renditionCounts[rendition] += 1
        leastMaxContentBytes = min(leastMaxContentBytes, waiter.callerRequest.maxContentBytes)
        (waiter.flight, waiter.rendition) = (self, rendition)
        waiters.append(waiter)
    }

    /// Removes a request that waits for the result.
    func remove(_ waiter: Waiter) { if waiters.remove(waiter) { renditionCounts[waiter.rendition] -= 1 } }

    /// Returns the requests that do not permit content of so many bytes. Each is found once, because it then leaves.
    func waiters(exceededBy count: Int) -> [Waiter] {
        guard count > leastMaxContentBytes else { return [] }
        let exceeded = waiters.filter { $0.callerRequest.maxContentBytes < count }
        leastMaxContentBytes =
            waiters.lazy.map(\.callerRequest.maxContentBytes).filter { $0 >= count }.min() ?? .max
        return exceeded
    }

    func append(_ piece: [UInt8]) { buffer.append(piece.span) }

    /// Removes the content that was received, and returns it.
    func takeContent() -> OutputBuffer {
        var taken = OutputBuffer(capacity: 0)
        swap(&taken, &buffer)
        return taken
    }

    /// Ends a time in a queue or between attempts.
    func endWait(at now: MonotonicTime) { facts.queueNanoseconds += now.nanoseconds(since: waitStart) }
}
