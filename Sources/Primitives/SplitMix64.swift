/// The generator SplitMix64, whose period is 2⁶⁴. Its state increases by ``increment`` for each output.
package enum SplitMix64 {
    package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Returns the output for a state. Each bit of the output depends on every bit of the state.
    package static func mix(_ state: UInt64) -> UInt64 {
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
