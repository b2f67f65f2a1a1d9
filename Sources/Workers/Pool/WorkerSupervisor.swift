internal import Glibc
internal import Logging
internal import Platform
internal import Serialization

/// Starts one worker, has jobs executed by it, and replaces it.
///
/// A worker is replaced when it ends, is late, or sends an invalid answer, after content that its decoder found
/// corrupt, and after a number of jobs. This limits the lifetime of any damage that a bug in a decoder may cause.
///
/// @unchecked Sendable: everything except `shared`, which is a monitor, is used by one thread at a time: the
/// supervisor's thread in the pool, which calls ``work(for:)``, or the thread that holds the lock of a ``LocalWorker``.
final class WorkerSupervisor: ImageReader, @unchecked Sendable {
    /// The state of the worker, as other threads see it.
    enum State: Equatable, Sendable {
        case starting
        case idle
        /// The worker decodes, until the given time at most.
        case busy(until: MonotonicTime)
        /// There is no worker.
        case dead
    }

    /// The reason why the last worker could not be started.
    enum StartFailure: Equatable, Sendable {
        /// The worker could not be started, was not ready in time, or ended immediately after its start.
        case cannotStart
        case noSandbox
    }

    /// The state of the worker, and what is known about its predecessors.
    struct Condition: Sendable {
        var state = State.dead
        var hasBeenReady = false
        /// The reason for the failure of the last start; `nil` if the last worker became ready.
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
        /// The process that has not been waited for; `nil` if there is none.
        var process: pid_t?
        var isStopping = false
    }

    private let configuration: WorkerConfiguration
    private let log: WorkerLog
    private let shared = Monitor(Shared())
    private var worker: WorkerProcess?
    /// The identifier of the request whose job is being executed.
    private var requestID: String?
    /// The number of jobs that this worker has executed.
    private var jobs = 0
    /// The reason why the worker is replaced before it reads again; `nil` if it is kept.
    private var replacement: WorkerEndReason?
    /// The number of consecutive workers that failed before they executed a job.
    private var failures = 0
    /// The number of consecutive workers that were late.
    private var lateStarts = 0
    private var startTime = MonotonicTime.now
    /// The earliest time of the next start.
    private var nextStart = MonotonicTime(nanoseconds: 0)

    init(_ configuration: WorkerConfiguration, log: WorkerLog) {
        self.configuration = configuration
        self.log = log
    }

    var condition: Condition { shared.withLock { $0.condition } }

    /// The process ID of the worker; `nil` if there is none.
    var process: pid_t? { shared.withLock { $0.process } }

    // MARK: The supervisor's thread

    /// Executes the jobs of `queue` until it is closed.
    func work(for queue: JobQueue<WorkerPool.Job>) {
        while true {
            if worker == nil, MonotonicTime.now >= nextStart { tryToStart(within: startTimeout) }
            switch next(of: queue) {
            case .job(let job):
                requestID = job.requestID
                job.work(self)
                requestID = nil
                if let replacement { retire(because: replacement) }
            case .nothing: checkIdleWorker()
            case .closed:
                retire(because: nil)
                return
            }
        }
    }

    /// Takes a job if there is a worker for it. Without a worker, jobs remain in the queue, from which their callers
    /// can withdraw them. They are taken to be rejected only if there is no seccomp.
    private func next(of queue: JobQueue<WorkerPool.Job>) -> JobQueue<WorkerPool.Job>.Next {
        if let worker { return queue.next(until: .now + configuration.watchInterval) { worker.isResponsive } }
        switch condition.failure {
        case .noSandbox: return queue.rest(until: nextStart)
        case .cannotStart, nil: return queue.pause(until: nextStart)
        }
    }

    private func checkIdleWorker() {
        guard let worker, !worker.isResponsive else { return }
        if MonotonicTime.now < startTime + .seconds(1) {
            noteFailure(.cannotStart)
        } else {
            failures = 0
        }
        retire(because: .endedIdle)
    }

    // MARK: Reading

    func read(_ content: Span<UInt8>, _ orders: [ImageOrder]) -> [WorkerAnswer.Result] {
        do throws(ImageError) {
            return try execute(orders, content)
        } catch { return orders.map { _ in .failure(ImageRejection(error)) } }
    }

