internal import Serialization
internal import Synchronization
internal import Workers

/// The lanes that compute the answers that take too long for a loop. A lane that is full does not affect the others.
final class Lanes: Sendable {
    private let compute: ComputeLane?
    private let workers: WorkerPool?
    private let stopping = Atomic<Bool>(false)

    /// Without a compute lane its work is done by the loop; without workers there are no pixels.
    init(compute: ComputeLane? = nil, workers: WorkerPool? = nil) {
        self.compute = compute
        self.workers = workers
    }

    /// Has `pending` computed, from `lane` on. A response is delivered in any case, unless it is cancelled before it begins.
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

    /// Accepts nothing more, ends what can be ended, and waits until every answer is delivered to its loop, which must still run.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        compute?.stop()
        workers?.stop()
    }
}
