internal import Glibc
internal import Platform

/// One worker process: its socket, the memory that is shared with it, and its standard error.
///
/// Used by one thread, which must live longer than the worker: the worker ends with the thread that started it.
final class WorkerProcess {
    let process: pid_t
    private let socket: MessageSocket
    private let memory: FileDescriptor
    private let region: SharedRegion
    private let lastWords: FileDescriptor
    private var jobs: UInt32 = 0
    private var isReaped = false

    /// The maximum length of a worker's output on standard error, in bytes.
    private static let lastWordsBytes = 4 << 10

    init(_ configuration: WorkerConfiguration) throws(SystemError) {
        guard
            let layout = RegionLayout(
                contentBytes: configuration.maxContentBytes,
                answerBytes: configuration.maxAnswerBytes
            )
        else { throw SystemError("map shared memory", code: ENOMEM) }
        let memory = try Sandbox.makeMemory(bytes: layout.count)
        region = try SharedRegion(mapping: memory.number, layout: layout)
        let lastWords = try Sandbox.makeMemory(bytes: Self.lastWordsBytes)
        let sockets = try Sandbox.makeSocketPair()
        process = try Sandbox.spawn(
            configuration.executable,
            [configuration.executable] + configuration.arguments
                + WorkerArguments(parent: getpid(), configuration: configuration).texts,
            // A crash must not start Swift's debugger.
            environment: ["SWIFT_BACKTRACE=enable=no"],
            descriptors: WorkerDescriptor.lastWords.map { _ in lastWords.number }
                + [sockets.far.number, memory.number]
        )
        self.memory = memory
        self.lastWords = lastWords
        socket = MessageSocket(sockets.near)
    }

    deinit {
        end()
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
    var isWell: Bool { socket.isQuiet }

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
        guard isWell else { return .neverBegan }
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
    func end() -> WorkerEnd? {
        guard !isReaped else { return nil }
        isReaped = true
        kill(process, SIGKILL)
        var status: Int32 = 0
        // The process is a child that has not been waited for. The call writes one integer.
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return WorkerEnd(status: status, lastWords: readLastWords())
    }

    private func readLastWords() -> String {
        var bytes = [UInt8](repeating: 0, count: Self.lastWordsBytes)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(lastWords.number, $0.baseAddress, $0.count, 0) }
        let text = bytes.prefix(max(count, 0)).prefix { $0 != 0 }.prefix(WorkerEnd.maxLastWordsBytes)
        // The process may be compromised: its output is reduced to one line without control characters.
        return String(decoding: text.map { 0x20..<0x7F ~= $0 ? $0 : UInt8(ascii: " ") }, as: UTF8.self)
    }
}

/// The end of a worker.
struct WorkerEnd: Equatable, Sendable, CustomStringConvertible {
    /// The status that waitpid(2) returned.
    var status: Int32
    /// The worker's output on standard error, truncated.
    var lastWords: String

    static let maxLastWordsBytes = 300

    var signal: Int32 { status & 0x7F }

    var description: String {
        switch signal {
        case 0: "exit status \((status >> 8) & 0xFF)"
        case SIGSYS: "killed for a forbidden system call"
        case SIGKILL: "killed"
        case SIGSEGV: "segmentation fault"
        case SIGABRT: "abort"
        default: "signal \(signal)"
        }
    }
}
