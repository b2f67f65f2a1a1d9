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

    static func + (start: Deadline, span: TimeLimit) -> Deadline {
        let (sum, overflow) = start.nanoseconds.addingReportingOverflow(span.nanoseconds)
        return overflow ? .never : Deadline(nanoseconds: sum)
    }
}

/// A span of time in nanoseconds: a `Duration`, whose 128 bits cost more than a request should, converted once.
struct TimeLimit: Sendable {
    let nanoseconds: UInt64

    /// Cut to what 64 bits hold; a negative span is none.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else {
            self.init(saturating: 0, plusSeconds: 0)
            return
        }
        self.init(saturating: UInt64(attoseconds / 1_000_000_000), plusSeconds: UInt64(seconds))
    }

    /// This limit, longer by what `bytes` take at `rate` bytes a second.
    func prolonged(forBytes bytes: Int, at rate: Int) -> TimeLimit {
        // Most answers are small, and spare the division.
        guard bytes >= rate else { return self }
        return TimeLimit(saturating: nanoseconds, plusSeconds: UInt64(bytes / rate))
    }

    private init(saturating nanoseconds: UInt64, plusSeconds seconds: UInt64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = nanoseconds.addingReportingOverflow(product)
        self.nanoseconds = overflow || carry ? .max : sum
    }
}

/// The time limits of a ``DaemonConfiguration``, ready to be added to a ``Deadline``.
struct TimeLimits: Sendable {
    let head: TimeLimit
    private let content: TimeLimit
    private let slowestBytesPerSecond: Int
    let idle: TimeLimit
    private let discard: TimeLimit

    init(_ configuration: DaemonConfiguration) {
        head = TimeLimit(configuration.headTimeout)
        content = TimeLimit(configuration.contentTimeout)
        slowestBytesPerSecond = max(configuration.slowestBytesPerSecond, 1)
        idle = TimeLimit(configuration.idleTimeout)
        discard = TimeLimit(configuration.discardTimeout)
    }

    /// What may pass while content is dropped of which `bytes` have come.
    func discard(ofBytes bytes: Int = 0) -> TimeLimit {
        discard.prolonged(forBytes: bytes, at: slowestBytesPerSecond)
    }

    /// What may pass until content of `bytes` is in, or out.
    func content(ofBytes bytes: Int = 0) -> TimeLimit {
        content.prolonged(forBytes: bytes, at: slowestBytesPerSecond)
    }
}
