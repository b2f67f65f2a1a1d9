internal import Glibc

/// A point on the system's monotonic clock, in nanoseconds.
///
/// Read from the coarse clock (clock_gettime(2), CLOCK_MONOTONIC_COARSE): a few nanoseconds a reading, right within a
/// few milliseconds, which is all that time limits of network peers need.
struct Deadline: Comparable, Sendable {
    let nanoseconds: UInt64

    static let never = Deadline(nanoseconds: .max)

    static var now: Deadline {
        var time = timespec()
        // `time` outlives the call, which only writes to it.
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Deadline(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    static func < (left: Deadline, right: Deadline) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    static func + (start: Deadline, span: Duration) -> Deadline {
        let (sum, overflow) = start.nanoseconds.addingReportingOverflow(span.wholeNanoseconds)
        return overflow ? .never : Deadline(nanoseconds: sum)
    }
}

extension Duration {
    /// Nanoseconds, cut to what an unsigned 64-bit number holds; a negative span is none.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflow || carry ? .max : sum
    }
}
