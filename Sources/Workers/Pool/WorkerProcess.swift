internal import Glibc
internal import Platform

/// One worker process: its socket, the memory that is shared with it, and its standard error.
///
/// Used by one thread, which must live longer than the worker: the worker ends with the thread that started it.
final class WorkerProcess {
    private let child: ChildProcess
    private let socket: MessageSocket
    private let memory: FileDescriptor
    private let region: SharedRegion
    private var jobs: UInt32 = 0

    var process: pid_t { child.id }

    init(_ configuration: WorkerConfiguration) throws(SystemError) {
        guard
            let layout = RegionLayout(
                contentBytes: configuration.maxLengths.content,
                answerBytes: configuration.maxLengths.answer
            )
        else { throw SystemError("map shared memory", code: ENOMEM) }
        let memory = try Sandbox.makeMemory(bytes: layout.count)
        region = try SharedRegion(mapping: memory.number, layout: layout)
        let sockets = try Sandbox.makeSocketPair(.messages)
        child = try ChildProcess(
            configuration.executable,
            arguments: configuration.arguments + WorkerArguments(parent: getpid(), configuration: configuration).texts,
            descriptors: [sockets.far.number, memory.number]
        )
        self.memory = memory
        socket = MessageSocket(sockets.takeNear())
    }

    enum Start: Equatable {
        /// The worker accepts jobs.
        case ready(SandboxParts)
        /// The worker ended, or sent another message.
        case failed
        case late
    }

    /// Waits until the worker accepts jobs.
    func waitUntilReady(until time: MonotonicTime) -> Start {
        switch socket.receive(until: time) {
        case .message(.ready(let parts)): .ready(parts)
        case .timeout: .late
        case .message, .end, .unread: .failed
        }
    }

    /// Whether the worker is alive and has sent no unexpected message.
    var isResponsive: Bool { socket.isQuiet }

    enum Outcome: Equatable {
        /// The bytes of the answer, which must not be trusted.
        case answered([UInt8])
        /// The worker had already ended, and the job has not begun.
        case neverBegan
        /// The worker ended, or sent an unexpected message.
        case failed
        case timedOut
    }

    /// Executes one job on the worker. `request` and `content` must fit into the layout.
    func run(request: [UInt8], content: Span<UInt8>, until time: MonotonicTime) -> Outcome {
        guard isResponsive else { return .neverBegan }
        let layout = region.layout
        jobs += 1
        region.write(request.span, to: layout.request)
        region.write(content, to: layout.content)
        let job = WorkerMessage.job(
            number: jobs,
            contentBytes: UInt32(content.count),
            requestBytes: UInt32(request.count)
        )
        guard socket.send(job) else { return .neverBegan }
        switch socket.receive(until: time) {
        case .timeout: return .timedOut
        case .message(.answer(number: jobs, let answerBytes)) where Int(answerBytes) <= layout.answer.count:
            // The answer is copied completely before any of it is parsed.
            return .answered(region.copy(Int(answerBytes), of: layout.answer))
        case .unread: return .neverBegan
        case .message, .end: return .failed
        }
    }

    /// Returns the shared pages after the first `kept` bytes of content and answer to the system.
    func discardMemory(beyond kept: Int) {
        for part in [region.layout.content, region.layout.answer] where part.count > kept {
            Sandbox.discard(part.lowerBound + kept..<part.upperBound, of: memory)
        }
    }

    /// Kills the worker if it is still running, and waits for its end.
    /// - Returns: how the worker ended; `nil` if an earlier call has returned this.
    @discardableResult
    func end() -> ProcessEnd? { child.end() }
}
