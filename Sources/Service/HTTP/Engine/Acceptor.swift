internal import Glibc
internal import Logging
internal import Platform
internal import Synchronization

/// Accepts connections, and assigns each to the loop that has the fewest.
///
/// If each loop accepted its own connections, the first one that wakes up would take all that are pending: clients that connect at the
/// same time and stay connected, as services do, would then share one core while the others are idle (decision 14).
///
/// @unchecked Sendable: `loops`, `listener`, `registration` and the state of the back-off are accessed only by the acceptor's thread
/// after ``start(_:distributingTo:)``.
final class Acceptor: EventHandler, @unchecked Sendable {
    private let maxConnections: Int
    private let maxConnectionsPerAddress: Int
    /// Returns the response to a connection that exceeds ``maxConnectionsPerAddress``.
    private let rejection: @Sendable () -> [UInt8]
    private let log: Logger?
    private let events: EventLoop
    private let thread = Monitor<Thread?>(nil)
    private let connectionsByAddress = Monitor<[ClientAddress: Int]>([:])

    /// Whether accepting is paused until a connection ends.
    private let isFull = Atomic<Bool>(false)

    // Changed only by the acceptor's thread.
    private let accepted = Atomic<Int>(0)
    private let rejected = Atomic<Int>(0)
    private let failures = Atomic<Int>(0)

    private var loops: [ConnectionLoop] = []
    private var listener: Int32 = -1
    private var registration: EventLoop.Registration?
    private var isStopping = false
    private var backOff = BackOff()

    init(_ configuration: HTTPServerConfiguration, rejection: @escaping @Sendable () -> [UInt8], log: Logger?)
        throws(SystemError)
    {
        maxConnections = configuration.maxConnections
        maxConnectionsPerAddress = configuration.maxConnectionsPerAddress
        self.rejection = rejection
        self.log = log
        events = try EventLoop()
    }

    /// Starts accepting. Must be called at most once.
    func start(_ socket: consuming ListeningSocket, distributingTo loops: [ConnectionLoop]) throws(SystemError) {
        self.loops = loops
        listener = socket.take()
        do throws(SystemError) {
            let started = try Thread { [self] in run() }
            thread.withLock { $0 = started }
        } catch {
            close(listener)
            throw error
        }
    }

    /// Stops accepting, and closes the listening socket. Has no effect if it was called before.
    func stop() {
        guard let started = thread.withLock({ $0.take() }) else { return }
        events.submit { [self] in isStopping = true }
        started.join()
    }

    /// Called when a connection has ended. Callable from any thread.
    func connectionEnded(_ address: ClientAddress?) {
        if let address {
            connectionsByAddress.withLock { counts in
                let count = counts[address, default: 1] - 1
                counts[address] = count > 0 ? count : nil
            }
        }
        if isFull.load(ordering: .sequentiallyConsistent) { events.submit { [self] in resume() } }
    }

    /// The number of connections that were accepted, including rejected ones.
    var acceptedCount: Int { accepted.load(ordering: .relaxed) }

    /// The number of connections that were rejected because of ``maxConnectionsPerAddress``.
    var rejectedCount: Int { rejected.load(ordering: .relaxed) }

    /// The number of failures that interrupted accepting.
    var failureCount: Int { failures.load(ordering: .relaxed) }

    // MARK: The acceptor's thread

    private func run() {
        resume()
        while !isStopping {
            events.turn(until: backOff.end)
            if MonotonicTime.now >= backOff.end { resume() }
        }
        // Otherwise pending connections would be reset.
        if registration != nil { handle(.readable) }
        pause()
        close(listener)
        // The loops, and the work that is submitted to them, refer to the acceptor.
        loops = []
        isFull.store(false, ordering: .sequentiallyConsistent)
        events.close()
    }

    private func resume() {
        backOff.end = .never
        isFull.store(false, ordering: .sequentiallyConsistent)
        guard registration == nil, !isStopping else { return }
        do throws(SystemError) {
            registration = try events.add(listener, for: .readable, self)
        } catch {
            retryLater(error)
        }
    }

    private func pause() {
        if let registration { events.remove(registration) }
        registration = nil
    }

    /// Accepts pending connections, at most ``maxPerTurn``. Further ones are reported again.
    func handle(_ events: Events) {
        for _ in 0..<Self.maxPerTurn {
            guard !pauseIfFull() else { return }
            let socket: AcceptedSocket
            do throws(SystemError) {
                socket = try AcceptedSocket(acceptingFrom: listener)
            } catch {
                switch error.code {
                // The client of this connection has disconnected, which is no reason to wait (accept(2)).
                case ECONNABORTED, EPROTO, EINTR: continue
                case EAGAIN: return
                default: return retryLater(error)
                }
            }
            backOff.reset()
            accepted.add(1, ordering: .relaxed)
            distribute(socket)
        }
    }

    /// The number of connections that are accepted before other work of the acceptor is done.
    private static let maxPerTurn = 256

    /// Stops accepting if the maximum number of connections is reached, until one ends.
    private func pauseIfFull() -> Bool {
        if connectionCount < maxConnections { return false }
        pause()
        isFull.store(true, ordering: .sequentiallyConsistent)
        // A connection may have ended before `isFull` was set. In this case nothing else resumes.
        if connectionCount < maxConnections { events.submit { [self] in resume() } }
        return true
    }

    private var connectionCount: Int { loops.reduce(0) { $0 + $1.connectionCount } }

    private func distribute(_ socket: AcceptedSocket) {
        guard let loop = loops.min(by: { $0.connectionCount < $1.connectionCount }) else { return }
        var client: ClientAddress?
        if maxConnectionsPerAddress > 0 {
            let counted = ClientAddress(socket.address)
            client = counted
            let isAllowed = connectionsByAddress.withLock { counts in
                let count = counts[counted, default: 0]
                if count < maxConnectionsPerAddress { counts[counted] = count + 1 }
                return count < maxConnectionsPerAddress
            }
            guard isAllowed else {
                rejected.add(1, ordering: .relaxed)
                return loop.reject(socket, with: rejection())
            }
        }
        loop.add(socket, client: client)
    }

    /// Pauses accepting after an error: no descriptor or memory is left, or the network has an error, which accept(2) reports.
    private func retryLater(_ error: SystemError) {
        pause()
        failures.add(1, ordering: .relaxed)
        let now = MonotonicTime.now
        if backOff.fail(at: now) {
            log?.warning("cannot accept connections; retrying", metadata: ["reason": "\(error)"])
        }
    }
}

/// The time of the next attempt after a failure, and the time of the last log line.
private struct BackOff {
    /// The time of the next attempt; `never` if nothing has failed.
    var end = MonotonicTime.never
    private var delayMilliseconds = 0
    private var nextLog = MonotonicTime(nanoseconds: 0)

    private static let maxDelayMilliseconds = 1_000

    mutating func reset() {
        delayMilliseconds = 0
    }

    /// - Returns: whether the failure is logged, which is the case once per minute.
    mutating func fail(at now: MonotonicTime) -> Bool {
        delayMilliseconds = min(max(delayMilliseconds * 2, 10), Self.maxDelayMilliseconds)
        end = now + .milliseconds(delayMilliseconds)
        guard now >= nextLog else { return false }
        nextLog = now + .seconds(60)
        return true
    }
}
