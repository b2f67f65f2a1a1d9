internal import Glibc
internal import Platform

/// Converts points in time on the monotonic clock to the time of day.
///
/// The two clocks differ by an offset, which changes when the system's time is set. The offset is read at most once per
/// second, so that a conversion usually requires no system call.
struct WallClock: Sendable {
    private let readOffset: @Sendable () -> UInt64
    private var offset: UInt64 = 0

    /// The time at which the offset must be read again.
    private var refreshTime = MonotonicTime(nanoseconds: 0)

    /// - Parameter readOffset: returns the time since 1970 less the monotonic time, in nanoseconds, modulo 2⁶⁴.
    init(readOffset: @escaping @Sendable () -> UInt64 = { Self.now &- MonotonicTime.now.nanoseconds }) {
        self.readOffset = readOffset
    }

    /// The time since 1970-01-01T00:00:00Z (`CLOCK_REALTIME`, clock_gettime(2)), in nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        // The call writes one `timespec`, which outlives it. It cannot fail, because every kernel has this clock.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }

    /// The same in whole seconds.
    static var seconds: Int { Int(clamping: now / 1_000_000_000) }

    /// Returns the time since 1970-01-01T00:00:00Z in nanoseconds.
    @inline(__always) mutating func nanoseconds(at time: MonotonicTime) -> UInt64 {
        if time.nanoseconds >= refreshTime.nanoseconds { refresh(at: time) }
        return time.nanoseconds &+ offset
    }

    @inline(never) private mutating func refresh(at time: MonotonicTime) {
        offset = readOffset()
        refreshTime = time.advanced(byNanoseconds: 1_000_000_000)
    }
}
