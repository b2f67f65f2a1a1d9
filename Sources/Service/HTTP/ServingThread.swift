internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// One of the HTTP library's threads, and how many connections it has.
final class ServingThread: Sendable {
    let server: Server

    /// Connections dealt to the thread that have not ended.
    private let connections = Atomic<Int>(0)
    private let library = Mutex<Library?>(nil)

    /// Memory for the head and the input of one connection, in bytes. A head that does not fit gets 414 or 431 from the
    /// library. The library clears all of it after each request: 32 KiB, its default, cost 3 % of the request rate.
    private static let connectionBytes = 16 << 10

    init(server: Server) {
        self.server = server
    }

    /// How many connections it has.
    var load: Int { connections.load(ordering: .relaxed) }

    /// Starts the thread; called at most once, and ended by ``stop()``.
    func start(_ configuration: DaemonConfiguration) throws(DaemonError) {
        var options = cmhd_options()
        options.max_connections = UInt32(clamping: configuration.maxConnections)
        options.inactivity_seconds = configuration.inactivitySeconds
        options.connection_bytes = Self.connectionBytes
        var callbacks = unsafe Callbacks.table(for: self)
        // Both are copied; this object lives until its end waits for the thread.
        guard let handle = unsafe cmhd_start(&options, &callbacks) else { throw .library(errno: errno) }
        library.withLock { $0 = unsafe Library(handle: handle) }
    }

    /// Closes every connection and waits for the thread. Harmless when done before.
    func stop() {
        library.withLock { $0 = nil }
    }

    /// Takes a connection off the queue of `listener`.
    /// - Returns: 0, or why there is none, as accept(2) has it.
    func accept(from listener: Int32) -> Int32 {
        // Counted first: it may end before this returns.
        connections.add(1, ordering: .relaxed)
        let failure = library.withLock { $0?.accept(from: listener) ?? EAGAIN }
        if failure != 0 { connectionEnded() }
        return failure
    }

    func connectionEnded() {
        connections.subtract(1, ordering: .relaxed)
    }

    /// The library's daemon; its end closes all connections and waits for the thread.
    @safe private struct Library: ~Copyable, @unchecked Sendable {
        // @unchecked Sendable: the library's daemon may be stopped from any thread, and has one owner.
        private let handle: OpaquePointer

        init(handle: OpaquePointer) {
            unsafe self.handle = handle
        }

        deinit {
            unsafe cmhd_stop(handle)
        }

        func accept(from listener: Int32) -> Int32 {
            unsafe cmhd_accept(handle, listener)
        }
    }
}
