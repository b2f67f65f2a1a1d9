internal import Primitives

/// The generator of delays between attempts.
struct FlightRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= SplitMix64.increment
        return SplitMix64.mix(state)
    }
}
