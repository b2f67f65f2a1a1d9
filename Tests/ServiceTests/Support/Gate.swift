import Dispatch

/// Holds what a test wants to find under way, until it opens. It never closes again.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        semaphore.signal()
    }

    /// Waits until the gate is open, or half a minute: a test that fails before it opens must not hang.
    func pass() {
        _ = semaphore.wait(timeout: .now() + .seconds(30))
        semaphore.signal()
    }
}