    private func execute(_ orders: [ImageOrder], _ content: Span<UInt8>) throws(ImageError) -> [WorkerAnswer.Result] {
        // A job may read several times.
        if let replacement { retire(because: replacement) }
        let wire = orders.wire
        guard content.count <= configuration.maxLengths.content else {
            throw ImageError(.tooLargeToDecode(amount: "bytes of memory", max: configuration.maxLengths.content))
        }
        guard wire.count <= RegionLayout.requestBytes else {
            throw ImageError(.unsupportedPixels(feature: "so many thumbnails"))
        }
        // If a worker has ended before the job began, the next worker executes the job, provided that it starts in
        // time. The caller can no longer withdraw the job.
        let limit = MonotonicTime.now + configuration.startTimeout
        while true {
            start(until: limit)
            guard let worker else { throw ImageError(reasonWithoutWorker) }
            let deadline = MonotonicTime.now + .seconds(configuration.decodeTimeSeconds)
            shared.change { $0.condition.state = .busy(until: deadline) }
            let outcome = worker.run(request: wire, content: content, until: deadline)
            shared.change { $0.condition.state = .idle }
            switch outcome {
            case .answered(let bytes): return try take(bytes, for: orders, content)
            case .neverBegan: retire(because: .endedBeforeJob)
            case .failed:
                retire(because: .endedInJob)
                throw ImageError(.decoderCrashed)
            case .timedOut:
                retire(because: .decodeTime)
                throw ImageError(.decodeTime(seconds: configuration.decodeTimeSeconds))
            }
        }
    }

    private var reasonWithoutWorker: ImageError.Reason {
        switch condition.failure {
        case .noSandbox: .pixelsUnavailable
        case .cannotStart, nil: configuration.maxStarts > 1 ? .saturated : .noDecoder
        }
    }

    private func take(
        _ bytes: [UInt8],
        for orders: [ImageOrder],
        _ content: Span<UInt8>
    ) throws(ImageError) -> [WorkerAnswer.Result] {
        let answer: WorkerAnswer
        do {
            answer = try WorkerAnswer(
                wire: bytes,
                for: orders,
                of: content,
                decodesPixels: configuration.decodesPixels
            )
        } catch {
            retire(because: .invalidAnswer, detail: "\(error)")
            throw ImageError(.decoderCrashed)
        }
        jobs += 1
        failures = 0
        replacement = answer.isSuspect ? .corruptContent : jobs >= configuration.maxJobs ? .jobLimit : nil
        if max(bytes.count, content.count) > configuration.maxIdleBytes {
            worker?.discardMemory(beyond: configuration.maxIdleBytes)
        }
        return answer.results
    }

    // MARK: Start and end

    /// Ensures that there is a worker for a job that has begun. The last attempt is made before `limit`.
    private func start(until limit: MonotonicTime) {
        var starts = 0
        while worker == nil, starts < configuration.maxStarts {
            let time = max(nextStart, .now)
            guard configuration.maxStarts > 1 || nextStart <= .now else { return }
            // A missing sandbox will probably not appear before `limit`.
            guard condition.failure != .noSandbox || nextStart <= .now else { return }
            guard time < limit, shared.wait(until: time, { $0.isStopping ? true : nil }) == nil else { return }
            tryToStart(within: configuration.startTimeout)
            starts += 1
        }
    }

    /// The maximum time for the next start.
    private var startTimeout: Duration { configuration.startTimeout * (1 << min(lateStarts, 2)) }

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
        case .ready(let parts): take(worker, parts)
        case .failed:
            noteFailure(.cannotStart)
            retire(because: .notReady)
        case .late:
            lateStarts += 1
            noteFailure(.cannotStart)
            retire(because: .notReady, detail: "not ready after \(timeout)")
        }
    }

    /// Makes the worker available for jobs if it has the required sandbox.
    private func take(_ worker: WorkerProcess, _ parts: SandboxParts) {
        let isUsed = parts.contains(.seccomp) || configuration.allowsUnsandboxed
        shared.change { $0.condition.sandbox = parts }
        log.started(worker.process, parts, isUsed: isUsed)
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

    /// Sets the time of the next start.
    private func noteFailure(_ failure: StartFailure) {
        failures += 1
        switch failure {
        case .noSandbox:
            let interval = configuration.sandboxRetryInterval
            nextStart = .now + RestartDelay.withoutSandbox(failures: failures, interval: interval)
        case .cannotStart: nextStart = .now + RestartDelay.after(failures: failures)
        }
        shared.change { $0.condition.failure = failure }
    }

    /// Ends the worker. The end is counted and logged if the worker is replaced.
    /// - Parameters:
    ///   - reason: the reason why the worker is replaced; `nil` if it is not replaced.
    ///   - detail: a detail of the reason, for the log.
    private func retire(because reason: WorkerEndReason?, detail: String? = nil) {
        guard let worker else { return }
        // After this, no other thread sends it a signal: its process ID may soon belong to another process.
        let isStopping = shared.change { shared in
            shared.condition.state = .dead
            shared.process = nil
            return shared.isStopping
        }
        let end = worker.end()
        self.worker = nil
        replacement = nil
        if let reason, !isStopping {
            log.ended(worker.process, reason, detail: detail, end, requestID: requestID)
        }
    }

    /// Kills the worker immediately. No worker is started afterwards. Callable from any thread.
    func stop() {
        shared.change { shared in
            shared.isStopping = true
            if let process = shared.process { kill(process, SIGKILL) }
        }
    }
}
