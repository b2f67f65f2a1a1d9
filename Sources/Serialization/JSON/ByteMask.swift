internal import CVector

/// Which of sixteen bytes fulfil a condition.
struct ByteMask {
    // One bit a lane on x86-64, the lowest of four elsewhere; the first lane lowest.
    private static let laneBits = UInt64(CVECTOR_LANE_BITS)
    private static let width = laneBits * 16

    private var bits: UInt64

    static let none = ByteMask(bits: 0)
    @inline(__always) static var all: ByteMask { ByteMask(SIMDMask(repeating: true)) }

    @inline(__always) init(_ mask: SIMDMask<SIMD16<Int8>>) {
        // A mask is sixteen bytes of 0x00 or 0xFF.
        bits = cvector_bits(unsafe unsafeBitCast(mask, to: SIMD16<UInt8>.self))
    }

    private init(bits: UInt64) {
        self.bits = bits
    }

    @inline(__always) var isEmpty: Bool { bits == 0 }

    /// The index of the first lane; 16 where there is none.
    @inline(__always) var first: Int {
        // A bit beyond the last lane, where there is room for one; without one a word of zeros has 64 of them.
        let end: UInt64 = 1 << Self.width
        return (bits | end).trailingZeroBitCount / Int(Self.laneBits)
    }

    /// The index of the first lane, where there is one.
    @inline(__always) var firstLane: Int? {
        bits == 0 ? nil : bits.trailingZeroBitCount / Int(Self.laneBits)
    }

    /// All lanes but the first `count`, up to 15.
    @inline(__always) func dropping(_ count: Int) -> ByteMask {
        ByteMask(bits: bits & (~0 &<< (UInt64(truncatingIfNeeded: count) &* Self.laneBits)))
    }

    /// All lanes but the first of them. Its index need not be known for that.
    @inline(__always) func droppingFirst() -> ByteMask {
        ByteMask(bits: bits & (bits &- 1))
    }

    /// Whether `other` has all of these lanes.
    @inline(__always) func isSubset(of other: ByteMask) -> Bool {
        bits & ~other.bits == 0
    }

    @inline(__always) static prefix func ~ (mask: ByteMask) -> ByteMask {
        ByteMask(bits: mask.bits ^ cvector_bits(SIMD16(repeating: 0xFF)))
    }

    @inline(__always) static func | (one: ByteMask, other: ByteMask) -> ByteMask {
        ByteMask(bits: one.bits | other.bits)
    }
}
