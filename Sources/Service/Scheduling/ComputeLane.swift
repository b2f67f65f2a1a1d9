internal import Platform
internal import Synchronization

/// A few threads for answers that take milliseconds, so that they hold up none that take microseconds.
///
/// Nothing can end such a job from outside: all that it does is bounded by `Limits`.
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

    /// Whether `job` will be called, once, on one of the threads.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        queue.add(job)
    }

    /// Takes no more jobs, and waits until all were called.
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
