internal import Glibc
internal import Synchronization

/// The HTTP side of the service, running: a few threads, each with its own share of the connections.
///
/// Signals are the process's affair: whoever starts a daemon has blocked what it waits for before, because the threads
/// inherit the mask.
final class Daemon: Sendable {
    /// What clients connect to.
    let address: SocketAddress

    private let server: Server
    private let threads: [ServingThread]
    private let acceptor: Acceptor

    /// Binds, listens and serves `application`.
    /// - Parameter lanes: where answers go on that are too much for an HTTP thread. They end with the daemon.
    init(
        _ configuration: DaemonConfiguration,
        application: any Application,
        lanes: Lanes = Lanes()
    ) throws(DaemonError) {
        let socket = try ListeningSocket.listening(on: configuration.address, port: configuration.port)
        address = try socket.address()
        let server = try Server(configuration: configuration, application: application, lanes: lanes)
        self.server = server
        threads = (0..<max(configuration.threads, 1)).map { _ in ServingThread(server: server) }
        acceptor = try Acceptor(threads: threads, maxConnections: configuration.maxConnections)
        // What has started by then is stopped where the next cannot start.
        try server.watchdog.start()
        for thread in threads { try thread.start(configuration) }
        try acceptor.start(socket)
    }

    deinit {
        stop()
    }

    /// How many connections each thread has.
    var connectionsByThread: [Int] { threads.map(\.load) }

    /// Requests of which the head has come, and that are not answered yet.
    var requestsInFlight: Int { server.watchdog.exchanges }

    /// Content of requests, and answers that wait to be read, in memory.
    var bufferedBytes: Int { server.budget.usedBytes }

    /// Ends every connection at once and waits for the threads. Harmless when done before.
    func stop() {
        acceptor.stop()
        // The library ends the process where it is stopped with a connection suspended.
        server.lanes.stop()
        for thread in threads { thread.stop() }
        server.watchdog.stop()
    }

    /// Stops accepting, lets requests in flight finish, and stops.
    ///
    /// Meanwhile, a new request on a connection that was kept alive gets 503, and every answer closes its connection.
    /// - Parameter patience: how long requests in flight may take; then they are cut.
    /// - Returns: whether all of them were answered in time.
    func drain(within patience: Duration) -> Bool {
        let deadline = Deadline.now + TimeLimit(patience)
        server.startDraining()
        acceptor.stop()
        while requestsInFlight > 0, Deadline.now < deadline {
            usleep(2_000)
        }
        let isDone = requestsInFlight == 0
        stop()
        return isDone
    }
}
