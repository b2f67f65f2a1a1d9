internal import Platform
internal import Synchronization

/// A few threads for steps that take milliseconds, so that they do not delay steps that take microseconds.
///
/// A job cannot be cancelled after it has begun. Its duration is bounded by `Limits`.
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
                // The loops go first: with nice 5 a thread gets a third of the processor beside one with nice 0 (sched(7)), and is not
                // starved.
                Thread.lowerPriority(by: 5)
                while let job = queue.next() {
                    job()
                }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit {
        stop()
    }

    /// Adds a job to the queue, which will be called once on one of the threads unless it is withdrawn.
    /// - Parameter evenIfFull: whether the job is added to a full queue too.
    /// - Returns: `nil` if the lane is full or has stopped. Then the job is not called.
    func submit(evenIfFull: Bool = false, _ job: @escaping Job) -> JobQueue<Job>.Ticket? {
        queue.add(job, evenIfFull: evenIfFull)
    }

    /// Removes a job from the queue.
    /// - Returns: whether it was removed; if not, it has begun.
    func withdraw(_ ticket: JobQueue<Job>.Ticket) -> Bool {
        queue.withdraw(ticket)
    }

    /// The number of waiting jobs.
    var waitingJobs: Int { queue.count }

    /// Rejects new jobs, and waits until all jobs in the queue are done.
    func stop() {
        queue.close()
        let threads = self.threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads {
            thread.join()
        }
    }
}
