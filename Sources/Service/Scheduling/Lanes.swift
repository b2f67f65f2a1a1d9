internal import HTTP
internal import Platform
internal import Serialization
internal import Synchronization
internal import Workers

/// The lanes for steps that take too long for an event loop. A full lane does not affect the others.
///
/// **Invariant.** A step is executed at most once, on the lane that it names, and only while its client waits for the
/// response. What follows is delivered once: the response, the next step, or a rejection if the lane is full, has
/// stopped or has no worker. The number of waiting jobs is bounded, and a waiting job can be withdrawn until it begins.
/// No lane waits for another one. `LanesTests`, `QueueTests` and `GoneClientTests` check this.
final class Lanes: LaneScheduler {
    /// The maximum number of jobs that wait for the workers. It bounds their memory; `queue-timeout-seconds` bounds
    /// their time.
    static let maxWaitingJobs = 1_024

    /// The maximum number of jobs that wait for the compute lane: one for each connection, because most of them take
    /// less than a millisecond. The account of requests bounds their memory.
    static func maxWaitingJobs(connections: Int) -> Int { max(connections, maxWaitingJobs) }

    private let compute: ComputeLane?
    private let factWorkers: WorkerPool?
    private let workers: WorkerPool?
    private let fetching: FetchThread?
    private let stopping = Atomic<Bool>(false)

    /// Creates the lanes. Without a compute lane, its steps run on the calling thread.
    /// - Parameters:
    ///   - factWorkers: the workers for facts; `nil` if those for pixels read facts too.
    ///   - workers: the workers for pixels; `nil` if there are none.
    ///   - fetching: the thread that waits for origins; `nil` if nothing is fetched.
    init(
        compute: ComputeLane? = nil,
        factWorkers: WorkerPool? = nil,
        workers: WorkerPool? = nil,
        fetching: FetchThread? = nil
    ) {
        self.compute = compute
        self.factWorkers = factWorkers ?? workers
        self.workers = workers
        self.fetching = fetching
    }

    /// The number of jobs that wait for `lane`.
    func waitingJobs(for lane: Lane) -> Int {
        switch lane {
        case .inline: 0
        case .compute: compute?.waitingJobs ?? 0
        case .facts: factWorkers?.waitingJobs ?? 0
        case .pixels: workers?.waitingJobs ?? 0
        }
    }

    func begin(_ step: consuming Step, for parked: ParkedConnection) { follow(step, for: parked, isOnLoop: true) }

    /// Executes the steps of a computation until its response is delivered to `parked`, or its client disconnects.
    /// - Parameter isOnLoop: whether the caller is the connection's loop.
    func follow<Client: LaneClient>(_ step: consuming Step, for parked: Client, isOnLoop: Bool = false) {
        switch consume step {
        case .done(let response): parked.deliver(response)
        case .park(let begin): parked.park(begin)
        case .next(let continuation):
            let number = parked.willEnterQueue(of: continuation.lane, isOnLoop: isOnLoop)
            switch continuation {
            case .compute(let next): decode(next, for: parked, number)
            case .factsStep(let next): wait(for: factWorkers, on: .facts, next, for: parked, number)
            case .pixelsStep(let next): waitForPixels(next, for: parked, number)
            }
        }
    }

    private func decode<Client: LaneClient>(_ next: @escaping @Sendable () -> Step, for parked: Client, _ number: Int) {
        let job: ComputeLane.Job = { [self] in work(for: parked, on: .compute, next) }
        guard let compute else { return job() }
        guard let jobID = compute.submit(job) else { return parked.reject(isStopping ? .draining : .computeLaneFull) }
        parked.didEnterQueue(number) { compute.withdraw(jobID) }
    }

    /// Executes a step with the next idle worker of `pool`.
    private func wait<Client: LaneClient>(
        for pool: WorkerPool?,
        on lane: Lane,
        _ next: @escaping @Sendable (any Sendable) -> Step,
        for parked: Client,
        _ number: Int
    ) {
        guard let pool else { return work(for: parked, without: .noDecoder, next, number) }
        let submission = pool.submit(requestID: parked.requestID.text) { [self] reader in
            work(for: parked, on: lane) { next(reader) }
        }
        switch submission {
        case .queued(let jobID): parked.didEnterQueue(number) { pool.withdraw(jobID) }
        case .rejected(let reason): work(for: parked, without: reason, next, number)
        }
    }

    /// Executes a step without a worker on the compute lane: it reports the reason, or does not need one after all, and
    /// may have to read all of the content.
    private func work<Client: LaneClient>(
        for parked: Client,
        without reason: ImageError.Reason,
        _ next: @escaping @Sendable (any Sendable) -> Step,
        _ number: Int
    ) {
        if isStopping { return parked.reject(.draining) }
        decode({ next(RejectingReader(reason)) }, for: parked, number)
    }

    private func waitForPixels<Client: LaneClient>(
        _ next: @escaping @Sendable (any Sendable) -> Step,
        for parked: Client,
        _ number: Int
    ) {
        guard let workers, let renderings = parked.renderings else {
            return wait(for: workers, on: .pixels, next, for: parked, number)
        }
        // Each step has its own job in the queue, which has no effect if another step has taken this one along.
        let batch = renderings.batch
        let stepID = batch.add(renderings.order) { [self] reader in
            work(for: parked, on: .pixels) { next(reader) }
        }
        switch workers.submit(requestID: parked.requestID.text, { batch.run(stepID, $0) }) {
        case .queued(let jobID):
            parked.didEnterQueue(number) {
                _ = workers.withdraw(jobID)
                return batch.remove(stepID)
            }
        case .rejected(let reason):
            guard batch.remove(stepID) else { return }
            work(for: parked, without: reason, next, number)
        }
    }

    private func work<Client: LaneClient>(for parked: Client, on lane: Lane, _ next: () -> Step) {
        guard parked.beginWork(on: lane) else { return }
        guard !isStopping else { return parked.reject(.draining) }
        let start = MonotonicTime.now
        let step = next()
        parked.add(decodingNanoseconds: MonotonicTime.now.nanoseconds(since: start))
        follow(step, for: parked)
    }

    // MARK: Stopping

    private var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Rejects new work, terminates the computations that can be terminated, and waits until every response has been
    /// delivered to its loop, which must still be running.
    func stop() {
        // Every request that waits for an origin is rejected first: nothing else would end it.
        fetching?.stop()
        stopping.store(true, ordering: .relaxed)
        compute?.stop()
        factWorkers?.stop()
        workers?.stop()
    }
}
