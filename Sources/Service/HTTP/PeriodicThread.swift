internal import Glibc
internal import Synchronization

/// A thread of its own that does one thing at even intervals until it is stopped.
final class PeriodicThread: Sendable {
    private let interval: Duration

    /// Two connected sockets: the thread sleeps on one of them, and a byte from the other ends it.
    private let stopSignal: (read: Int32, write: Int32)

    private let identifier = Mutex<pthread_t?>(nil)

    init(interval: Duration) throws(DaemonError) {
        self.interval = interval
        var ends: (read: Int32, write: Int32) = (-1, -1)
        // The call writes two descriptors, for which `ends` has room.
        let result = unsafe withUnsafeMutableBytes(of: &ends) { ends in
            unsafe socketpair(
                AF_UNIX,
                Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue),
                0,
                ends.assumingMemoryBound(to: Int32.self).baseAddress
            )
        }
        guard result == 0 else { throw .system("socketpair", errno: errno) }
        stopSignal = ends
    }

    deinit {
        close(stopSignal.read)
        close(stopSignal.write)
    }

    /// Starts the thread; called at most once.
    func start(_ work: @escaping @Sendable () -> Void) throws(DaemonError) {
        var started = pthread_t()
        // The new thread takes over this reference.
        let body = unsafe Unmanaged.passRetained(Body(thread: self, work: work))
        let result = unsafe pthread_create(&started, nil, Self.main, body.toOpaque())
        guard result == 0 else {
            unsafe body.release()
            throw .system("pthread_create", errno: result)
        }
        identifier.withLock { $0 = started }
    }

    /// Ends the thread and waits for it. Harmless when it never ran or has ended.
    func stop() {
        guard let started = identifier.withLock({ $0.take() }) else { return }
        var byte: UInt8 = 0
        // One byte is read from `byte`; the socket is empty, so there is room for it.
        unsafe write(stopSignal.write, &byte, 1)
        pthread_join(started, nil)
    }

    private final class Body: Sendable {
        let thread: PeriodicThread
        let work: @Sendable () -> Void

        init(thread: PeriodicThread, work: @escaping @Sendable () -> Void) {
            self.thread = thread
            self.work = work
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        // `start` passed a retained `Body`.
        guard let body = unsafe context.map({ unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }) else {
            return nil
        }
        let milliseconds = Int32(clamping: max(TimeLimit(body.thread.interval).nanoseconds / 1_000_000, 1))
        var signal = pollfd(fd: body.thread.stopSignal.read, events: Int16(POLLIN), revents: 0)
        // `signal` is one descriptor, and outlives the call. An interrupted wait is only a shorter one.
        while unsafe poll(&signal, 1, milliseconds) <= 0 {
            body.work()
        }
        return nil
    }
}
