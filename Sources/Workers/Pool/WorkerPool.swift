package import Logging
package import Platform
package import Serialization
internal import Synchronization

/// A pool of worker processes that read images. For each of them, one thread of this process waits.
///
///     submit ─► JobQueue ─► thread of a WorkerSupervisor ─► WorkerProcess (socket, shared memory) ─► decant-worker
///
/// **Invariant.** A job is in one place: in the queue, with one supervisor, or done. It is called once, unless it is
/// withdrawn before it begins. A job ends with the result of its own process: a process that crashes, is late, or sends
/// an invalid answer fails the job that it executes, and no other. If a process ended before the job began, the next
/// process executes it. `WorkerPoolTests` checks this.
package final class WorkerPool: Sendable {
    /// A job for a worker.
    package struct Job: Sendable {
        /// The identifier of the request that needs the job, for the log.
        let requestID: String

        /// Called once, on a thread that may block, with the reader of that thread, which must not be kept.
        let work: @Sendable (any ImageReader) -> Void
    }

    /// The result of submitting a job.
    package enum Submission: Equatable, Sendable {
        /// The job will be called, unless it is withdrawn.
        case queued(JobQueue<Job>.JobID)

        /// The job will not be called, for this reason.
        case rejected(ImageError.Reason)
    }

    /// The status of the pool, for probes and metrics.
    package struct Status: Equatable, Sendable {
        package enum Sandbox: String, CaseIterable, Sendable {
            /// No worker has started yet.
            case unknown
            case full
            /// Landlock or another optional part is missing.
            case partial
            case none
        }

        /// The reason why no images can be read.
        package enum Outage: Equatable, Sendable {
            /// No worker has been ready yet, and none has failed.
            case starting
            /// The system has no seccomp.
            case noSandbox
            /// Workers cannot be started, or end immediately after their start.
            case cannotStart
        }

        /// The number of workers that are ready, including those that are busy.
        package var ready = 0
        /// The number of workers that execute a job.
        package var busy = 0
        /// The number of workers that have been started and are not ready yet.
        package var starting = 0
        package var total = 0
        /// The number of waiting jobs.
        package var waiting = 0
        /// The weakest sandbox of all ready workers. If none is ready, the weakest sandbox of the workers that started
        /// last.
        package var sandbox = Sandbox.unknown
        /// The reason why no worker is ready; `nil` if a worker is ready, or is being replaced.
        package var outage: Outage?

        /// The status of a pool without workers.
        package init() {}

        /// The number of workers that are ready and have no job.
        package var idle: Int { ready - busy }
        /// The number of workers whose process has ended or could not be started.
        package var dead: Int { total - ready - starting }
    }

    private let supervisors: [WorkerSupervisor]
    private let queue: JobQueue<Job>
    private let log: WorkerLog
    private let threads: Mutex<[Thread]>

    /// Starts one thread per worker. Each thread starts its worker.
    package init(_ configuration: WorkerConfiguration, log: Logger) throws(SystemError) {
        let log = WorkerLog(log)
        let supervisors = (0..<configuration.workers).map { _ in WorkerSupervisor(configuration, log: log) }
        let queue = JobQueue<Job>(threads: supervisors.count, maxWaiting: configuration.maxWaitingJobs)
        self.log = log
        self.supervisors = supervisors
        self.queue = queue
        threads = Mutex([])
        for supervisor in supervisors {
            let thread = try Thread { supervisor.work(for: queue) }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit { stop() }

    /// Passes a job to the next idle worker. While no worker is ready, the job waits until one is ready, or until the
    /// job is withdrawn. It is rejected if no worker can install the sandbox.
    /// - Parameters:
    ///   - requestID: the identifier of the request that needs the job, for the log.
    ///   - work: called once, on a thread that may block, with the reader of that thread, which must not be kept.
    package func submit(requestID: String, _ work: @escaping @Sendable (any ImageReader) -> Void) -> Submission {
        if let id = queue.add(Job(requestID: requestID, work: work)) { return .queued(id) }
        return .rejected(queue.isResting ? .pixelsUnavailable : .saturated)
    }

    /// Removes a job from the queue.
    /// - Returns: whether the job was removed. If not, it has begun.
    package func withdraw(_ id: JobQueue<Job>.JobID) -> Bool { queue.withdraw(id) }

    /// The number of jobs that wait for a worker.
    package var waitingJobs: Int { queue.count }

    package var status: Status {
        var status = Status()
        status.total = supervisors.count
        status.waiting = queue.count
        let conditions = supervisors.map(\.condition)
        for condition in conditions {
            switch condition.state {
            case .idle: status.ready += 1
            case .busy:
                status.ready += 1
                status.busy += 1
            case .starting: status.starting += 1
            case .dead: break
            }
        }
        status.sandbox = Self.sandbox(of: status.ready > 0 ? conditions.filter(\.isReady) : conditions)
        status.outage = status.ready > 0 ? nil : Self.outage(conditions)
        return status
    }

    private static func sandbox(of conditions: [WorkerSupervisor.Condition]) -> Status.Sandbox {
        let known = conditions.compactMap(\.sandbox)
        guard !known.isEmpty else { return .unknown }
        let parts = known.reduce(SandboxParts.all) { $0.intersection($1) }
        return parts == .all ? .full : parts.contains(.seccomp) ? .partial : .none
    }

    /// - Parameter conditions: the conditions of all workers, none of which is ready.
    private static func outage(_ conditions: [WorkerSupervisor.Condition]) -> Status.Outage? {
        let isBeingReplaced = conditions.contains { $0.failure == nil && $0.hasBeenReady }
        guard !isBeingReplaced else { return nil }
        guard conditions.allSatisfy({ $0.failure != nil }) else { return .starting }
        return conditions.allSatisfy { $0.failure == .noSandbox } ? .noSandbox : .cannotStart
    }

    /// The process IDs of the workers.
    package var processes: [Int32] { supervisors.compactMap(\.process) }

    /// The number of workers that ended and were replaced since the start, by reason. A reason that has not occurred is
    /// absent.
    package var endsByReason: [WorkerEndReason: Int] { log.endsByReason }

    /// The total resident memory of all workers, in bytes. Shared pages are counted once per worker.
    package var residentBytes: Int { processes.reduce(0) { $0 + (ProcessMemory(of: $1)?.residentBytes ?? 0) } }

    /// Closes the queue, kills the workers, and waits until all jobs have been called. Waiting jobs are rejected.
    package func stop() {
        queue.close()
        for supervisor in supervisors { supervisor.stop() }
        let threads = self.threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }
}
