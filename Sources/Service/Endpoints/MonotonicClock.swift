internal import Glibc

/// Time that only runs forward; for measuring, not for telling the time.
enum MonotonicClock {
    /// Nanoseconds since some fixed point (`clock_gettime(2)`, `CLOCK_MONOTONIC`).
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        // The call writes one timespec, which outlives it.
        let failed = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        guard failed == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
