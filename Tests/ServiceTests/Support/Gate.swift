import Dispatch

/// Blocks threads until it opens, so that a test can observe work in progress. It never closes again.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        semaphore.signal()
    }

    /// Waits until the gate is open, for at most 30 s: a test that fails before it opens the gate must not hang.
    func pass() {
        _ = semaphore.wait(timeout: .now() + .seconds(30))
        semaphore.signal()
    }
}
