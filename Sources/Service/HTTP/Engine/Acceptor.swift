internal import Glibc
internal import Logging
internal import Platform
internal import Synchronization

/// Accepts connections, and gives each to the loop that has the fewest.
///
/// If the loops accepted by themselves, the one that wakes first would take as many as there are: clients that connect together and
/// stay, as services do, would then share one core while the others are idle (decision 14).
///
/// @unchecked Sendable: `loops`, `listener`, `registration` and the state of the back-off are accessed only by the acceptor's thread, from
/// ``start(_:distributingTo:)`` on.
final class Acceptor: EventHandler, @unchecked Sendable {
    private let maxConnections: Int
    private let maxConnectionsPerAddress: Int
    /// Makes the response to a connection that exceeds ``maxConnectionsPerAddress``.
    private let rejection: @Sendable () -> [UInt8]
    private let log: Logger?
    private let events: EventLoop
    private let thread = Monitor<Thread?>(nil)
    private let connectionsByAddress = Monitor<[ClientAddress: Int]>([:])

    /// Whether accepting waits for the end of a connection.
    private let isFull = Atomic<Bool>(false)

    // Changed by the acceptor's thread only.
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

    /// Begins to accept. Called at most once.
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

    /// Accepts no more, and closes the listening socket. Harmless when done before.
    func stop() {
        guard let started = thread.withLock({ $0.take() }) else { return }
        events.submit { [self] in isStopping = true }
        started.join()
    }

    /// A connection has ended. Callable from any thread.
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

    /// The number of times that accepting failed and was interrupted.
    var failureCount: Int { failures.load(ordering: .relaxed) }

    // MARK: The acceptor's thread

    private func run() {
        resume()
        while !isStopping {
            events.turn(until: backOff.end)
            if MonotonicTime.now >= backOff.end { resume() }
        }
        // Connections that wait would be reset.
        if registration != nil { handle(.readable) }
        pause()
        close(listener)
        // They refer to the acceptor, and so does the work that they have submitted, or will.
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

    /// Connections wait. Those beyond ``maxPerTurn`` are reported again.
    func handle(_ events: Events) {
        for _ in 0..<Self.maxPerTurn {
            guard !pauseIfFull() else { return }
            let socket: AcceptedSocket
            do throws(SystemError) {
                socket = try AcceptedSocket(acceptingFrom: listener)
            } catch {
                switch error.code {
                // The client of the first one is gone, which is no reason to wait (accept(2)).
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

    /// The number of connections that are accepted before other work of the acceptor.
    private static let maxPerTurn = 256

    /// Stops accepting if there are as many connections as there may be, until one ends.
    private func pauseIfFull() -> Bool {
        if connectionCount < maxConnections { return false }
        pause()
        isFull.store(true, ordering: .sequentiallyConsistent)
        // One may have ended in between, which nobody would report.
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

    /// No descriptor or no memory is left, or the network has an error, which accept(2) passes on.
    private func retryLater(_ error: SystemError) {
        pause()
        failures.add(1, ordering: .relaxed)
        let now = MonotonicTime.now
        if backOff.fail(at: now) {
            log?.warning("cannot accept connections; retrying", metadata: ["reason": "\(error)"])
        }
    }
}

/// When accepting is tried again after a failure, and when that is logged.
private struct BackOff {
    /// When to try again; `never` if nothing has failed.
    var end = MonotonicTime.never
    private var delayMilliseconds = 0
    private var nextLog = MonotonicTime(nanoseconds: 0)

    private static let maxDelayMilliseconds = 1_000

    mutating func reset() {
        delayMilliseconds = 0
    }

    /// - Returns: whether to log it: once per minute.
    mutating func fail(at now: MonotonicTime) -> Bool {
        delayMilliseconds = min(max(delayMilliseconds * 2, 10), Self.maxDelayMilliseconds)
        end = now + .milliseconds(delayMilliseconds)
        guard now >= nextLog else { return false }
        nextLog = now + .seconds(60)
        return true
    }
}
