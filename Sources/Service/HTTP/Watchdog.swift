internal import Glibc
internal import Synchronization

/// Ends connections that are past their deadline, and those that their client has left.
///
/// The library knows only inactivity: a head that drips in byte by byte lives for ever. Here every connection carries a
/// deadline that its own thread moves (two relaxed stores a step), and one thread looks at all of them a few times a
/// second. The lock is taken when a connection opens and closes, never for a request.
///
/// The library also misses a client's end of stream that arrives together with bytes before it: it waits for the next
/// edge of epoll(7), which never comes (measured: nearly every upload that is given up, and every request of a client
/// that closes its side at once). Such connections would stay until the deadline, so they are woken: those on which
/// something is still due, and those that have had their answer.
final class Watchdog: Sendable {
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])
    private let thread: PeriodicThread

    /// - Parameter interval: between two looks; a deadline is overrun by at most this.
    init(interval: Duration) throws(DaemonError) {
        thread = try PeriodicThread(interval: interval)
    }

    func start() throws(DaemonError) {
        try thread.start { [weak self] in self?.look() }
    }

    func stop() {
        thread.stop()
    }

    func add(_ connection: Connection) {
        connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    }

    /// Forgets `connection`. Its descriptor is closed, and may be another's, from the moment this returns.
    func remove(_ connection: Connection) {
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Requests that are being received or answered.
    var exchanges: Int {
        connections.withLock { connections in
            connections.values.count { $0.phase.isExchange }
        }
    }

    private func look() {
        // Under the lock that `remove` takes before the descriptor is closed: it is never a stranger's.
        connections.withLock { connections in
            let time = Deadline.now
            var waiting: [Connection] = []
            for connection in connections.values {
                if connection.deadline < time {
                    connection.shutDown()
                } else if connection.phase.isWaiting {
                    waiting.append(connection)
                }
            }
            Self.wakeAbandoned(waiting)
        }
    }

    private static func wakeAbandoned(_ connections: [Connection]) {
        var events = connections.map { pollfd(fd: $0.descriptor, events: endOfStream, revents: 0) }
        // One element for each connection. Does not wait.
        guard unsafe poll(&events, nfds_t(events.count), 0) > 0 else { return }
        for (connection, event) in zip(connections, events) where event.revents & endOfStream != 0 {
            connection.wake()
        }
    }

    /// POLLRDHUP of poll(2), which the C library's header shows only on request.
    static let endOfStream: Int16 = 0x2000
}
