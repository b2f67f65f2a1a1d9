import Dispatch
import Foundation

@testable import HTTP
@testable import Service

/// Drains a server on a separate thread, because the tests block theirs.
final class Draining: @unchecked Sendable {
    // @unchecked Sendable: `isDone` is written before the semaphore is signalled, and read after it.
    private let finished = DispatchSemaphore(value: 0)
    private var isDone = false

    init(_ daemon: HTTPServer) {
        Thread.detachNewThread {
            self.isDone = daemon.drain(within: .seconds(30))
            self.finished.signal()
        }
    }

    /// Returns whether all requests in flight finished in time.
    func wait() -> Bool {
        finished.wait()
        return isDone
    }
}
