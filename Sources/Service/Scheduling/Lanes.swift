internal import Serialization
internal import Synchronization
internal import Workers

/// The lanes for answers that take too long for an event loop. A lane that is full does not affect the others.
final class Lanes: Sendable {
    private let compute: ComputeLane?
    private let workers: WorkerPool?
    private let stopping = Atomic<Bool>(false)

    /// Creates the lanes. Without a compute lane, the event loop does its work. Without workers, pixels are not
    /// available.
    init(compute: ComputeLane? = nil, workers: WorkerPool? = nil) {
        self.compute = compute
        self.workers = workers
    }

    /// Computes `pending` on `lane`, and on the lanes to which it is handed on. A response is always delivered, unless
    /// `pending` is cancelled before the computation begins.
    func begin(_ pending: PendingAnswer, on lane: Lane.Kind) {
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
                isStopping ? pending.refuse(.draining) : work(pending, on: .isolated(renderer))
            }
            if let refusal {
                isStopping ? pending.refuse(.draining) : work(pending, on: .refused(refusal))
            }
        }
    }

    private var isStopping: Bool { stopping.load(ordering: .relaxed) }

    private func work(_ pending: PendingAnswer, on lane: Lane) {
        guard let next = pending.work(on: lane) else { return }
        switch lane {
        case .inline, .compute: begin(pending, on: next)
        case .isolated, .refused: preconditionFailure("these are the last lanes")
        }
    }

    /// Rejects new answers, terminates the computations that can be terminated, and waits until every answer is
    /// delivered to its loop, which must still be running.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        compute?.stop()
        workers?.stop()
    }
}
