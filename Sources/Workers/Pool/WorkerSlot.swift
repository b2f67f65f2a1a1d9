internal import Glibc
internal import Logging
internal import Platform
internal import Serialization

/// The place of one worker: starts it, has jobs done by it, and replaces it.
///
/// A worker is replaced when it ends, when it is late, when it lies, after content that its decoder found corrupt, and
/// after a number of jobs: what a decoder's bug might leave behind does not live long.
///
/// @unchecked Sendable: all but `shared`, which is a monitor, is used by one thread at a time: the pool's own, which calls
/// ``work(for:)``, or whoever holds the lock of a ``LocalWorker``.
final class WorkerSlot: ImageRenderer, @unchecked Sendable {
    /// Where the worker stands, as others may know.
    enum State: Equatable, Sendable {
        case starting
        case idle
        /// It decodes, at most until this.
        case busy(until: MonotonicTime)
        /// There is none.
        case dead
    }

    /// The reason why the last worker could not be started.
    enum StartFailure: Equatable, Sendable {
        /// It could not be started, was not ready in time, or ended as soon as it was.
        case cannotStart
        case noSandbox
    }

    /// The state of the worker, and what is known about its predecessors.
    struct Condition: Sendable {
        var state = State.dead
        var hasBeenReady = false
        /// `nil` if the last worker was ready.
        var failure: StartFailure?
        /// The sandbox of the last worker; `nil` until one has started.
        var sandbox: SandboxParts?

        var isReady: Bool {
            switch state {
            case .idle, .busy: true
            case .starting, .dead: false
            }
        }
    }

    private struct Shared {
        var condition = Condition()
        /// Not nil while there is a process that nobody has waited for.
        var process: pid_t?
        var isStopping = false
    }

    private let configuration: WorkerConfiguration
    private let log: WorkerLog
    private let shared = Monitor(Shared())
    private var worker: WorkerProcess?
    /// The identifier of the request whose job is being done.
    private var requestID: String?
    /// Jobs of this worker.
    private var jobs = 0
    /// The reason why the worker is replaced after its current job; `nil` if it is kept.
    private var replacement: WorkerEndReason?
    /// Workers that ended one after another before they did anything.
    private var failures = 0
    /// Workers that were late one after another.
    private var lateStarts = 0
    private var startTime = MonotonicTime.now
    /// No worker is started before this.
    private var nextStart = MonotonicTime(nanoseconds: 0)

    init(_ configuration: WorkerConfiguration, log: WorkerLog) {
        self.configuration = configuration
        self.log = log
    }

    var condition: Condition {
        shared.withLock { $0.condition }
    }

    /// The worker's process; nil where there is none.
    var process: pid_t? {
        shared.withLock { $0.process }
    }

    // MARK: Its thread

    /// Does the queue's jobs until it is closed.
    func work(for queue: JobQueue<WorkerPool.Job>) {
        while true {
            if worker == nil, MonotonicTime.now >= nextStart { tryToStart(within: startTimeout) }
            switch next(of: queue) {
            case .job(let job):
                requestID = job.requestID
                job.work(self)
                requestID = nil
                if let replacement { retire(because: replacement) }
            case .nothing:
                lookAfterIdleWorker()
            case .closed:
                retire(because: nil)
                return
            }
        }
    }

    /// Takes a job if there is a worker for it. Without a worker jobs remain in the queue, where their callers can withdraw them. Only
    /// if there is no seccomp are they taken, to be rejected.
    private func next(of queue: JobQueue<WorkerPool.Job>) -> JobQueue<WorkerPool.Job>.Next {
        if let worker { return queue.next(until: .now + configuration.watchInterval) { worker.isWell } }
        switch condition.failure {
        case .noSandbox: return queue.rest(until: nextStart)
        case .cannotStart, nil: return queue.pause(until: nextStart)
        }
    }

    private func lookAfterIdleWorker() {
        guard let worker, !worker.isWell else { return }
        if MonotonicTime.now < startTime + .seconds(1) {
            noteFailure(.cannotStart)
        } else {
            failures = 0
        }
        retire(because: .endedIdle)
    }

    // MARK: Rendering

