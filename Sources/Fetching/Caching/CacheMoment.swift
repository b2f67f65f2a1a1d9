/// A moment, by both clocks that caching needs: dates of messages are compared with the first, durations are measured
/// with the second, which no one sets.
package struct CacheMoment: Equatable, Sendable {
    /// Seconds since 1970.
    package var wallSeconds: Int

    /// Nanoseconds of a monotonic clock.
    package var nanoseconds: UInt64

    package init(wallSeconds: Int, nanoseconds: UInt64) {
        self.wallSeconds = wallSeconds
        self.nanoseconds = nanoseconds
    }

    /// Returns the time since `earlier`, in nanoseconds, at most 2³¹ s; 0 if `earlier` is later.
    func nanoseconds(since earlier: CacheMoment) -> Int {
        guard nanoseconds > earlier.nanoseconds else { return 0 }
        return min(Int(clamping: nanoseconds - earlier.nanoseconds), CacheDuration.max)
    }
}

/// Durations in nanoseconds, from 0 to 2³¹ s. Sums of four do not overflow.
enum CacheDuration {
    static let second = 1_000_000_000
    static let max = CacheControl.maxSeconds * second

    /// - Parameter seconds: A number from 0 to ``CacheControl/maxSeconds``.
    static func seconds(_ seconds: Int) -> Int { Swift.min(Swift.max(seconds, 0), CacheControl.maxSeconds) * second }
}
