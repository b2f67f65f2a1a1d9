internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// The HTTP side of the service, running: a pool of threads, each with its own share of the connections.
///
/// Signals are the process's affair: whoever starts a daemon has blocked what it waits for before, because the threads
/// inherit the mask.
final class Daemon: Sendable {
    /// What clients connect to.
    let address: SocketAddress

    private let server: Server
    private let library: Mutex<Library?>

    /// Memory for the head and the input of one connection, in bytes. A head that does not fit gets 414 or 431 from the
    /// library. The library clears all of it after each request: 32 KiB, its default, cost 3 % of the request rate.
    private static let connectionBytes = 16 << 10

    /// Binds, listens and serves `application`.
    /// - Parameter lanes: where answers go on that are too much for an HTTP thread. They end with the daemon.
    init(
        _ configuration: DaemonConfiguration,
        application: any Application,
        lanes: Lanes = Lanes()
    ) throws(DaemonError) {
        let socket = try ListeningSocket.listening(on: configuration.address, port: configuration.port)
        address = try socket.address()
        server = try Server(configuration: configuration, application: application, lanes: lanes)
        try server.watchdog.start()
        var options = cmhd_options()
        options.listener = socket.take()
        options.threads = UInt32(clamping: configuration.threads)
        options.max_connections = UInt32(clamping: configuration.maxConnections)
        options.inactivity_seconds = configuration.inactivitySeconds
        options.connection_bytes = Self.connectionBytes
        var callbacks = unsafe Callbacks.table(for: server)
        // Both are copied; the server lives as long as `self`, whose end waits for the library's threads.
        guard let handle = unsafe cmhd_start(&options, &callbacks) else {
            // The listener may be closed or not, depending on how far the library came; it is not closed twice.
            let reason = errno
            server.watchdog.stop()
            throw .library(errno: reason)
        }
        library = unsafe Mutex(Library(handle: handle))
    }

    deinit {
        stop()
    }

    /// Ends every connection at once and waits for the threads. Harmless when done before.
    func stop() {
        // The library ends the process where it is stopped with a connection suspended.
        server.lanes.stop()
        library.withLock { $0 = nil }
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
        library.withLock { $0?.closeListener() }
        while server.watchdog.hasExchanges, Deadline.now < deadline {
            usleep(2_000)
        }
        let isDone = !server.watchdog.hasExchanges
        stop()
        return isDone
    }

    /// The library's daemon; its end closes all connections and waits for the threads.
    @safe private struct Library: ~Copyable, @unchecked Sendable {
        // @unchecked Sendable: the library's daemon may be stopped from any thread, and has one owner.
        private let handle: OpaquePointer
        private var isListening = true

        init(handle: OpaquePointer) {
            unsafe self.handle = handle
        }

        mutating func closeListener() {
            guard isListening else { return }
            isListening = false
            let listener = unsafe cmhd_quiesce(handle)
            if listener >= 0 { close(listener) }
        }

        deinit {
            unsafe cmhd_stop(handle)
        }
    }
}
