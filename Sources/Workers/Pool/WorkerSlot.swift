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

    private struct Shared {
        var state = State.dead
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
    private var startTime = MonotonicTime.now
    /// No worker is started before this.
    private var nextStart = MonotonicTime(nanoseconds: 0)
    private var refusal = RenderingError.saturated

    init(_ configuration: WorkerConfiguration, log: WorkerLog) {
        self.configuration = configuration
        self.log = log
    }

    var state: State {
        shared.withLock { $0.state }
    }

    /// The worker's process; nil where there is none.
    var process: pid_t? {
        shared.withLock { $0.process }
    }

    // MARK: Its thread

    /// Does the queue's jobs until it is closed.
    func work(for queue: JobQueue<WorkerPool.Job>) {
        while true {
            start()
            let next =
                worker == nil
                ? queue.rest(until: nextStart)
                : queue.next(until: .now + configuration.watchInterval)
            switch next {
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

    private func lookAfterIdleWorker() {
        guard let worker, !worker.isWell else { return }
        if MonotonicTime.now < startTime + .seconds(1) {
            noteFailure()
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
        // A worker that had ended before the job began costs the job nothing: the next one does it.
        for _ in 0..<2 {
            start()
            guard let worker else { throw refusal }
            let deadline = MonotonicTime.now + .seconds(configuration.decodeTimeSeconds)
            shared.change { $0.state = .busy(until: deadline) }
            let outcome = worker.run(request: wire, content: content, until: deadline)
            shared.change { $0.state = .idle }
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
        throw .crashed
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

    /// Makes sure that there is a worker that takes jobs, where there can be one. Sits short pauses out: a worker that was
    /// killed as it started is no reason to refuse what waits.
    private func start() {
        while worker == nil, !shared.withLock({ $0.isStopping }) {
            let pause = nextStart
            if MonotonicTime.now < pause {
                guard failures <= Self.maxShortPauses else { return }
                if shared.wait(until: pause, { $0.isStopping ? true : nil }) != nil { return }
            }
            tryToStart()
        }
    }

    private func tryToStart() {
        startTime = .now
        let worker: WorkerProcess
        do {
            worker = try WorkerProcess(configuration)
        } catch {
            noteFailure()
            log.cannotStart("\(error)", retry: failures)
            return
        }
        self.worker = worker
        shared.change { shared in
            shared.state = .starting
            shared.process = worker.process
            if shared.isStopping { kill(worker.process, SIGKILL) }
        }
        guard let parts = worker.waitUntilReady(until: startTime + configuration.startTimeout) else {
            noteFailure()
            retire(because: .notReady)
            return
        }
        guard parts.contains(.seccomp) || configuration.allowsUnsandboxed else {
            refusal = .sandboxUnavailable
            nextStart = .never
            failures = 1_000
            retire(because: nil)
            log.started(worker.process, parts, wanted: configuration.sandbox, isUsed: false)
            return
        }
        (jobs, replacement, refusal) = (0, nil, .saturated)
        log.started(worker.process, parts, wanted: configuration.sandbox, isUsed: true)
        shared.change { $0.state = .idle }
    }

    /// The first failures in a row are tried again at once; then it waits longer and longer, up to two seconds.
    private func noteFailure() {
        failures += 1
        guard failures > 3 else { return }
        nextStart = .now + .milliseconds(min(2_000, 50 << min(failures - 4, 10)))
    }

    /// Failures in a row until jobs are refused for it: then 350 ms of pauses have passed.
    private static let maxShortPauses = 6

    /// Ends the worker. The end is counted and logged if the worker is replaced.
    /// - Parameters:
    ///   - reason: the reason for its replacement; `nil` if it is not replaced.
    ///   - detail: follows the reason in the log.
    private func retire(because reason: WorkerEndReason?, detail: String? = nil) {
        guard let worker else { return }
        // From here on nobody else sends it a signal: its number may soon be another process's.
        let isStopping = shared.change { shared in
            shared.state = .dead
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
