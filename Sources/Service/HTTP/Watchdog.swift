internal import Glibc
internal import Synchronization

/// Ends connections that are past their deadline.
///
/// The library knows only inactivity: a head that drips in byte by byte lives for ever. Here every connection carries a
/// deadline that its own thread moves (two relaxed stores a step), and one thread looks at all of them a few times a
/// second. The lock is taken when a connection opens and closes, never for a request.
final class Watchdog: Sendable {
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])
    private let thread: PeriodicThread

    /// - Parameter interval: between two looks; a deadline is overrun by at most this.
    init(interval: Duration) throws(DaemonError) {
        thread = try PeriodicThread(interval: interval)
    }

    func start() throws(DaemonError) {
        try thread.start { [weak self] in self?.endOverdue(at: .now) }
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

    /// Whether any request is being received or answered.
    var hasExchanges: Bool {
        connections.withLock { connections in
            connections.values.contains { $0.phase == .exchange }
        }
    }

    private func endOverdue(at time: Deadline) {
        // Under the lock that `remove` takes before the descriptor is closed: it is never a stranger's.
        connections.withLock { connections in
            for connection in connections.values where connection.deadline < time {
                connection.shutDown()
            }
        }
    }
}
