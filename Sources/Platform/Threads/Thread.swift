internal import Glibc

/// A thread of the operating system, for work that may block.
package struct Thread: Sendable {
    private let identifier: pthread_t

    /// Starts a thread that runs `work` and then ends.
    package init(_ work: @escaping @Sendable () -> Void) throws(SystemError) {
        var started = pthread_t()
        // The new thread takes ownership of this reference.
        let body = unsafe Unmanaged.passRetained(Body(work: work))
        let result = unsafe pthread_create(&started, nil, Self.main, body.toOpaque())
        guard result == 0 else {
            unsafe body.release()
            throw SystemError("start a thread", code: result)
        }
        identifier = started
    }

    /// Waits for the end of the thread. Must be called at most once, and not after ``detach()``. A thread that is neither joined nor detached
    /// keeps its stack after its end.
    package func join() {
        pthread_join(identifier, nil)
    }

    /// Has the resources of the thread released at its end, for which nobody waits. Must be called at most once, and not after ``join()``.
    package func detach() {
        pthread_detach(identifier)
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
