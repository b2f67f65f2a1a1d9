import Fetching
import Platform
import Primitives
import Testing

@testable import Flights

/// A table of flights with a manual clock, and what it has asked for. After each step, its invariants are checked.
final class FlightFixture {
    enum Delivery: Equatable {
        case rendered(status: Int)
        case failed(FlightFailure)
        case postponed(receipt: String)
        case reply(FlightReply)
    }

    var table: FlightTable
    let account: TestAccount
    let cache: ResponseCache?
    private let clock = ManualClock()
    var now = MonotonicTime(nanoseconds: 1_000_000_000_000) {
        didSet { clock.seconds = Self.wallSeconds(at: now) }
    }

    /// The time of day, which advances with `now`.
    static func wallSeconds(at time: MonotonicTime) -> Int {
        1_800_000_000 + Int(time.nanoseconds / 1_000_000_000) - 1_000
    }

    private(set) var commands: [FetchCommand] = []
    private var takenCommands = 0
    private(set) var jobs: [FlightJob] = []
    private(set) var dropped: [UInt64] = []
    private(set) var deliveries: [RequestNumber: [Delivery]] = [:]
    private(set) var facts: [RequestNumber: FlightFacts] = [:]
    /// Whether each transfer sends bytes with a value of its own.
    var checksContent = false
    /// The contents of the responses, which are not kept.
    private(set) var contents: [RequestNumber: ObjectIdentifier] = [:]
    /// The markers of the responses of the origin from which the responses were made: the fields ``markerName``.
    private(set) var markers: [RequestNumber: String] = [:]
    static let markerName = "x-marker"
    private(set) var logs: [FlightLog] = []
    /// The transfers that the fetcher has, as it sees them.
    private(set) var active: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    /// - Parameter cacheBytes: the capacity of the cache; `nil` if there is none.
    init(
        isReady: Bool = true,
        memoryBytes: Int = 64 << 20,
        cacheBytes: Int? = nil,
        _ change: (inout FlightSettings) -> Void = { _ in }
    ) {
        var settings = FlightSettings()
        settings.policy = Self.policy
        if let cacheBytes {
            settings.cache.limits = CacheLimits(
                capacityBytes: cacheBytes,
                bytesAfterPurge: cacheBytes / 5 * 3,
                maxEntryBytes: cacheBytes / 4
            )
        }
        change(&settings)
        account = TestAccount(maxBytes: memoryBytes)
        cache = cacheBytes.map { _ in ResponseCache(settings.cache) }
        table = FlightTable(settings, account: account, cache: cache) { [clock] in clock.seconds }
        table.random = FlightRandom(seed: 1)
        if isReady { ready() }
    }

    static let policy = FetchPolicy.testing(allow: (try? HostRules(parsing: "*")) ?? HostRules())

    // MARK: Inputs

    func callerRequest(
        _ url: String = "https://a.example/x",
        _ change: (inout CallerRequest) -> Void = { _ in }
    ) throws -> CallerRequest {
        let url = try FetchURL(parsing: url)
        var callerRequest = CallerRequest(
            FetchRequest(method: "GET", url: url),
            try Self.policy.admit(url, method: "GET"),
            Self.rendition,
            maxContentBytes: 1 << 30,
            timeout: table.settings.times.total,
            retries: table.settings.attempts.maxRetries
        )
        callerRequest.receipt = "r"
        change(&callerRequest)
        return callerRequest
    }

    private static let rendition = TestRendition()

    @discardableResult
    func join(
        _ url: String = "https://a.example/x",
        _ change: (inout CallerRequest) -> Void = { _ in }
    ) throws -> RequestNumber {
        join(try callerRequest(url, change))
    }

    func join(_ callerRequest: CallerRequest) -> RequestNumber {
        let number = newNumber()
        table.join(callerRequest, as: number, at: now)
        collect()
        return number
    }

    private func newNumber() -> RequestNumber {
        lastNumber += 1
        return RequestNumber(lastNumber)
    }

    func leave(_ number: RequestNumber) {
        table.leave(number, at: now)
        collect()
    }

    func cancel(_ number: RequestNumber) {
        table.cancel(number, at: now)
        collect()
    }

    func cancel(receipt: String, in partition: String = "") -> RequestNumber {
        let number = newNumber()
        table.cancel(receipt: ScopedName(partition: partition, name: receipt), for: number, at: now)
        collect()
        return number
    }

    func cancel(slot: String, in partition: String = "") -> RequestNumber {
        let number = newNumber()
        table.cancel(slot: ScopedName(partition: partition, name: slot), for: number, at: now)
        collect()
        return number
    }

    func lookUp(_ receipt: String, in partition: String = "") -> RequestNumber {
        let number = newNumber()
        table.lookUp(ScopedName(partition: partition, name: receipt), for: number, at: now)
        collect()
        return number
    }

    func ready() {
        table.fetcherReady(at: now)
        collect()
    }

