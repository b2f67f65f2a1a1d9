internal import Glibc
internal import Platform
internal import Synchronization

/// Accepts connections, and assigns each to the loop that has the fewest.
///
/// At the maximum number of connections, the connection that has waited longest for a request is closed when another
/// client connects.
///
/// If each loop accepted its own connections, the first one that wakes up would take all that are pending: clients that
/// connect at the same time and stay connected, as services do, would then share one core while the others are idle
/// (decision 14).
///
/// @unchecked Sendable: `loops`, `listener`, `registration`, the state of the eviction and of the back-off are accessed
/// only by the thread of the acceptor after ``start(_:distributingTo:)``.
final class Acceptor: EventHandler, @unchecked Sendable {
    private let maxConnections: Int
    private let maxConnectionsPerAddress: Int
    /// In nanoseconds.
    private let minIdleTime: UInt64
    /// Returns the response to a connection that exceeds ``maxConnectionsPerAddress``.
    private let rejection: @Sendable () -> [UInt8]
    /// Called if connections cannot be accepted for a while.
    private let failed: @Sendable (SystemError) -> Void
    private let events: EventLoop
    private let thread = Monitor<Thread?>(nil)
    private let connectionsByAddress = Monitor<[ClientAddress: Int]>([:])

    /// Whether accepting is paused until a connection ends.
    private let isFull = Atomic<Bool>(false)

    // Changed only by the acceptor's thread.
    private let accepted = Atomic<Int>(0)
    private let rejected = Atomic<Int>(0)
    private let failures = Atomic<Int>(0)
    private let evicted = Atomic<Int>(0)

    private var loops: [ConnectionLoop] = []
    private var listener: Int32 = -1
    private var registration: EventLoop.Registration?
    private var isStopping = false
    private var backOff = BackOff()

    /// The accepted connection that waits until another one ends.
    private var waiting: AdmittedSocket?

    /// Whether a loop has been asked to close an idle connection, and has not responded yet.
    private var isEvicting = false

    /// The next time at which an idle connection is looked for, while accepting is paused and none could be closed.
    private var evictionTime = MonotonicTime.never

    /// The time after which an idle connection is looked for again, in nanoseconds. The loops do not report each
    /// connection that becomes idle.
    private static let evictionInterval: UInt64 = 20_000_000

