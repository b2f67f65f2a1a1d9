internal import Platform
internal import Serialization
internal import Workers

/// What takes answers over that are too much for an HTTP thread. A lane that is full does not touch the others.
final class Lanes: Sendable {
    private struct State {
        /// Answers that were handed on and are not back with their HTTP thread.
        var pending = 0
        var isStopping = false
    }

    private let compute: ComputeLane?
    private let workers: WorkerPool?
    private let state = Monitor(State())

    /// Without a compute lane its work is done where it is; without workers there are no pixels.
    init(compute: ComputeLane? = nil, workers: WorkerPool? = nil) {
        self.compute = compute
        self.workers = workers
    }

    /// Takes an answer over. It will be delivered, as a refusal at least; then ``end()`` is due.
    func begin(_ pending: PendingAnswer, on lane: Lane.Kind) {
        state.withLock { $0.pending += 1 }
        handOn(pending, to: lane)
    }

    /// An answer is back with its HTTP thread.
    func end() {
        state.change { $0.pending -= 1 }
    }

    private func handOn(_ pending: PendingAnswer, to lane: Lane.Kind) {
        switch lane {
        case .compute:
            guard let compute else { return work(pending, on: .compute) }
            let isTaken = compute.submit { [self] in
                isStopping ? pending.refuse(.draining) : work(pending, on: .compute)
            }
            if !isTaken { pending.refuse(isStopping ? .draining : .computeLaneFull) }
        case .isolated:
            guard let workers else { return work(pending, on: .refused(.sandboxUnavailable)) }
            let refusal = workers.submit { [self] renderer in
                guard !isStopping else { return pending.refuse(.draining) }
                // A client that is gone needs no answer; one that has only ended its sending does, if there is time.
                let isSpared = workers.waitingJobs > 0 && pending.connection.hasEnded
                work(pending, on: isSpared ? .refused(.saturated) : .isolated(renderer))
            }
            if let refusal {
                isStopping ? pending.refuse(.draining) : work(pending, on: .refused(refusal))
            }
        }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    private func work(_ pending: PendingAnswer, on lane: Lane) {
        guard let next = pending.work(on: lane) else { return }
        switch lane {
        case .inline, .compute: handOn(pending, to: next)
        case .isolated, .refused: preconditionFailure("these are the last lanes")
        }
    }

    /// Takes nothing more, ends what can be ended, and waits until all answers are back with their HTTP threads, which
    /// must still run.
    func stop() {
        state.change { $0.isStopping = true }
        compute?.stop()
        workers?.stop()
        // They need microseconds; a thread that is still busy with something else is waited for by the library.
        _ = state.wait(atMost: .seconds(10)) { $0.pending == 0 }
    }
}