    func die(mayReturn: Bool = true) {
        active = []
        table.fetcherDied(at: now, mayReturn: mayReturn)
        collect()
    }

    func endUnattended() {
        table.endUnattended(at: now)
        collect()
    }

    func stop() {
        table.stop(at: now)
        collect()
    }

    /// Lets time pass, in the steps that the table asks for.
    func wait(_ time: Duration) {
        let end = now + time
        while table.nextTime <= end {
            now = max(now, table.nextTime)
            table.advance(to: now)
            collect()
        }
        now = end
    }

    @discardableResult
    func reply(_ reply: FetchReply) -> FetchFrameError? {
        switch reply {
        case .end(let id, _), .failed(let id, _): active.remove(id)
        case .head, .data, .pong, .ready: break
        }
        do throws(FetchFrameError) {
            try table.handle(reply, at: now, unixSeconds: 1_800_000_000)
            collect()
            return nil
        } catch {
            return error
        }
    }

    func head(_ id: UInt64, _ status: Int = 200, _ fields: [(String, String)] = []) throws {
        let fields = fields.map { HeaderFields.Field(name: $0.0, value: $0.1) }
        #expect(reply(.head(id: id, try FetchHead(status: status, fields: fields))) == nil)
    }

    func data(_ id: UInt64, _ content: [UInt8]) {
        #expect(reply(.data(id: id, content: content)) == nil)
    }

    func end(_ id: UInt64, bytes: Int) {
        #expect(reply(.end(id: id, FetchEnd(contentBytes: UInt64(bytes), timings: FetchTimings()))) == nil)
    }

    func fail(_ id: UInt64, _ failure: FetchFailure, in phase: FetchPhase = .connect) {
        #expect(reply(.failed(id: id, FetchFailureReport(failure, in: phase, timings: FetchTimings()))) == nil)
    }

    /// The fields of the request of a transfer, with names in lower case.
    func sentFields(_ id: UInt64) -> [String: String] {
        for case .start(id, let start) in commands {
            return Dictionary(start.request.fields.map { ($0.name.lowercased(), $0.value) }) { $0 + ", " + $1 }
        }
        return [:]
    }

    /// The complete response of an origin.
    func respond(_ id: UInt64, _ status: Int = 200, _ fields: [(String, String)] = [], content: String = "{}") throws {
        try head(id, status, fields)
        if !content.isEmpty { data(id, Array(content.utf8)) }
        end(id, bytes: content.utf8.count)
    }

    /// Finishes all serializations.
    func serialize() {
        let pending = jobs
        jobs = []
        for job in pending where !dropped.contains(job.number) { serialize(job) }
    }

    /// - Parameters:
    ///   - isDescription: whether the result describes the stored response.
    ///   - dependsOnURL: whether the result depends on the URL, apart from the description.
    ///   - isRejected: whether the result is a problem of the content.
    func serialize(
        _ job: FlightJob,
        isDescription: Bool = false,
        dependsOnURL: Bool = false,
        isRejected: Bool = false
    ) {
        let marker = HeaderFields(job.upstream.fields).first(Self.markerName).map { Array($0.utf8) }
        let response = TestResponse(
            status: isRejected ? 422 : 200,
            marker ?? [0x20, 0x20],
            verdict: isRejected ? .rejected : .usable,
            isDescription: isDescription,
            dependsOnURL: dependsOnURL
        )
        table.serialized(job: job.number, response, at: now)
        collect()
    }

    // MARK: Outputs

    /// The identifiers of all transfers that were started, in order.
    var started: [UInt64] {
        commands.compactMap { if case .start(let id, _) = $0 { id } else { nil } }
    }

    /// Returns the transfers that were started since the last call, in order.
    func takeStarts() -> [(id: UInt64, start: FetchStart)] {
        defer { takenCommands = commands.count }
        return commands[takenCommands...].compactMap {
            if case .start(let id, let start) = $0 { (id, start) } else { nil }
        }
    }

    /// The URLs of all transfers that were started, in order.
    var startedURLs: [String] {
        commands.compactMap { if case .start(_, let start) = $0 { start.request.url.text } else { nil } }
    }

    var cancelledTransfers: [UInt64] {
        commands.compactMap { if case .cancel(let id) = $0 { id } else { nil } }
    }

    var isDrained: Bool { table.isDrained }

    func result(_ number: RequestNumber) -> Delivery? { deliveries[number]?.last }

    func takeJobs() -> [FlightJob] {
        defer { jobs = [] }
        return jobs
    }