    init(
        _ configuration: HTTPServerConfiguration,
        rejection: @escaping @Sendable () -> [UInt8],
        failed: @escaping @Sendable (SystemError) -> Void
    ) throws(SystemError) {
        maxConnections = configuration.connections.max
        maxConnectionsPerAddress = configuration.connections.maxPerAddress
        minIdleTime = configuration.minIdleTime.saturatedNanoseconds
        self.rejection = rejection
        self.failed = failed
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

    /// The number of idle connections that were closed in favor of others.
    var evictedCount: Int { evicted.load(ordering: .relaxed) }

    // MARK: The acceptor's thread

    private func run() {
        resume()
        while !isStopping {
            events.runOnce(until: min(backOff.end, evictionTime))
            let now = MonotonicTime.now
            if now >= backOff.end { resume() }
            if now >= evictionTime { evict(at: now) }
        }
        // Otherwise pending connections would be reset.
        if registration != nil { handle(.readable) }
        pause()
        if let connection = waiting.take() { distribute(connection) }
        close(listener)
        // The loops, and the work that is submitted to them, refer to the acceptor.
        loops = []
        isFull.store(false, ordering: .sequentiallyConsistent)
        events.close()
    }

    private func resume() {
        backOff.end = .never
        evictionTime = .never
        isFull.store(false, ordering: .sequentiallyConsistent)
        guard registration == nil, !isStopping else { return }
        if let connection = waiting.take() {
            guard connectionCount < maxConnections else { return wait(with: connection) }
            distribute(connection)
        }
        do throws(SystemError) {
            registration = try events.add(listener, for: .readable, self)
        } catch { retryLater(error) }
    }

    private func pause() {
        if let registration { events.remove(registration) }
        registration = nil
    }

    /// Accepts pending connections, at most ``maxAcceptsPerEvent``. Further ones are reported again.
    func handle(_ events: Events) {
        for _ in 0..<Self.maxAcceptsPerEvent {
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
            guard let connection = admit(socket) else { continue }
            if connectionCount < maxConnections {
                distribute(connection)
            } else {
                return wait(with: connection)
            }
        }
    }

    /// The number of connections that are accepted before other work of the acceptor is done.
    private static let maxAcceptsPerEvent = 256

    /// Counts a connection of its address, or rejects it. Rejected connections do not take the place of others, even if
    /// there is none left.
    private func admit(_ socket: AcceptedSocket) -> AdmittedSocket? {
        guard maxConnectionsPerAddress > 0 else { return AdmittedSocket(socket: socket, client: nil) }
        let client = ClientAddress(socket.address)
        let isAllowed = connectionsByAddress.withLock { counts in
            let count = counts[client, default: 0]
            if count < maxConnectionsPerAddress { counts[client] = count + 1 }
            return count < maxConnectionsPerAddress
        }
        if isAllowed { return AdmittedSocket(socket: socket, client: client) }
        rejected.add(1, ordering: .relaxed)
        leastBusyLoop?.reject(socket, with: rejection())
        return nil
    }

    private var connectionCount: Int { loops.reduce(0) { $0 + $1.connectionCount } }

    private var leastBusyLoop: ConnectionLoop? { loops.min { $0.connectionCount < $1.connectionCount } }

    private func distribute(_ connection: AdmittedSocket) {
        leastBusyLoop?.add(connection.socket, client: connection.client)
    }

    /// Stops accepting, because the maximum number of connections is reached, until one ends, and closes one that is
    /// idle. Then `connection` is the first one that is distributed.
    private func wait(with connection: AdmittedSocket) {
        waiting = connection
        pause()
        isFull.store(true, ordering: .sequentiallyConsistent)
        // A connection may have ended before `isFull` was set. In this case nothing else resumes.
        if connectionCount < maxConnections { events.submit { [self] in resume() } } else { evict(at: .now) }
    }

    /// Closes the connection of all loops that has waited longest for a request. If there is none, this is repeated
    /// later.
    private func evict(at now: MonotonicTime) {
        evictionTime = .never
        guard isFull.load(ordering: .relaxed), !isEvicting, !isStopping else { return }
        let candidate = loops.map { (loop: $0, since: $0.longestIdleSince) }.min { $0.since < $1.since }
        guard let (loop, since) = candidate, since.advanced(byNanoseconds: minIdleTime) <= now else {
            evictionTime = now.advanced(byNanoseconds: Self.evictionInterval)
            return
        }
        isEvicting = true
        loop.evictIdle { [self] isClosed in
            events.submit { [self] in
                isEvicting = false
                if isClosed {
                    evicted.add(1, ordering: .relaxed)
                } else if isFull.load(ordering: .relaxed) {
                    evictionTime = MonotonicTime.now.advanced(byNanoseconds: Self.evictionInterval)
                }
            }
        }
    }

    /// Pauses accepting after an error: no descriptor or memory is left, or the network has an error, which accept(2)
    /// reports.
    private func retryLater(_ error: SystemError) {
        pause()
        failures.add(1, ordering: .relaxed)
        let now = MonotonicTime.now
        if backOff.fail(at: now) { failed(error) }
    }
}

/// An accepted connection that is not rejected.
private struct AdmittedSocket {
    var socket: AcceptedSocket
    /// The client's address, if the connections of each address are counted.
    var client: ClientAddress?
}

/// The time of the next attempt after a failure, and the time of the next report.
private struct BackOff {
    /// The time of the next attempt; `never` if nothing has failed.
    var end = MonotonicTime.never
    private var delayMilliseconds = 0
    private var nextReport = MonotonicTime(nanoseconds: 0)

    private static let maxDelayMilliseconds = 1_000

    mutating func reset() { delayMilliseconds = 0 }

    /// - Returns: whether the failure is reported, which is the case once per minute.
    mutating func fail(at now: MonotonicTime) -> Bool {
        delayMilliseconds = min(max(delayMilliseconds * 2, 10), Self.maxDelayMilliseconds)
        end = now + .milliseconds(delayMilliseconds)
        guard now >= nextReport else { return false }
        nextReport = now + .seconds(60)
        return true
    }
}
