internal import Glibc
internal import Serialization

/// Makes request identifiers: 128 bits, written in hexadecimal.
///
/// A generator of its own for each connection, seeded by the system once, so that no identifier costs a system call and
/// no two connections share state. The identifiers are there to be told apart; they are no secrets.
struct RequestIDGenerator {
    private var state: (UInt64, UInt64)

    init() {
        var system = SystemRandomNumberGenerator()
        state = (system.next(), system.next())
    }

    /// The next identifier: 32 hexadecimal digits.
    mutating func next() -> String {
        let high = Self.mix(&state.0)
        let low = Self.mix(&state.1)
        // All 32 bytes are set, four bits each, from the most significant down.
        return unsafe String(unsafeUninitializedCapacity: 32) { digits in
            for index in 0..<16 {
                let shift = UInt64(60 - 4 * index)
                unsafe digits[index] = Self.digit(high >> shift)
                unsafe digits[index + 16] = Self.digit(low >> shift)
            }
            return 32
        }
    }

    /// SplitMix64: a full period over 64 bits, and each output bit depends on each state bit.
    private static func mix(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    private static func digit(_ bits: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 15)
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Whether a client's identifier is taken as it is: `[A-Za-z0-9_-]{1,128}`.
    static func accepts(_ candidate: Span<UInt8>) -> Bool {
        guard 1...128 ~= candidate.count else { return false }
        for index in candidate.indices {
            switch candidate[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default:
                return false
            }
        }
        return true
    }
}
