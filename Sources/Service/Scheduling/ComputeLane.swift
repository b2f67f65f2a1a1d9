internal import Platform
internal import Synchronization

/// Threads for steps that take milliseconds, so that they do not delay steps that take microseconds.
///
/// A job cannot be cancelled after it has begun. `Limits` bounds its duration.
final class ComputeLane: Sendable {
    typealias Job = @Sendable () -> Void

    private let queue: JobQueue<Job>
    private let threads: Mutex<[Thread]>

    init(threads count: Int, maxWaiting: Int) throws(SystemError) {
        let queue = JobQueue<Job>(threads: count, maxWaiting: maxWaiting)
        self.queue = queue
        threads = Mutex([])
        for _ in 0..<count {
            let thread = try Thread {
                // The loops take precedence. In competition with a thread of nice 0, a thread of nice 5 gets a third of
                // the processor time (sched(7)), so it does not starve.
                Thread.lowerPriority(by: 5)
                while let job = queue.next() { job() }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit { stop() }

    /// Adds a job to the queue. It is called once on one of the threads, unless it is withdrawn.
    /// - Returns: `nil` if the lane is full or has stopped. In this case the job is not called.
    func submit(_ job: @escaping Job) -> JobQueue<Job>.JobID? { queue.add(job) }

    /// Removes a job from the queue.
    /// - Returns: whether the job was removed. If not, it has begun.
    func withdraw(_ id: JobQueue<Job>.JobID) -> Bool { queue.withdraw(id) }

    /// The number of waiting jobs.
    var waitingJobs: Int { queue.count }

    /// Rejects new jobs, and waits until all jobs in the queue are done.
    func stop() {
        queue.close()
        let threads = self.threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }
}
