internal import Platform

/// The time limits of a transfer whose request is being sent or whose response is being received.
///
/// A pause, while the service does not receive, counts neither as silence nor as a low rate.
struct Pace {
    enum Violation: Equatable {
        /// There was no byte for the idle timeout.
        case idle
        /// In ten seconds, there were fewer bytes of content than the configured rate.
        case slow
    }

    private static let window = Duration.seconds(10)

    private let idle: Duration
    private let minWindowBytes: UInt64
    private var lastActivity: MonotonicTime
    private var isPaused = false
    /// The time at which the current window began; `nil` before the content.
    private var windowStart: MonotonicTime?
    private var windowBytes: UInt64 = 0

    /// - Parameters:
    ///   - idle: The longest time without a byte.
    ///   - slowestBytesPerSecond: The lowest rate of content; 0 for none.
    init(idle: Duration, slowestBytesPerSecond: UInt32, now: MonotonicTime) {
        self.idle = idle
        minWindowBytes = UInt64(slowestBytesPerSecond) * 10
        lastActivity = now
    }

    /// The time of the next call of ``check(at:)``.
    var deadline: MonotonicTime {
        guard !isPaused else { return .never }
        guard minWindowBytes > 0, let windowStart else { return lastActivity + idle }
        return min(lastActivity + idle, windowStart + Self.window)
    }

    /// Records bytes other than content.
    mutating func recordActivity(at now: MonotonicTime) { lastActivity = now }

    /// Records that the content begins.
    mutating func beginContent(at now: MonotonicTime) {
        lastActivity = now
        windowStart = now
        windowBytes = 0
    }

    mutating func recordContent(bytes: Int, at now: MonotonicTime) {
        lastActivity = now
        windowBytes += UInt64(bytes)
    }

    mutating func pause() { isPaused = true }

    mutating func resume(at now: MonotonicTime) {
        isPaused = false
        lastActivity = now
        if windowStart != nil { beginContent(at: now) }
    }

    /// Returns the limit that is violated.
    mutating func check(at now: MonotonicTime) -> Violation? {
        guard !isPaused else { return nil }
        if now >= lastActivity + idle { return .idle }
        if minWindowBytes > 0, let windowStart, now >= windowStart + Self.window {
            // A late check must not count more bytes than ten seconds had, nor fewer seconds.
            if windowBytes < minWindowBytes { return .slow }
            self.windowStart = now
            windowBytes = 0
        }
        return nil
    }
}
