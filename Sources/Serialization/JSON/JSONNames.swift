// Unescaped member names: hash and comparison of the text between two quotes.
//
// The kernel has checked these names: every escape is valid and the closing quote is present.

extension JSONSource {
    /// Returns a hash of 32 bits of the unescaped name. If two hashes are equal, the caller must compare the names.
    @inline(__always) func hash(of name: Range<Int>, hasEscapes: Bool, _ nameHash: NameHash) -> UInt32 {
        let end = name.upperBound
        let count = end &- name.lowerBound
        if hasEscapes || end < 8 || UInt(bitPattern: count &- 1) > 15 {
            return hashOfRareName(name, hasEscapes: hasEscapes, nameHash)
        }
        // A name shorter than eight bytes is in the highest bytes of the word that ends with it.
        let shift = UInt64(truncatingIfNeeded: max(0, 8 &- count) &* 8)
        let first = word(at: min(name.lowerBound, end &- 8)) &>> shift
        let last = word(at: end &- 8) &>> shift
        return nameHash.hash(first, last, count: count)
    }

    /// Returns the hash of a name that is empty, long, escaped, or at the start of the text.
    @inline(never) private func hashOfRareName(_ name: Range<Int>, hasEscapes: Bool, _ nameHash: NameHash) -> UInt32 {
        if hasEscapes {
            // The array outlives the call.
            return unsafe unescapedName(name).withUnsafeBufferPointer { bytes in
                unsafe JSONSource(bytes).hashOfRareName(0..<bytes.count, hasEscapes: false, nameHash)
            }
        }
        if name.count <= 8 {
            var word: UInt64 = 0
            for index in name.reversed() { word = word &<< 8 | UInt64(self[index]) }
            return nameHash.hash(word, word, count: name.count)
        }
        var mixed = nameHash
        var index = name.lowerBound
        while index &+ 16 < name.upperBound {
            mixed.combine(word(at: index))
            index &+= 8
        }
        let first = word(at: max(name.lowerBound, name.upperBound &- 16))
        return mixed.hash(first, word(at: name.upperBound &- 8), count: name.count)
    }

    /// Returns whether the unescaped name that starts at `start` is equal to `name`.
    func isName(at start: Int, equalTo name: Range<Int>) -> Bool {
        let other = withBytes(0..<count) { JSONStringToken(at: start &- 1, in: $0) }
        if other.range.count == name.count, zip(other.range, name).allSatisfy({ self[$0] == self[$1] }) { return true }
        let unescaped = unescapedName(name)
        // A name without escapes is its own value.
        guard other.hasEscapes else { return withBytes(other.range) { $0.equals(unescaped.span) } }
        return unescapedName(other.range) == unescaped
    }

    private func unescapedName(_ name: Range<Int>) -> [UInt8] { withBytes(name) { JSONString.unescape($0) } }
}

/// A hash of the multiply-and-fold family with a random seed per process, so that nobody can choose names that collide.
/// The seed affects only the order of names in a table, never the output.
struct NameHash {
    private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    private var first: UInt64
    private var last: UInt64

    init() { (first, last) = Self.seeds }

    mutating func combine(_ word: UInt64) { first = Self.fold(first ^ word, last) }

    @inline(__always) func hash(_ first: UInt64, _ last: UInt64, count: Int) -> UInt32 {
        let sum = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        let folded = Self.fold(first ^ self.first, (last &+ sum) ^ self.last)
        return UInt32(truncatingIfNeeded: folded ^ (folded &>> 32))
    }

    /// Returns the hash of a name without escapes.
    func hash(of name: Span<UInt8>) -> UInt32 {
        // The span outlives the call.
        unsafe name.withUnsafeBufferPointer { bytes in
            unsafe JSONSource(bytes).hash(of: 0..<bytes.count, hasEscapes: false, self)
        }
    }

    @inline(__always) private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}
