internal import Platform
internal import Synchronization

/// A thread of its own that does one thing at even intervals until it is stopped.
final class PeriodicThread: Sendable {
    private let interval: Duration
    private let stopSignal: StopSignal
    private let thread = Mutex<Thread?>(nil)

    init(interval: Duration) throws(DaemonError) {
        self.interval = interval
        stopSignal = try StopSignal()
    }

    /// Starts the thread; called at most once.
    func start(_ work: @escaping @Sendable () -> Void) throws(DaemonError) {
        let milliseconds = Int32(clamping: max(TimeLimit(interval).nanoseconds / 1_000_000, 1))
        let started = try Thread.starting { [stopSignal] in
            while !stopSignal.wait(milliseconds: milliseconds) { work() }
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread and waits for it. Harmless when it never ran or has ended.
    func stop() {
        guard let started = thread.withLock({ $0.take() }) else { return }
        stopSignal.send()
        started.join()
    }
}

extension Thread {
    static func starting(_ work: @escaping @Sendable () -> Void) throws(DaemonError) -> Thread {
        do {
            return try Thread(work)
        } catch {
            throw .system("pthread_create", errno: error.code)
        }
    }
}
