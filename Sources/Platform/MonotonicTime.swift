internal import Glibc

/// A point in time on the system's monotonic clock (`CLOCK_MONOTONIC`, clock_gettime(2)), in nanoseconds.
///
/// It measures spans of time and expresses deadlines. It never runs backwards, and does not correspond to a calendar
/// date.
package struct MonotonicTime: Comparable, Sendable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Later than every other point in time: a deadline that never expires.
    package static let never = MonotonicTime(nanoseconds: .max)

    package static var now: MonotonicTime {
        var time = timespec()
        // The call writes one `timespec`, which outlives it. It cannot fail, because every kernel has this clock.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the time `span` later, at most ``never``. A negative span counts as zero.
    package static func + (start: MonotonicTime, span: Duration) -> MonotonicTime {
        start.advanced(byNanoseconds: span.saturatedNanoseconds)
    }

    /// Returns the time `span` nanoseconds later, at most ``never``.
    ///
    /// Unlike `+`, it avoids the 128-bit arithmetic of `Duration`. For code that runs once per request.
    package func advanced(byNanoseconds span: UInt64) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
        return overflow ? .never : MonotonicTime(nanoseconds: sum)
    }

    /// Returns the number of nanoseconds since `start`; 0 if `start` is later.
    package func nanoseconds(since start: MonotonicTime) -> UInt64 {
        nanoseconds > start.nanoseconds ? nanoseconds - start.nanoseconds : 0
    }

    /// The timeout of poll(2) and epoll_wait(2) until this time, in milliseconds: rounded up so that the wait does not
    /// end early, and at most `Int32.max`. It is 0 if this time has passed, and -1 (no timeout) for ``never``.
    package var pollMilliseconds: Int32 {
        guard self != .never else { return -1 }
        let remaining = nanoseconds(since: .now)
        let (milliseconds, rest) = remaining.quotientAndRemainder(dividingBy: 1_000_000)
        return Int32(clamping: milliseconds + (rest > 0 ? 1 : 0))
    }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded down and clamped to the range of `UInt64`. A negative duration is 0.
    package var saturatedNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflow || carry ? .max : sum
    }
}
