internal import Platform

/// The time limits of an ``HTTPServerConfiguration`` in nanoseconds, which can be added to a `MonotonicTime`.
///
/// A `Duration` has 128 bits, and its arithmetic is too slow for code that runs once per request.
struct TimeLimits: Sendable {
    let head: UInt64
    private let content: UInt64
    private let response: UInt64
    private let slowestBytesPerSecond: Int
    let idle: UInt64
    private let discard: UInt64
    let queue: UInt64
    let iteration: UInt64
    let halfCloseGrace: UInt64
    let linger: UInt64
    let drainIdle: UInt64

    init(_ configuration: HTTPServerConfiguration) {
        head = configuration.timeouts.head.saturatedNanoseconds
        content = configuration.timeouts.content.saturatedNanoseconds
        response = configuration.timeouts.response.saturatedNanoseconds
        iteration = configuration.maxIterationTime.saturatedNanoseconds
        queue = configuration.timeouts.queue.saturatedNanoseconds
        slowestBytesPerSecond = max(configuration.slowestBytesPerSecond, 1)
        idle = configuration.timeouts.idle.saturatedNanoseconds
        discard = configuration.discardTimeout.saturatedNanoseconds
        halfCloseGrace = configuration.timeouts.halfCloseGrace.saturatedNanoseconds
        linger = configuration.lingerTimeout.saturatedNanoseconds
        drainIdle = configuration.drainIdleTimeout.saturatedNanoseconds
    }

    /// Returns the time limit for discarding content of which `bytes` have been received, in nanoseconds.
    func discard(ofBytes bytes: Int = 0) -> UInt64 { prolonged(discard, forBytes: bytes) }

    /// Returns the time limit for receiving content of `bytes`, in nanoseconds.
    func content(ofBytes bytes: Int = 0) -> UInt64 { prolonged(content, forBytes: bytes) }

    /// Returns the time limit for sending content of `bytes`, in nanoseconds.
    func response(ofBytes bytes: Int) -> UInt64 { prolonged(response, forBytes: bytes) }

    /// Returns `limit` plus the time for transferring `bytes` at ``slowestBytesPerSecond``.
    private func prolonged(_ limit: UInt64, forBytes bytes: Int) -> UInt64 {
        // Most contents are small, so that the division is unnecessary.
        guard bytes >= slowestBytesPerSecond else { return limit }
        let (product, overflow) = UInt64(bytes / slowestBytesPerSecond).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = limit.addingReportingOverflow(product)
        return overflow || carry ? .max : sum
    }
}
