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

    /// Waits for the end of the thread. Must be called at most once, and not after ``detach()``. A thread that is
    /// neither joined nor detached keeps its stack after its end.
    package func join() { pthread_join(identifier, nil) }

    /// Releases the resources of the thread as soon as it ends. Must be called at most once, and not after ``join()``.
    package func detach() { pthread_detach(identifier) }

    /// Lowers the priority of the calling thread, so that the scheduler prefers threads with a higher one (sched(7),
    /// nice(2)).
    /// - Parameter steps: the increment of the nice value, at least 0. The highest nice value is 19. Threads and
    ///   processes that the thread starts afterwards inherit the nice value.
    /// - Returns: whether the system changed the priority.
    @discardableResult
    package static func lowerPriority(by steps: Int32) -> Bool {
        precondition(steps >= 0, "raising a priority requires a privilege")
        // setpriority(2): on Linux, each thread has its own nice value. 0 identifies the calling thread.
        let (kind, thread) = (__priority_which_t(PRIO_PROCESS.rawValue), id_t(0))
        errno = 0
        let current = getpriority(kind, thread)
        // -1 is also a valid nice value.
        guard current != -1 || errno == 0 else { return false }
        return setpriority(kind, thread, min(current + steps, 19)) == 0
    }

    /// The processor time that the calling thread has used, in nanoseconds (`CLOCK_THREAD_CPUTIME_ID`,
    /// clock_gettime(2)). Reading it requires a system call.
    package static var processorNanoseconds: UInt64 {
        var time = timespec()
        // The call writes one `timespec`, which outlives it. It cannot fail, because every kernel has this clock.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private final class Body: Sendable {
        let work: @Sendable () -> Void

        init(work: @escaping @Sendable () -> Void) { self.work = work }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        // `init` passed a retained `Body`, and ownership of it is taken here.
        unsafe context.map { unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }?.work()
        return nil
    }
}
