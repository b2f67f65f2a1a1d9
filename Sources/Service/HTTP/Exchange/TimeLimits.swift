internal import Platform

/// The time limits of a ``HTTPServerConfiguration`` in nanoseconds, ready to be added to a `MonotonicTime`: a `Duration` has 128 bits,
/// whose arithmetic costs more than a request should.
struct TimeLimits: Sendable {
    let head: UInt64
    private let content: UInt64
    private let slowestBytesPerSecond: Int
    let idle: UInt64
    private let discard: UInt64
    let halfCloseGrace: UInt64
    let linger: UInt64
    let drainIdle: UInt64

    init(_ configuration: HTTPServerConfiguration) {
        head = configuration.headTimeout.saturatedNanoseconds
        content = configuration.contentTimeout.saturatedNanoseconds
        slowestBytesPerSecond = max(configuration.slowestBytesPerSecond, 1)
        idle = configuration.idleTimeout.saturatedNanoseconds
        discard = configuration.discardTimeout.saturatedNanoseconds
        halfCloseGrace = configuration.halfCloseGrace.saturatedNanoseconds
        linger = configuration.lingerTimeout.saturatedNanoseconds
        drainIdle = configuration.drainIdleTimeout.saturatedNanoseconds
    }

    /// The time until content is dropped of which `bytes` have been received.
    func discard(ofBytes bytes: Int = 0) -> UInt64 {
        prolonged(discard, forBytes: bytes)
    }

    /// The time until content of `bytes` is received, or sent.
    func content(ofBytes bytes: Int = 0) -> UInt64 {
        prolonged(content, forBytes: bytes)
    }

    /// `limit`, longer by what `bytes` take at the slowest rate.
    private func prolonged(_ limit: UInt64, forBytes bytes: Int) -> UInt64 {
        // Most contents are small, and need no division.
        guard bytes >= slowestBytesPerSecond else { return limit }
        let (product, overflow) = UInt64(bytes / slowestBytesPerSecond).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = limit.addingReportingOverflow(product)
        return overflow || carry ? .max : sum
    }
}
