/// The buckets of all histograms of durations.
///
/// The upper bounds are a 1–2.5–5 series from 10 µs, the time for a small request, to 10 s, then 30 s and 60 s. They
/// are inclusive: 10 µs belongs to the first bucket, 10.001 µs to the second, and more than 60 s to the last one, which
/// has no bound.
enum DurationBuckets {
    /// The upper bounds, in nanoseconds, inclusive.
    static let bounds: [UInt64] = [
        10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000,
        1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000, 60_000_000_000,
    ]

    /// The number of buckets, including the one without a bound.
    static let count = 22

    /// Returns the index of the bucket of a duration.
    ///
    /// The search is linear and begins with the shortest durations, because most requests take less than 100 µs. For
    /// longer requests the additional comparisons are negligible.
    @inline(__always) static func index(ofNanoseconds nanoseconds: UInt64) -> Int {
        let bounds = bounds
        var index = 0
        while index < bounds.count, nanoseconds > bounds[index] { index += 1 }
        return index
    }
}