    private func collect() {
        for effect in table.takeEffects() {
            switch effect {
            case .send(let command):
                commands.append(command)
                switch command {
                case .start(let id, _): active.insert(id)
                case .cancel(let id): active.remove(id)
                case .ping: break
                }
            case .deliverKept(let number, let kept, let facts): deliver(number, kept.result, facts)
            case .deliver(let number, let result, let facts): deliver(number, result, facts)
            case .postpone(let number, let receipt, _, _):
                deliveries[number, default: []].append(.postponed(receipt: receipt))
            case .postponeAgain(let number, let callerRequest):
                deliveries[number, default: []].append(.postponed(receipt: callerRequest.receipt))
            case .reply(let number, let reply): deliveries[number, default: []].append(.reply(reply))
            case .serialize(let job):
                jobs.append(job)
                // Transfers send the two characters of an empty object, and bytes with a value of their own.
                let bytes = Set((job.upstream.content as? TestContent)?.bytes ?? []).subtracting(Array("{}".utf8))
                if checksContent { #expect(bytes.count <= 1, "the content is that of one transfer") }
            case .drop(let job): dropped.append(job)
            case .measured: break
            case .ended(let log): logs.append(log)
            }
        }
        checkInvariants()
    }

    private func deliver(_ number: RequestNumber, _ result: FlightResult, _ facts: FlightFacts) {
        self.facts[number] = facts
        switch result {
        case .rendered(let response):
            guard let response = response as? TestResponse else {
                Issue.record("the response is not one of the test")
                return
            }
            contents[number] = ObjectIdentifier(response)
            markers[number] = String(decoding: response.bytes, as: UTF8.self)
            deliveries[number, default: []].append(.rendered(status: response.status))
        case .failed(let failure): deliveries[number, default: []].append(.failed(failure))
        }
    }

    private func checkInvariants() {
        #expect(Set(table.transfers.keys) == active, "a permit is held exactly while a transfer is active")
        #expect(table.origins.values.reduce(0) { $0 + $1.active } == active.count)
        #expect(active.count <= table.settings.permits.maxActive)
        #expect(table.origins.values.allSatisfy { $0.active <= table.settings.permits.maxActivePerOrigin })
        #expect(table.waiting == table.origins.values.reduce(0) { $0 + $1.waiting })
        checkShares()
        #expect(deliveries.values.allSatisfy { $0.count == 1 }, "each request receives one response")
        // With many requests, the check after each step would take most of the time.
        guard table.waiters.count <= 200 else { return }
        let flights = Array(table.transfers.values) + table.jobs.values + table.flights.values
        let charged = Dictionary(
            (flights + table.waiters.values.map(\.flight)).map { (ObjectIdentifier($0), $0.chargedBytes) }
        ) { first, _ in first }
        #expect(table.origins.values.reduce(0) { $0 + $1.contentBytes } == charged.values.reduce(0, +))
        for waiter in table.waiters.values {
            #expect(waiter.flight.waiters.contains { $0 === waiter })
        }
    }

    /// Checks that the counts of shares are those of the flights.
    private func checkShares() {
        let (shares, origins) = (table.shares, table.origins.values)
        #expect(shares.silentActive == origins.reduce(0) { $0 + ($1.isResponsive ? 0 : $1.active) })
        #expect(shares.silentWaiting == origins.reduce(0) { $0 + ($1.isResponsive ? 0 : $1.waiting) })
        let waiting = table.timers.holders.compactMap { $0 as? Flight }.filter(\.isQueued)
        #expect(waiting.count == table.waiting, "the wait of each flight ends")
        let lists = origins.reduce(shares.backlog.count) { $0 + $1.queue.count }
        let pauses = waiting.count { $0.permit == .setAside(.pause) }
        #expect(
            shares.partitions.values.reduce(lists + pauses) { $0 + $1.backlog.count } == table.waiting,
            "each flight waits in one list"
        )
        #expect(shares.unattendedActive == table.transfers.values.count { $0.countsAsUnattended })
        #expect(shares.partitions.values.reduce(0) { $0 + $1.active } == active.count)
        #expect(shares.partitions.values.reduce(0) { $0 + $1.waiting } == table.waiting)
        #expect(
            table.transfers.values.allSatisfy { flight in
                flight.clients == flight.waiters.reduce(0) { $0 + ($1.countsAsClient ? 1 : 0) }
            }
        )
        let contentBytes = table.transfers.values.map { $0.route.hop.request.content?.count ?? 0 }
        #expect(table.activeContentBytes == contentBytes.reduce(0, +))
        #expect(table.activeContentBytes <= FlightSettings.maxActiveContentBytes)
    }

    /// Checks that nothing is left.
    func checkIsEmpty() {
        #expect(table.waiters.isEmpty && table.flights.isEmpty && table.transfers.isEmpty && table.jobs.isEmpty)
        #expect(table.names.isEmpty && table.slots.isEmpty && table.waiting == 0)
        #expect(table.shares.partitions.isEmpty && table.shares.unattendedWaiting == 0)
        #expect(table.origins.values.allSatisfy { $0.active == 0 && $0.contentBytes == 0 && $0.waiting == 0 })
    }
}

/// A time of day that a test sets.
private final class ManualClock: Sendable {
    private let time = Monitor(1_800_000_000)

    var seconds: Int {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}
