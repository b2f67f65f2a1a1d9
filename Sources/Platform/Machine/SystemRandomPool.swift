internal import Glibc

/// Random numbers of the kernel that cannot be guessed, of which 32 are read at a time. A system call for each number
/// takes longer than everything else that a request needs them for.
package struct SystemRandomPool: RandomNumberGenerator, Sendable {
    private struct State {
        var numbers = InlineArray<32, UInt64>(repeating: 0)
        var remaining = 0
    }

    private static let state = Monitor(State())

    package init() {}

    package mutating func next() -> UInt64 {
        Self.state.withLock { state in
            if state.remaining == 0 { Self.fill(&state) }
            state.remaining -= 1
            let number = state.numbers[state.remaining]
            // A number that was used cannot be read from memory later.
            state.numbers[state.remaining] = 0
            return number
        }
    }

    private static func fill(_ state: inout State) {
        state.remaining = state.numbers.count
        // getentropy(3) writes 256 bytes, and fails only without a source of randomness, without which nothing is safe.
        let result = unsafe withUnsafeMutableBytes(of: &state.numbers) { bytes in
            unsafe getentropy(bytes.baseAddress, bytes.count)
        }
        precondition(result == 0, "the kernel has no random numbers")
    }
}
