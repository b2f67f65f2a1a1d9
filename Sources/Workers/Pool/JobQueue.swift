/// Jobs that wait for one of a number of threads, first come, first served.
package final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        var waiting: [Job?] = []
        /// Place of the first in `waiting`; those before it are nil.
        var first = 0
        /// Threads that can do nothing at the moment.
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

    enum Next {
        case job(Job)
        case nothing
        /// Nothing is left, and nothing more will come.
        case closed
    }

    private let threads: Int
    private let maxWaiting: Int
    private let state = Monitor(State())

    /// - Parameter maxWaiting: inclusive.
    package init(threads: Int, maxWaiting: Int) {
        self.threads = threads
        self.maxWaiting = maxWaiting
    }

    /// Whether the job will be done. It will not where the queue is full or closed, or all threads rest.
    package func add(_ job: Job) -> Bool {
        state.change { state in
            guard !state.isClosed, state.resting < threads, state.waiting.count - state.first < maxWaiting else {
                return false
            }
            state.waiting.append(job)
            return true
        }
    }

    var count: Int {
        state.withLock { $0.waiting.count - $0.first }
    }

    /// The next job for a thread; waits for one until `time`.
    func next(until time: MonotonicTime) -> Next {
        state.wait(until: time) { state in
            if let job = state.take() { return .job(job) }
            return state.isClosed ? .closed : nil
        } ?? .nothing
    }

    /// The next job for a thread that waits without end; nil where nothing more will come.
    package func next() -> Job? {
        guard case .job(let job) = next(until: .never) else { return nil }
        return job
    }

    /// For a thread that can do nothing until `time`: it gets no jobs but those that nobody can do, as all threads rest.
    func rest(until time: MonotonicTime) -> Next {
        state.change { $0.resting += 1 }
        defer { state.change { $0.resting -= 1 } }
        return state.wait(until: time) { state in
            if state.isClosed || state.resting == threads, let job = state.take() { return .job(job) }
            return state.isClosed ? .closed : nil
        } ?? .nothing
    }

    /// No job is taken from here on. Those that wait still come out.
    package func close() {
        state.change { $0.isClosed = true }
    }
}
