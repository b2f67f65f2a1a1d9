internal import Glibc
internal import Platform
internal import Synchronization

/// Accepts connections, and deals each to the thread that has the fewest.
///
/// Where the threads accept by themselves, whichever wakes first takes as many as there are: clients that connect together
/// and stay, as services do, then share one core while the others are idle (decision 14).
final class Acceptor: Sendable {
    private let threads: [ServingThread]
    private let maxConnections: Int
    private let stopSignal: StopSignal
    private let thread = Mutex<Thread?>(nil)

    /// How long to wait while there can be no more connections: all are open that may be, or the system has nothing left for one.
    private static let pauseMilliseconds: Int32 = 5

    /// - Parameter maxConnections: of all threads together. More wait in the kernel's queue.
    init(threads: [ServingThread], maxConnections: Int) throws(DaemonError) {
        self.threads = threads
        self.maxConnections = maxConnections
        stopSignal = try StopSignal()
    }

    /// Begins to accept; called at most once.
    func start(_ socket: consuming ListeningSocket) throws(DaemonError) {
        let listener = socket.take()
        do {
            let started = try Thread.starting { [self] in
                acceptUntilStopped(listener)
                close(listener)
            }
            thread.withLock { $0 = started }
        } catch {
            close(listener)
            throw error
        }
    }

    /// Accepts no more, and closes the listening socket. Harmless when done before.
    func stop() {
        guard let started = thread.withLock({ $0.take() }) else { return }
        stopSignal.send()
        started.join()
    }

    private func acceptUntilStopped(_ listener: Int32) {
        var isPausing = false
        while !stopSignal.wait(
            milliseconds: isPausing ? Self.pauseMilliseconds : -1,
            orReadable: isPausing ? -1 : listener
        ) {
            isPausing = !acceptAll(listener)
        }
    }

    /// Accepts what waits.
    /// - Returns: false where there may be more.
    private func acceptAll(_ listener: Int32) -> Bool {
        while threads.reduce(0, { $0 + $1.load }) < maxConnections {
            switch threads.min(by: { $0.load < $1.load })?.accept(from: listener) {
            // One more; or one whose client is gone, which was taken off the queue as well.
            case 0, ECONNABORTED, EPROTO, EINTR: continue
            case EAGAIN: return true
            // No descriptor or no memory is left, or the network has an error, which accept(2) passes on.
            default: return false
            }
        }
        return false
    }
}
