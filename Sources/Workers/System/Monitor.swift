internal import Glibc

/// A value that one thread at a time touches, and that others can wait for to change.
///
/// @unchecked Sendable: `state` is touched only with the mutex held.
@safe package final class Monitor<State>: @unchecked Sendable {
    private var state: State

    // Both stay where they are as long as there are threads that may wait on them.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init(_ state: sending State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        // Waits are told by the clock that nobody sets.
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

    package func withLock<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// As ``withLock(_:)``, and those who wait look again.
    package func change<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Waits at most `time` until `isThere` says yes, which it is asked at once and after each change.
    /// - Returns: whether it said yes.
    package func wait(atMost time: Duration, _ isThere: (State) -> Bool) -> Bool {
        wait(until: .now + time) { isThere($0) ? true : nil } ?? false
    }

    /// Waits until `body` gives something, which it is asked at once and after each change; nil once `time` has come.
    func wait<Result>(until time: MonotonicTime, _ body: (inout State) -> sending Result?) -> sending Result? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        // The longest wait that fits the system's own type.
        let seconds = min(time.nanoseconds / 1_000_000_000, UInt64(Int32.max))
        var limit = timespec(tv_sec: Int(seconds), tv_nsec: Int(time.nanoseconds % 1_000_000_000))
        while true {
            if let result = body(&state) { return result }
            // Both belong to this object; `limit` outlives the call.
            let result = unsafe pthread_cond_timedwait(condition, mutex, &limit)
            if result == ETIMEDOUT { return body(&state) }
        }
    }
}