    func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
        var request = request
        request.maxMemoryBytes = min(request.maxMemoryBytes, configuration.maxDecodeBytes)
        let wire = request.wire
        guard content.count <= configuration.maxContentBytes else {
            throw .tooLarge(bytes: content.count, max: configuration.maxContentBytes)
        }
        guard wire.count <= RegionLayout.requestBytes else { throw .unsupported(feature: "so many thumbnails") }
        // A worker that had ended before the job began costs the job nothing: the next one does it, if it starts in time. The caller
        // cannot withdraw the job any more.
        let limit = MonotonicTime.now + configuration.startTimeout
        while true {
            start(until: limit)
            guard let worker else { throw condition.failure == .noSandbox ? .sandboxUnavailable : .saturated }
            let deadline = MonotonicTime.now + .seconds(configuration.decodeTimeSeconds)
            shared.change { $0.condition.state = .busy(until: deadline) }
            let outcome = worker.run(request: wire, content: content, until: deadline)
            shared.change { $0.condition.state = .idle }
            switch outcome {
            case .answered(let bytes):
                return try take(bytes, for: request, contentBytes: content.count)
            case .neverBegan:
                retire(because: .endedBeforeJob)
            case .failed:
                retire(because: .endedInJob)
                throw .crashed
            case .timedOut:
                retire(because: .decodeTime)
                throw .timedOut(seconds: configuration.decodeTimeSeconds)
            }
        }
    }

    private func take(
        _ bytes: [UInt8],
        for request: RenderingRequest,
        contentBytes: Int
    ) throws(RenderingError) -> Rendering {
        let answer: WorkerAnswer
        do {
            answer = try WorkerAnswer(wire: bytes, for: request, contentBytes: contentBytes)
        } catch {
            retire(because: .invalidAnswer, detail: "\(error)")
            throw .crashed
        }
        jobs += 1
        failures = 0
        replacement = answer.isSuspect ? .corruptContent : jobs >= configuration.maxJobs ? .jobLimit : nil
        if max(bytes.count, contentBytes) > configuration.maxIdleBytes {
            worker?.discardMemory(beyond: configuration.maxIdleBytes)
        }
        switch answer {
        case .rendering(let rendering): return rendering
        case .error(let error): throw error
        }
    }

    // MARK: Start and end

    /// Ensures for a job that has begun that there is a worker. Makes the last attempt before `limit`.
    private func start(until limit: MonotonicTime) {
        while worker == nil {
            let time = max(nextStart, .now)
            // A missing sandbox is not worth waiting for.
            guard condition.failure != .noSandbox || nextStart <= .now else { return }
            guard time < limit, shared.wait(until: time, { $0.isStopping ? true : nil }) == nil else { return }
            tryToStart(within: configuration.startTimeout)
        }
    }

    /// The time for the next start.
    private var startTimeout: Duration {
        configuration.startTimeout * (1 << min(lateStarts, 2))
    }

    private func tryToStart(within timeout: Duration) {
        guard !shared.withLock({ $0.isStopping }) else { return }
        startTime = .now
        let worker: WorkerProcess
        do {
            worker = try WorkerProcess(configuration)
        } catch {
            noteFailure(.cannotStart)
            log.cannotStart("\(error)", retry: failures)
            return
        }
        self.worker = worker
        shared.change { shared in
            shared.condition.state = .starting
            shared.process = worker.process
            if shared.isStopping { kill(worker.process, SIGKILL) }
        }
        switch worker.waitUntilReady(until: startTime + timeout) {
        case .ready(let parts):
            take(worker, parts)
        case .failed:
            noteFailure(.cannotStart)
            retire(because: .notReady)
        case .late:
            lateStarts += 1
            noteFailure(.cannotStart)
            retire(because: .notReady, detail: "not ready after \(timeout)")
        }
    }

    /// Has a worker do jobs if it has the sandbox that is required.
    private func take(_ worker: WorkerProcess, _ parts: SandboxParts) {
        let isUsed = parts.contains(.seccomp) || configuration.allowsUnsandboxed
        shared.change { $0.condition.sandbox = parts }
        log.started(worker.process, parts, wanted: configuration.sandbox, isUsed: isUsed)
        lateStarts = 0
        guard isUsed else {
            noteFailure(.noSandbox)
            retire(because: .noSandbox)
            return
        }
        (jobs, replacement) = (0, nil)
        shared.change { shared in
            shared.condition.state = .idle
            shared.condition.hasBeenReady = true
            shared.condition.failure = nil
        }
    }

    /// Sets the time of the next start. A system that has no seccomp seldom gets it, while a failed start may be repeated at once three
    /// times; then the pause grows to two seconds.
    private func noteFailure(_ failure: StartFailure) {
        failures += 1
        switch failure {
        case .noSandbox:
            nextStart = .now + configuration.sandboxRetryInterval * min(30, 1 << min(failures - 1, 5))
        case .cannotStart:
            if failures > 3 { nextStart = .now + .milliseconds(min(2_000, 50 << min(failures - 4, 10))) }
        }
        shared.change { $0.condition.failure = failure }
    }

    /// Ends the worker. The end is counted and logged if the worker is replaced.
    /// - Parameters:
    ///   - reason: the reason for its replacement; `nil` if it is not replaced.
    ///   - detail: follows the reason in the log.
    private func retire(because reason: WorkerEndReason?, detail: String? = nil) {
        guard let worker else { return }
        // From here on nobody else sends it a signal: its number may soon be another process's.
        let isStopping = shared.change { shared in
            shared.condition.state = .dead
            shared.process = nil
            return shared.isStopping
        }
        let end = worker.end()
        self.worker = nil
        if let reason, !isStopping {
            log.ended(worker.process, reason, detail: detail, end, requestID: requestID)
        }
    }

    /// From any thread: whatever it does ends now, and no worker is started again.
    func stop() {
        shared.change { shared in
            shared.isStopping = true
            if let process = shared.process { kill(process, SIGKILL) }
        }
    }
}
