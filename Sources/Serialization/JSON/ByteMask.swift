internal import CVector

/// A selection of the bytes of a 16-byte vector.
struct ByteMask {
    // One bit per lane on x86-64, the lowest of four bits elsewhere; the first lane is the lowest.
    private static let laneBits = UInt64(CVECTOR_LANE_BITS)
    private static let width = laneBits * 16

    private var bits: UInt64

    static let none = ByteMask(bits: 0)
    @inline(__always) static var all: ByteMask { ByteMask(SIMDMask(repeating: true)) }

    @inline(__always) init(_ mask: SIMDMask<SIMD16<Int8>>) {
        // A mask consists of sixteen bytes of 0x00 or 0xFF.
        bits = cvector_bits(unsafe unsafeBitCast(mask, to: SIMD16<UInt8>.self))
    }

    private init(bits: UInt64) { self.bits = bits }

    @inline(__always) var isEmpty: Bool { bits == 0 }

    /// The index of the first lane, or 16 if there is none.
    @inline(__always) var first: Int {
        // A bit beyond the last lane, if there is one; if not, a word of zeros has 64 trailing zeros.
        let end: UInt64 = 1 << Self.width
        return (bits | end).trailingZeroBitCount / Int(Self.laneBits)
    }

    /// The index of the first lane, or `nil` if there is none.
    @inline(__always) var firstLane: Int? { bits == 0 ? nil : bits.trailingZeroBitCount / Int(Self.laneBits) }

    /// The lanes as a word with one bit for each; the first lane is the lowest.
    @inline(__always) var word: UInt64 {
        guard Self.laneBits > 1 else { return bits }
        // The gaps between the bits are closed.
        var word = bits
        word = (word | word &>> 3) & 0x0303_0303_0303_0303
        word = (word | word &>> 6) & 0x000F_000F_000F_000F
        word = (word | word &>> 12) & 0x0000_00FF_0000_00FF
        return (word | word &>> 24) & 0xFFFF
    }

    /// Returns all lanes except the first `count`, which is at most 15.
    @inline(__always) func dropping(_ count: Int) -> ByteMask {
        ByteMask(bits: bits & (~0 &<< (UInt64(truncatingIfNeeded: count) &* Self.laneBits)))
    }

    /// Returns all lanes of the mask except the first one. Its index need not be known.
    @inline(__always) func droppingFirst() -> ByteMask { ByteMask(bits: bits & (bits &- 1)) }

    /// Returns whether `other` contains all of these lanes.
    @inline(__always) func isSubset(of other: ByteMask) -> Bool { bits & ~other.bits == 0 }

    @inline(__always) static prefix func ~ (mask: ByteMask) -> ByteMask {
        ByteMask(bits: mask.bits ^ cvector_bits(SIMD16(repeating: 0xFF)))
    }

    @inline(__always) static func | (one: ByteMask, other: ByteMask) -> ByteMask {
        ByteMask(bits: one.bits | other.bits)
    }
}

extension Span<UInt8> {
    /// An upper bound of the number of instructions that reading JSON takes without errors and warnings
    /// (`Benchmarks/README.md`).
    ///
    /// A member costs the most if its name occurs in many spellings, because names with escapes are compared as they
    /// are written.
    var jsonInstructions: Int {
        // The span contains `count` bytes.
        let counts = unsafe withUnsafeBufferPointer { unsafe cvector_count_json($0.baseAddress, $0.count) }
        return count * 4 + counts.structure * 37 + counts.colons * 440 + counts.backslashes * 4_000
    }
}
