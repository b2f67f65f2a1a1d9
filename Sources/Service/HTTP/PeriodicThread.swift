internal import Synchronization
internal import Workers

/// A thread of its own that does one thing at even intervals until it is stopped.
final class PeriodicThread: Sendable {
    private let interval: Duration
    private let stopSignal: StopSignal
    private let thread = Mutex<WorkThread?>(nil)

    init(interval: Duration) throws(DaemonError) {
        self.interval = interval
        stopSignal = try StopSignal()
    }

    /// Starts the thread; called at most once.
    func start(_ work: @escaping @Sendable () -> Void) throws(DaemonError) {
        let milliseconds = Int32(clamping: max(TimeLimit(interval).nanoseconds / 1_000_000, 1))
        let started = try WorkThread.starting { [stopSignal] in
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

extension WorkThread {
    static func starting(_ work: @escaping @Sendable () -> Void) throws(DaemonError) -> WorkThread {
        do {
            return try WorkThread(work)
        } catch {
            throw .system(error.call, errno: error.code)
        }
    }
}
