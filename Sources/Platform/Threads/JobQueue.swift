/// A bounded queue of jobs for a fixed number of threads, first in, first out. A waiting job can be withdrawn.
package final class JobQueue<Job: Sendable>: Sendable {
    /// Identifies a job that was added.
    package struct JobID: Equatable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let number: UInt64
        /// The job; `nil` if it was withdrawn.
        var job: Job?
    }

    private struct State {
        /// The entries in ascending order of their numbers. The entries before `first` have been taken.
        var entries: [Entry] = []
        var first = 0
        /// The number of entries with a job.
        var waiting = 0
        var nextNumber: UInt64 = 0
        /// The number of threads that wait in ``JobQueue/rest(until:)``.
        var resting = 0
        var isClosed = false

        mutating func add(_ job: Job) -> JobID {
            let number = nextNumber
            nextNumber += 1
            entries.append(Entry(number: number, job: job))
            waiting += 1
            return JobID(number: number)
        }

        mutating func take() -> Job? {
            while first < entries.count {
                let job = entries[first].job.take()
                first += 1
                if first == entries.count || first >= 64 { dropTaken() }
                guard let job else { continue }
                waiting -= 1
                return job
            }
            return nil
        }

        /// Removes and returns a certain job, at any position in the queue.
        mutating func withdraw(_ id: JobID) -> Job? {
            // The entry is found by binary search: numbers ascend, with gaps where entries were removed.
            var (low, high) = (first, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].number < id.number { low = middle + 1 } else { high = middle }
            }
            guard low < entries.count, entries[low].number == id.number, let job = entries[low].job.take() else {
                return nil
            }
            waiting -= 1
            // The number of empty entries is limited in proportion to the number of jobs: memory and time per job
            // remain constant.
            if entries.count - first > 2 * waiting + 64 {
                entries.removeAll { $0.job == nil }
                first = 0
            }
            return job
        }

        private mutating func dropTaken() {
            entries.removeFirst(first)
            first = 0
        }
    }

    package enum Next {
        case job(Job)
        /// No job was available until the time limit.
        case nothing
        /// The queue is closed and empty.
        case closed
    }

    private let threads: Int
    private let maxWaiting: Int
    private let state = Monitor(State())

    /// - Parameters:
    ///   - threads: the number of threads that take jobs.
    ///   - maxWaiting: the maximum number of waiting jobs, inclusive.
    package init(threads: Int, maxWaiting: Int) {
        self.threads = threads
        self.maxWaiting = maxWaiting
    }

    /// Adds a job to the end of the queue.
    /// - Returns: `nil` if the queue is full or closed, or if all threads rest. In this case the job is discarded.
    package func add(_ job: Job) -> JobID? {
        state.change { state in
            guard !state.isClosed, state.resting < threads, state.waiting < maxWaiting else { return nil }
            return state.add(job)
        }
    }

    /// Removes a job that no thread has taken yet.
    /// - Returns: whether the job was removed. If not, a thread has already taken it.
    package func withdraw(_ id: JobID) -> Bool {
        // The job must be released after the lock.
        let job = state.withLock { $0.withdraw(id) }
        return job != nil
    }

    /// The number of waiting jobs.
    package var count: Int { state.withLock { $0.waiting } }

    /// Takes the first job. If there is none, waits for one until `time`.
    /// - Parameter canProcess: whether the calling thread can process a job. It is called before a job is taken, while
    ///   the queue is locked. If it returns `false`, the job remains in the queue, and the result is `nothing`. It is
    ///   not called after the queue is closed.
    package func next(until time: MonotonicTime, if canProcess: () -> Bool = { true }) -> Next {
        state.wait(until: time) { state in
            guard state.waiting == 0 || state.isClosed || canProcess() else { return .nothing }
            if let job = state.take() { return .job(job) }
            return state.isClosed ? .closed : nil
        } ?? .nothing
    }

    /// Takes the first job. If there is none, waits for one without a time limit.
    /// - Returns: `nil` if the queue is closed and empty.
    package func next() -> Job? {
        guard case .job(let job) = next(until: .never) else { return nil }
        return job
    }

    /// Waits until `time` on behalf of a thread that temporarily cannot process jobs. Jobs remain in the queue. A job
    /// is returned only after the queue has been closed, and must then be rejected.
    package func pause(until time: MonotonicTime) -> Next {
        state.wait(until: time) { state in
            guard state.isClosed else { return nil }
            return state.take().map { .job($0) } ?? .closed
        } ?? .nothing
    }

    /// Whether all threads are in ``rest(until:)``, so that no job is accepted.
    package var isResting: Bool { state.withLock { $0.resting == threads } }

    /// Waits until `time` on behalf of a thread that cannot process jobs. A job is returned only if no thread can
    /// process one, because all threads rest or the queue is closed. Such a job must be rejected.
    package func rest(until time: MonotonicTime) -> Next {
        state.change { $0.resting += 1 }
        defer { state.change { $0.resting -= 1 } }
        return state.wait(until: time) { state in
            if state.isClosed || state.resting == threads, let job = state.take() { return .job(job) }
            return state.isClosed ? .closed : nil
        } ?? .nothing
    }

    /// Closes the queue: it accepts no more jobs, but waiting jobs can still be taken.
    package func close() { state.change { $0.isClosed = true } }
}
