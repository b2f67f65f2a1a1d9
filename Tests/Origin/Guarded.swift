import Glibc

/// A value behind a mutex, whose changes other threads can wait for.
///
/// @unchecked Sendable: `value` is accessed only while the mutex is held.
final class Guarded<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
    private let changed: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)

    init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Calls `body` with the value, and then wakes the threads that wait for a change.
    func change<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return body(&value)
    }

    /// Returns what `body` returns for the value.
    func read<Result>(_ body: (borrowing Value) -> sending Result) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(value)
    }

    /// Waits until `condition` is true. It is evaluated immediately, after each change, and once more at the deadline.
    /// - Returns: whether the condition is true.
    func wait(until deadline: Moment, _ condition: (borrowing Value) -> Bool) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let seconds = min(deadline.nanoseconds / 1_000_000_000, UInt64(Int32.max))
        var limit = timespec(tv_sec: Int(seconds), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        while !condition(value) {
            if pthread_cond_timedwait(changed, mutex, &limit) == ETIMEDOUT { return condition(value) }
        }
        return true
    }
}
