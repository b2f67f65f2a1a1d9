internal import Platform
internal import Synchronization

/// A few threads for answers that take milliseconds, so that they do not delay answers that take microseconds.
///
/// A job cannot be cancelled after it has begun. Its duration is bounded by `Limits`.
final class ComputeLane: Sendable {
    private let queue: JobQueue<@Sendable () -> Void>
    private let threads: Mutex<[Thread]>

    init(threads count: Int, maxWaiting: Int) throws(SystemError) {
        let queue = JobQueue<@Sendable () -> Void>(threads: count, maxWaiting: maxWaiting)
        self.queue = queue
        threads = Mutex([])
        for _ in 0..<count {
            let thread = try Thread {
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

    /// Adds a job to the queue.
    /// - Returns: `true` if `job` will be called once on one of the threads; `false` if the lane is full or has
    ///   stopped.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        queue.add(job)
    }

    /// The number of jobs in the queue.
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
