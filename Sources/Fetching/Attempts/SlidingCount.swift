/// A count of events in the last ten seconds, in steps of a second: it contains the current second and the nine before
/// it.
///
/// Time is a parameter: nanoseconds of a clock that does not run backwards, since any point. An earlier time counts as
/// the latest one that was given.
struct SlidingCount: Equatable, Sendable {
    private static let seconds = 10

    private var counts = [Int](repeating: 0, count: seconds)
    private var latest: UInt64 = 0

    mutating func add(at now: UInt64) {
        advance(to: now)
        counts[Int(latest % UInt64(Self.seconds))] += 1
    }

    mutating func total(at now: UInt64) -> Int {
        advance(to: now)
        return counts.reduce(0, +)
    }

    mutating func reset() { counts = [Int](repeating: 0, count: Self.seconds) }

    private mutating func advance(to now: UInt64) {
        let second = now / 1_000_000_000
        guard second > latest else { return }
        let passed = min(second - latest, UInt64(Self.seconds))
        for step in 0..<passed { counts[Int((second - step) % UInt64(Self.seconds))] = 0 }
        latest = second
    }
}
