internal import Primitives

/// The `Retry-After` field (RFC 9110 §10.2.3): a number of seconds, or a date.
package struct RetryAfter: Equatable, Sendable {
    /// The time to wait, in seconds, from 0 to ``maxSeconds``.
    package let seconds: Int

    /// Longer times are limited to a day.
    static let maxSeconds = 86_400

    /// The longest time for which an origin's queue pauses, in seconds.
    static let maxPauseSeconds = 60

    /// Parses the value of the field. A date in the past is 0 seconds.
    /// - Parameter now: The current time, in seconds since 1970.
    /// - Returns: `nil` if the value has neither form, so that the field must be ignored.
    package init?(_ value: String, now: Int) {
        let bytes = value.utf8.span
        let trimmed = bytes.trimmingBlanks(0..<bytes.count)
        guard !trimmed.isEmpty else { return nil }
        if let number = bytes.decimal(trimmed, clampedTo: Self.maxSeconds) {
            seconds = number
            return
        }
        guard let date = HTTPDate.secondsSince1970(bytes.text(trimmed)) else { return nil }
        let (difference, overflow) = date.subtractingReportingOverflow(now)
        seconds = overflow ? 0 : min(max(difference, 0), Self.maxSeconds)
    }

    /// The time for which an origin's queue pauses after a response of 429 or 503 with this field, in seconds.
    package var pauseSeconds: Int { min(seconds, Self.maxPauseSeconds) }
}
