internal import CMicroHTTPD
internal import Glibc
internal import Platform

/// The library's daemon for the connections of one thread. It does not wait: its descriptor is readable when it has
/// work to do.
@safe final class LibraryDaemon: EventHandler {
    private var handle: OpaquePointer?
    private var registration: EventLoop.Registration?
    private weak var events: EventLoop?

    /// Whether the descriptor has become readable since the last ``run()``.
    private(set) var isReadable = false

    /// Starts the library for the calling thread.
    func start(_ callbacks: inout cmhd_callbacks, connectionBytes: Int, _ events: EventLoop) throws(SystemError) {
        var options = cmhd_options()
        // The acceptor limits the number of connections.
        options.max_connections = UInt32(Int32.max)
        options.connection_bytes = connectionBytes
        // The library copies both.
        guard let handle = unsafe cmhd_start(&options, &callbacks) else { throw SystemError("start the HTTP library") }
        unsafe self.handle = handle
        self.events = events
        registration = try events.add(unsafe cmhd_descriptor(handle), for: .readable, self)
    }

    func handle(_ events: Events) { isReadable = true }

    /// Whether ``run()`` has work to do without an event.
    var hasWork: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe cmhd_has_work(handle) != 0
    }

    /// Does all work that is possible without waiting.
    func run() {
        isReadable = false
        guard let handle = unsafe handle else { return }
        unsafe cmhd_run(handle)
    }

    /// Passes a socket to the library, which closes it on failure.
    func add(_ socket: AcceptedSocket) {
        guard let handle = unsafe handle else { return }
        unsafe withUnsafeBytes(of: socket.address) { address in
            guard let start = address.baseAddress else { return }
            // The address has at least `addressBytes` bytes, and is copied.
            _ = unsafe cmhd_add(handle, socket.descriptor, start, socket.addressBytes)
        }
    }

    /// Closes all connections. None of them may be suspended.
    func stop() {
        guard let handle = unsafe handle else { return }
        if let registration { events?.remove(registration) }
        unsafe cmhd_stop(handle)
        unsafe self.handle = nil
    }
}
