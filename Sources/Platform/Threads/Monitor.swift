internal import Glibc

/// A value that only one thread at a time can access, and whose changes other threads can wait for.
///
/// @unchecked Sendable: `state` is accessed only while the mutex is held.
@safe package final class Monitor<State>: @unchecked Sendable {
    // The mutex ensures exclusive access: a nested access by the same thread would deadlock before it reached the
    // value. A check at run time would be paid for each access (decision 17).
    @exclusivity(unchecked) private var state: State

    // Both are allocated, because they must not move while a thread waits on them.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init(_ state: sending State) {
        unsafe self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        // Waiting uses the monotonic clock, which is not affected when the system time is set.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value, without waking threads that wait for a change.
    package func withLock<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe body(&state)
    }

    /// Calls `body` with the value, then wakes the threads that wait for a change.
    package func change<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return unsafe body(&state)
    }

    /// Wakes the threads that wait for a change that ``withLock(_:)`` made.
    package func wake() { unsafe pthread_cond_broadcast(condition) }

    /// Waits until `body` returns a value. It is called immediately, after each change, and once more at `time`.
    /// - Returns: that value; `nil` if `body` returned none by `time`.
    package func wait<Result>(until time: MonotonicTime, _ body: (inout State) -> sending Result?) -> sending Result? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        // 68 years fit into every representation of seconds.
        let seconds = min(time.nanoseconds / 1_000_000_000, UInt64(Int32.max))
        var limit = timespec(tv_sec: Int(seconds), tv_nsec: Int(time.nanoseconds % 1_000_000_000))
        while true {
            if let result = unsafe body(&state) { return result }
            // The mutex and the condition belong to this object; `limit` outlives the call.
            let result = unsafe pthread_cond_timedwait(condition, mutex, &limit)
            if result == ETIMEDOUT { return unsafe body(&state) }
        }
    }
}
