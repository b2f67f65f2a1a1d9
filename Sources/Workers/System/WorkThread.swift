internal import Glibc

/// A thread of its own, for work that may wait.
package struct WorkThread: Sendable {
    private let identifier: pthread_t

    package init(_ work: @escaping @Sendable () -> Void) throws(SystemFailure) {
        var started = pthread_t()
        // The new thread takes over this reference.
        let body = unsafe Unmanaged.passRetained(Body(work: work))
        let result = unsafe pthread_create(&started, nil, Self.main, body.toOpaque())
        guard result == 0 else {
            unsafe body.release()
            throw SystemFailure("pthread_create", code: result)
        }
        identifier = started
    }

    /// Waits for its end. Called once.
    package func join() {
        pthread_join(identifier, nil)
    }

    private final class Body: Sendable {
        let work: @Sendable () -> Void

        init(work: @escaping @Sendable () -> Void) {
            self.work = work
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        // `init` passed a retained `Body`.
        unsafe context.map { unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }?.work()
        return nil
    }
}
