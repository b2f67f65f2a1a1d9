internal import Glibc

/// A point on the system's monotonic clock, in nanoseconds.
struct MonotonicTime: Comparable, Sendable {
    let nanoseconds: UInt64

    static let never = MonotonicTime(nanoseconds: .max)

    static var now: MonotonicTime {
        var time = timespec()
        // The call writes one timespec, which outlives it.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Saturates. A negative span is none.
    static func + (start: MonotonicTime, span: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = span.components
        guard seconds >= 0, attoseconds >= 0 else { return start }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (span, carry) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        let (sum, last) = start.nanoseconds.addingReportingOverflow(span)
        return overflow || carry || last ? .never : MonotonicTime(nanoseconds: sum)
    }

    /// What poll(2) takes: milliseconds from now on, rounded up so that a wait never ends before its time.
    var pollMilliseconds: Int32 {
        let now = MonotonicTime.now.nanoseconds
        guard nanoseconds > now else { return 0 }
        return Int32(clamping: (nanoseconds - now) / 1_000_000 + 1)
    }
}
