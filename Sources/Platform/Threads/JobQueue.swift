/// A bounded queue of jobs for a fixed number of threads, first in, first out.
package final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        var waiting: [Job?] = []
        /// The index of the first job in `waiting`; the elements before it are `nil`.
        var first = 0
        /// The number of threads that are in ``JobQueue/rest(until:)``.
        var resting = 0
        var isClosed = false

        mutating func take() -> Job? {
            guard first < waiting.count, let job = waiting[first].take() else { return nil }
            first += 1
            if first == waiting.count || first >= 64 {
                waiting.removeFirst(first)
                first = 0
            }
            return job
        }
    }

    package enum Next {
        case job(Job)
        /// There was no job until the time limit.
        case nothing
        /// No job is left, and the queue accepts no more.
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
    /// - Returns: `false` if the queue is full or closed, or if all threads rest. Then the job is discarded.
    package func add(_ job: Job) -> Bool {
        state.change { state in
            guard !state.isClosed, state.resting < threads, state.waiting.count - state.first < maxWaiting else {
                return false
            }
            state.waiting.append(job)
            return true
        }
    }

    /// The number of waiting jobs.
    package var count: Int {
        state.withLock { $0.waiting.count - $0.first }
    }

    /// Takes the first job, and waits for one until `time`.
    package func next(until time: MonotonicTime) -> Next {
        state.wait(until: time) { state in
            if let job = state.take() { return .job(job) }
            return state.isClosed ? .closed : nil
        } ?? .nothing
    }

    /// Takes the first job, and waits for one without a time limit.
    /// - Returns: `nil` if the queue is closed and empty.
    package func next() -> Job? {
        guard case .job(let job) = next(until: .never) else { return nil }
        return job
    }

    /// Waits until `time` on behalf of a thread that cannot process jobs. It takes a job only if no thread can process one,
    /// because all of them rest or the queue is closed; such a job must be rejected.
    package func rest(until time: MonotonicTime) -> Next {
        state.change { $0.resting += 1 }
        defer { state.change { $0.resting -= 1 } }
        return state.wait(until: time) { state in
            if state.isClosed || state.resting == threads, let job = state.take() { return .job(job) }
            return state.isClosed ? .closed : nil
        } ?? .nothing
    }

    /// Makes the queue accept no more jobs. Waiting jobs can still be taken.
    package func close() {
        state.change { $0.isClosed = true }
    }
}
