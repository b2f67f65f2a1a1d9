package import Logging
package import Platform
package import Serialization
internal import Synchronization

/// Worker processes that decode images, each with a thread of this process that waits for it.
package final class WorkerPool: Sendable {
    /// A job for a worker.
    package struct Job: Sendable {
        /// The identifier of the request that needs the job, for the log.
        let requestID: String

        /// Called once, on a thread that may wait, with the renderer of that thread, which must not be kept.
        let work: @Sendable (any ImageRenderer) -> Void
    }

    /// The result of submitting a job.
    package enum Submission: Equatable, Sendable {
        /// The job will be called, unless it is withdrawn.
        case queued(JobQueue<Job>.Ticket)

        /// The job will not be called, for this reason.
        case rejected(RenderingError)
    }

    /// What a probe tells.
    package struct Status: Equatable, Sendable {
        package enum Sandbox: String, CaseIterable, Sendable {
            /// No worker has started yet.
            case unknown
            case full
            /// Landlock or another of the lesser parts is missing.
            case partial
            case none
        }

        /// Workers that take jobs, or do one.
        package var ready: Int
        /// Workers that do a job.
        package var busy: Int
        /// Workers that have started and are not ready yet.
        package var starting: Int
        package var total: Int
        /// Jobs that wait.
        package var waiting: Int
        package var sandbox: Sandbox

        /// Workers that are ready and have no job.
        package var idle: Int { ready - busy }
        /// Workers whose process has ended or could not be started.
        package var dead: Int { total - ready - starting }
    }

    private let slots: [WorkerSlot]
    private let queue: JobQueue<Job>
    private let log: WorkerLog
    private let threads: Mutex<[Thread]>

    /// Starts as many threads as there are to be workers; each starts its own.
    package init(_ configuration: WorkerConfiguration, log: Logger) throws(SystemError) {
        let log = WorkerLog(log)
        let slots = (0..<configuration.workers).map { _ in WorkerSlot(configuration, log: log) }
        let queue = JobQueue<Job>(threads: slots.count, maxWaiting: configuration.maxWaitingJobs)
        self.log = log
        self.slots = slots
        self.queue = queue
        threads = Mutex([])
        for slot in slots {
            let thread = try Thread { slot.work(for: queue) }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit {
        stop()
    }

    /// Hands a job to the next worker that is free.
    /// - Parameters:
    ///   - requestID: the identifier of the request that needs the job, for the log.
    ///   - work: called once, on a thread that may wait, with the renderer of that thread, which must not be kept.
    package func submit(requestID: String, _ work: @escaping @Sendable (any ImageRenderer) -> Void) -> Submission {
        if let ticket = queue.add(Job(requestID: requestID, work: work)) { return .queued(ticket) }
        return .rejected(status.sandbox == .none ? .sandboxUnavailable : .saturated)
    }

    /// Removes a job from the queue.
    /// - Returns: whether it was removed; if not, it has begun.
    package func withdraw(_ ticket: JobQueue<Job>.Ticket) -> Bool {
        queue.withdraw(ticket)
    }

    /// Jobs that wait for a worker.
    package var waitingJobs: Int { queue.count }

    package var status: Status {
        var status = Status(ready: 0, busy: 0, starting: 0, total: slots.count, waiting: queue.count, sandbox: .unknown)
        for slot in slots {
            switch slot.state {
            case .idle: status.ready += 1
            case .busy:
                status.ready += 1
                status.busy += 1
            case .starting: status.starting += 1
            case .dead: break
            }
        }
        if let parts = log.sandbox {
            status.sandbox = parts == .all ? .full : parts.contains(.seccomp) ? .partial : .none
        }
        return status
    }

    /// The workers' processes.
    package var processes: [Int32] { slots.compactMap(\.process) }

    /// The number of workers that ended and were replaced since the start, by reason. A reason that has not occurred is absent.
    package var endsByReason: [WorkerEndReason: Int] { log.endsByReason }

    /// The resident memory of all workers together, in bytes. Pages that they share are counted once per worker.
    package var residentBytes: Int {
        processes.reduce(0) { $0 + (ProcessMemory(of: $1)?.residentBytes ?? 0) }
    }

    /// Takes no more jobs, kills the workers, and waits until all jobs were called: those that wait for a worker are refused.
    package func stop() {
        queue.close()
        for slot in slots {
            slot.stop()
        }
        let threads = self.threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads {
            thread.join()
        }
    }
}
