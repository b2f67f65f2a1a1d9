/// A source of random numbers (SplitMix64): the same seed gives the same numbers on every machine.
package struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Returns `true` once in `count` times, on average.
    package mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    package mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &self)
    }
}
