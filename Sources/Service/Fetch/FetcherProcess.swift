internal import Fetching
internal import Glibc
internal import Platform

// Starts `decant-fetcher`, exchanges frames with it, and replaces it when it ends or no longer responds.
//
// This object is passive: it has no thread and no clock. Its owner, a single thread that must live as long as the
// process, waits until `descriptor` is readable (or writable, if `wantsWrite`) or `deadline` has come, calls the
// corresponding function with the current time, and handles the events that it returns, in order:
//
//     handle(at: start)  ─► started        watch `descriptor`
//     readable(at:)      ─► ready          transfers can be started
//     readable(at:)      ─► reply …        frames of transfers
//     any of the three   ─► died           stop watching `descriptor`; all transfers are lost
//     handle(at: later)  ─► started …      the next process, after the delay that `deadline` includes
//
// A program that cannot be started is reported as `died` without `started`. The descriptor of a process that died
// remains open until the next call of `handle(at:)`, so that it can still be removed from an event loop.
//
// Starts that fail are repeated as those of workers (`RestartDelay`). A process that lived for a second is replaced at
// once.

/// A fetcher and its successors. Used by one thread.
final class FetcherProcess {
    enum Event: Equatable, Sendable {
        /// A process was started. ``descriptor`` has changed, and must be watched.
        case started
        /// The process accepts commands.
        /// - Parameter sandbox: The parts of its sandbox that are in effect.
        case ready(sandbox: SandboxParts)
        /// A frame of a transfer: neither `pong` nor `ready`.
        case reply(FetchReply)
        /// The process has ended, and all of its transfers are lost; or it could not be started.
        case died(FetcherEnd)
    }

    /// A change takes effect with the next process.
    var configuration: FetcherConfiguration
    private var child: ChildProcess?
    private var socket: FileDescriptor?
    private var reader = FetchFrameReader(receiving: .toService)
    /// The bytes that have not been sent, from `sent` on.
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// The memory for received bytes.
    private var incoming = [UInt8](repeating: 0, count: FetcherProcess.receiveBytes)
    private var isStopped = false
    private var lateStarts = 0
    private var startTime: MonotonicTime
    /// The earliest time of the next start.
    private var nextStart: MonotonicTime
    private var nextPing = MonotonicTime.never
    /// The sequence number of the last ping, and that of the last pong.
    private var lastPing: UInt64 = 0
    private var lastPong: UInt64 = 0
    /// The end of the permitted silence; `never` if no response is expected.
    private var silenceEnd = MonotonicTime.never

    /// - Parameter now: The current time. The first process is started by the first call of ``handle(at:)``.
    init(_ configuration: FetcherConfiguration, now: MonotonicTime) {
        self.configuration = configuration
        startTime = now
        nextStart = now
    }

    // MARK: State

    /// The socket of the process, which is not blocking; `nil` before the first start, and after a start that failed.
    var descriptor: Int32? { socket?.number }

    /// Whether the process accepts commands.
    private(set) var isReady = false

    /// Whether ``writable()`` must be called when the socket is writable: it has not accepted all of the bytes.
    private(set) var wantsWrite = false

    /// The process ID; `nil` if there is no process.
    var process: pid_t? { child?.id }

    /// Whether the response to a ping has not been received.
    var isAwaitingPong: Bool { lastPong < lastPing }

    /// The number of consecutive processes that failed within a second of their start.
    private(set) var consecutiveFailures = 0

    /// The time at which ``handle(at:)`` must be called next; `never` after ``stop()``.
    var deadline: MonotonicTime {
        guard !isStopped else { return .never }
        return child == nil ? nextStart : min(nextPing, silenceEnd)
    }

    // MARK: Commands

    /// Sends a command, or as much of it as the socket accepts; the rest is sent by ``writable()``.
    /// - Returns: Whether there is a process that is ready. Otherwise nothing is sent.
    @discardableResult
    func send(_ command: FetchCommand) -> Bool {
        guard add(command) else { return false }
        flush()
        return true
    }

    /// Adds a command to those that the next ``flush()`` sends.
    /// - Returns: Whether there is a process that is ready. Otherwise nothing is added.
    @discardableResult
    func add(_ command: FetchCommand) -> Bool {
        guard isReady else { return false }
        outgoing += command.frame.bytes
        return true
    }

    /// Sends the commands that were added, or as much as the socket accepts; the rest is sent by ``writable()``.
    func flush() {
        guard sent < outgoing.count, !wantsWrite else { return }
        write()
    }

    /// Kills the process, which violated the order of frames. It is replaced like one that died.
    func replace(because detail: String, at now: MonotonicTime) -> [Event] {
        guard child != nil else { return [] }
        return [die(.misbehaved, detail: detail, at: now)]
    }

    /// Kills the process, and waits for its end. No other one is started.
    func stop() {
        isStopped = true
        isReady = false
        child = nil
        discardOutgoing()
    }

    // MARK: Events

    /// Called at ``deadline`` or later: starts a process, pings it, or kills it because it is silent.
    func handle(at now: MonotonicTime) -> [Event] {
        guard !isStopped else { return [] }
        guard child != nil else { return now < nextStart ? [] : [start(at: now)] }
        var events: [Event] = []
        if now >= silenceEnd {
            // Perhaps it is this thread that was late.
            events = readable(at: now)
            guard child != nil else { return events }
            if now >= silenceEnd {
                if !isReady { lateStarts += 1 }
                return events + [die(isReady ? .silent : .late, at: now)]
            }
        }
        if now >= nextPing {
            // The silence is measured from the first ping without a response.
            if silenceEnd == .never { silenceEnd = now + configuration.silenceLimit }
            nextPing = now + configuration.pingInterval
            lastPing += 1
            outgoing += FetchCommand.ping(sequence: lastPing).frame.bytes
            flush()
        }
        return events
    }

