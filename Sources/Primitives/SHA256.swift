/// SHA-256 (FIPS 180-4 §6.2), computed incrementally.
///
///     var hash = SHA256()
///     hash.update(content)
///     let digest = hash.finalize()
package struct SHA256: Sendable {
    private static let blockBytes = 64

    private var state: SIMD8<UInt32> = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// The start of an incomplete block.
    private var pending: [UInt8] = []
    private var byteCount: UInt64 = 0

    package init() { pending.reserveCapacity(Self.blockBytes) }

    private init(withoutMemory: Void) {}

    /// Returns the eight words of the digest of `content`, without allocating memory.
    package static func state(of content: Span<UInt8>) -> SIMD8<UInt32> {
        var hash = SHA256(withoutMemory: ())
        let whole = content.count / blockBytes
        if whole > 0 { hash.compress(content, from: 0, blocks: whole) }
        // FIPS 180-4 §5.1.1: a one bit, zeros up to the last eight bytes of a block, the length in bits.
        var last = InlineArray<128, UInt8>(repeating: 0)
        let start = whole * blockBytes
        let count = content.count - start
        for index in 0..<count { last[index] = content[start + index] }
        last[count] = 0x80
        let blocks = count + 9 <= blockBytes ? 1 : 2
        let bits = UInt64(content.count) &* 8
        for index in 0..<8 {
            last[blocks * blockBytes - 8 + index] = UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64(index)))
        }
        hash.compress(last.span, from: 0, blocks: blocks)
        return hash.state
    }

    /// Returns the digest of `content`.
    package static func digest(of content: Span<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(content)
        return hash.finalize()
    }

    package mutating func update(_ content: Span<UInt8>) {
        byteCount &+= UInt64(content.count)
        var offset = 0
        if !pending.isEmpty {
            while offset < content.count, pending.count < Self.blockBytes {
                pending.append(content[offset])
                offset += 1
            }
            if pending.count == Self.blockBytes {
                let block = pending
                compress(block.span, from: 0, blocks: 1)
                pending.removeAll(keepingCapacity: true)
            }
        }
        let blocks = (content.count - offset) / Self.blockBytes
        if blocks > 0 {
            compress(content, from: offset, blocks: blocks)
            offset += blocks * Self.blockBytes
        }
        while offset < content.count {
            pending.append(content[offset])
            offset += 1
        }
    }

    /// Returns the digest of all content so far, and consumes the hash.
    package consuming func finalize() -> [UInt8] {
        // FIPS 180-4 §5.1.1: a one bit, zeros up to the last eight bytes of a block, the length in bits.
        let bits = byteCount &* 8
        var padding: [UInt8] = [0x80]
        while (pending.count + padding.count) % Self.blockBytes != Self.blockBytes - 8 { padding.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) { padding.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        update(padding.span)
        return (0..<8).flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: state[word] >> (24 - 8 * UInt32($0))) }
        }
    }

    private mutating func compress(_ content: Span<UInt8>, from first: Int, blocks: Int) {
        precondition(first >= 0 && first + blocks * Self.blockBytes <= content.count, "the blocks are in the content")
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        let constants = Self.constants
        for block in 0..<blocks {
            let start = first + block * Self.blockBytes
            var words = InlineArray<64, UInt32>(repeating: 0)
            for index in 0..<16 {
                // All blocks are in the content, and a word needs no alignment.
                let word = unsafe content.bytes.unsafeLoadUnaligned(
                    fromUncheckedByteOffset: start + index * 4,
                    as: UInt32.self
                )
                words[index] = UInt32(bigEndian: word)
            }
            for index in 16..<64 {
                let (near, far) = (words[index &- 2], words[index &- 15])
                let sigma1 = rotate(near, 17) ^ rotate(near, 19) ^ near &>> 10
                let sigma0 = rotate(far, 7) ^ rotate(far, 18) ^ far &>> 3
                words[index] = sigma1 &+ words[index &- 7] &+ sigma0 &+ words[index &- 16]
            }
            // After eight rounds, every variable has its own name again.
            for index in stride(from: 0, to: 64, by: 8) {
                round(a, b, c, &d, e, f, g, &h, constants[index] &+ words[index])
                round(h, a, b, &c, d, e, f, &g, constants[index &+ 1] &+ words[index &+ 1])
                round(g, h, a, &b, c, d, e, &f, constants[index &+ 2] &+ words[index &+ 2])
                round(f, g, h, &a, b, c, d, &e, constants[index &+ 3] &+ words[index &+ 3])
                round(e, f, g, &h, a, b, c, &d, constants[index &+ 4] &+ words[index &+ 4])
                round(d, e, f, &g, h, a, b, &c, constants[index &+ 5] &+ words[index &+ 5])
                round(c, d, e, &f, g, h, a, &b, constants[index &+ 6] &+ words[index &+ 6])
                round(b, c, d, &e, f, g, h, &a, constants[index &+ 7] &+ words[index &+ 7])
            }
            state = state &+ SIMD8(lowHalf: SIMD4(a, b, c, d), highHalf: SIMD4(e, f, g, h))
            (a, b, c, d) = (state[0], state[1], state[2], state[3])
            (e, f, g, h) = (state[4], state[5], state[6], state[7])
        }
    }

    /// Computes one round. The results replace `d` and `h`, which are `e` and `a` in the next round.
    @inline(__always)
    private func round(
        _ a: UInt32,
        _ b: UInt32,
        _ c: UInt32,
        _ d: inout UInt32,
        _ e: UInt32,
        _ f: UInt32,
        _ g: UInt32,
        _ h: inout UInt32,
        _ word: UInt32
    ) {
        let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
        let t1 = h &+ sum1 &+ (g ^ (e & (f ^ g))) &+ word
        let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
        d = d &+ t1
        h = t1 &+ sum0 &+ ((a & b) | (c & (a | b)))
    }

    @inline(__always)
    private func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 { word &>> bits | word &<< (32 &- bits) }

    /// The constants of FIPS 180-4 §4.2.2.
    private static let constants: InlineArray<64, UInt32> = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension SIMD4<UInt64> {
    /// The SHA-256 of `content`, as four words.
    package init(sha256Of content: Span<UInt8>) {
        let state = SHA256.state(of: content)
        self.init(
            UInt64(state[0]) << 32 | UInt64(state[1]),
            UInt64(state[2]) << 32 | UInt64(state[3]),
            UInt64(state[4]) << 32 | UInt64(state[5]),
            UInt64(state[6]) << 32 | UInt64(state[7])
        )
    }
}
