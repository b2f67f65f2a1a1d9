import Glibc

/// A point in time on the monotonic clock (`CLOCK_MONOTONIC`, clock_gettime(2)), which all processes of a machine
/// share.
public struct Moment: Comparable, Sendable {
    public let nanoseconds: UInt64

    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    public static let never = Moment(nanoseconds: .max)

    public static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    public static func < (left: Moment, right: Moment) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Returns the time `span` later. A negative span counts as zero.
    public static func + (start: Moment, span: Duration) -> Moment {
        let (seconds, attoseconds) = span.components
        guard seconds >= 0, attoseconds >= 0 else { return start }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        let (total, end) = start.nanoseconds.addingReportingOverflow(sum)
        return overflow || carry || end ? .never : Moment(nanoseconds: total)
    }

    /// Returns the time since `start`; zero if `start` is later.
    public static func - (end: Moment, start: Moment) -> Duration {
        .nanoseconds(end.nanoseconds > start.nanoseconds ? Int64(clamping: end.nanoseconds - start.nanoseconds) : 0)
    }

    /// The timeout of poll(2) until this time, in milliseconds: rounded up, 0 if it has passed, and -1 for ``never``.
    var pollMilliseconds: Int32 {
        guard self != .never else { return -1 }
        let now = Moment.now
        guard now < self else { return 0 }
        return Int32(clamping: (nanoseconds - now.nanoseconds + 999_999) / 1_000_000)
    }
}