    /// Called when ``descriptor`` is readable, or reports an error or the end of the stream.
    func readable(at now: MonotonicTime) -> [Event] {
        var events: [Event] = []
        var buffer = incoming
        incoming = []
        defer { incoming = buffer }
        for _ in 0..<Self.maxReceives {
            guard child != nil, let descriptor else { return events }
            // The call writes at most as many bytes as `buffer` has.
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe recv(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return events }
            guard count > 0 else { return events + [die(isReady ? .ended : .notReady, at: now)] }
            do throws(FetchFrameError) {
                try take(buffer.span.extracting(0..<count), at: now, &events)
            } catch { return events + [die(.invalidFrame, detail: "\(error)", at: now)] }
            if count < buffer.count { return events }
        }
        return events
    }

    /// Called when ``descriptor`` is writable and ``wantsWrite``.
    func writable() { write() }

    private func write() {
        guard child != nil, let descriptor else { return }
        while sent < outgoing.count {
            // The call reads the bytes from `sent` to the end.
            let count = unsafe outgoing.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor,
                    bytes.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                )
            }
            if count < 0, errno == EINTR { continue }
            // If the process has ended, the socket is readable, and the end is reported there.
            guard count > 0 else { break }
            sent += count
        }
        wantsWrite = sent < outgoing.count
        if sent == outgoing.count {
            // The capacity of a burst is returned.
            outgoing.removeAll(keepingCapacity: outgoing.capacity <= Self.receiveBytes)
            sent = 0
        } else if sent > Self.maxSentBytes {
            outgoing.removeFirst(sent)
            sent = 0
        }
    }

    private static let receiveBytes = 64 << 10

    /// The maximum number of system calls in a row, so that other work of the thread is not delayed.
    private static let maxReceives = 16

    /// The number of sent bytes that are kept, so that the rest is not moved often.
    private static let maxSentBytes = 1 << 20

    private func take(_ bytes: Span<UInt8>, at now: MonotonicTime, _ events: inout [Event]) throws(FetchFrameError) {
        reader.append(bytes)
        while let frame = try reader.next() {
            let reply = try FetchReply(frame)
            switch reply {
            case .ready(let bits):
                guard !isReady else { throw .unexpected(.ready) }
                guard becomeReady(SandboxParts(rawValue: bits), at: now, &events) else { return }
            case .pong(let sequence):
                guard isReady, sequence > lastPong, sequence <= lastPing else { throw .unexpected(.pong) }
                lastPong = sequence
            case .head, .data, .end, .failed:
                guard isReady else { throw .unexpected(frame.kind) }
                events.append(.reply(reply))
            }
            // Any frame shows that the process is alive.
            silenceEnd = isAwaitingPong ? now + configuration.silenceLimit : .never
        }
    }

    /// Returns whether the process is used.
    private func becomeReady(_ sandbox: SandboxParts, at now: MonotonicTime, _ events: inout [Event]) -> Bool {
        guard sandbox.contains(.seccomp) || configuration.allowsUnsandboxed else {
            events.append(die(.noSandbox, detail: "in force: \(sandbox.list)", at: now))
            return false
        }
        isReady = true
        lateStarts = 0
        nextPing = now + configuration.pingInterval
        events.append(.ready(sandbox: sandbox))
        return true
    }

    // MARK: Start and end

    private func start(at now: MonotonicTime) -> Event {
        reader = FetchFrameReader(receiving: .toService)
        discardOutgoing()
        isReady = false
        (lastPing, lastPong, nextPing) = (0, 0, .never)
        startTime = now
        silenceEnd = now + configuration.silenceLimit * (1 << min(lateStarts, 2))
        socket = nil
        do throws(SystemError) {
            let sockets = try Sandbox.makeSocketPair(.stream)
            var settings = configuration.settings
            settings.parent = getpid()
            settings.sandbox = configuration.sandbox.rawValue
            child = try ChildProcess(
                configuration.executable,
                arguments: configuration.arguments + settings.arguments,
                environment: settings.environment,
                descriptors: [sockets.far.number]
            )
            socket = sockets.takeNear()
            return .started
        } catch { return die(.cannotStart, detail: "\(error)", at: now) }
    }

    private func discardOutgoing() { (outgoing, sent, wantsWrite) = ([], 0, false) }

    private func die(_ reason: FetcherEndReason, detail: String? = nil, at now: MonotonicTime) -> Event {
        let end = child?.end()
        child = nil
        isReady = false
        discardOutgoing()
        if reason == .noSandbox {
            consecutiveFailures += 1
            let interval = configuration.sandboxRetryInterval
            nextStart = now + RestartDelay.withoutSandbox(failures: consecutiveFailures, interval: interval)
        } else if reason != .cannotStart, now >= startTime + .seconds(1), reason != .late {
            consecutiveFailures = 0
            nextStart = now
        } else {
            consecutiveFailures += 1
            nextStart = now + RestartDelay.after(failures: consecutiveFailures)
        }
        return .died(FetcherEnd(reason: reason, detail: detail, process: end))
    }
}
