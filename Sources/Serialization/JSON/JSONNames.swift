// Member names as they read: fingerprint, hash and comparison of the text between two quotes, escapes undone.
//
// Called on names that the kernel has checked: every escape is valid and the closing quote is there.

extension JSONSource {
    /// Thirty-two bits made of a name's first eight bytes, its last eight and its length. Cheap, and easy to collide:
    /// whoever finds two equal must compare the names.
    @inline(__always) func fingerprint(of name: Range<Int>, hasEscapes: Bool) -> UInt32 {
        let end = name.upperBound
        let count = end &- name.lowerBound
        if hasEscapes || end < 8 || count == 0 { return fingerprintOfRareName(name) }
        // A name shorter than eight bytes stands in the highest bytes of the word that ends with it.
        let shift = UInt64(truncatingIfNeeded: max(0, 8 &- count) &* 8)
        let first = word(at: min(name.lowerBound, end &- 8)) &>> shift
        let last = word(at: end &- 8) &>> shift
        return NameHash.fingerprint(first: first, last: last, count: count)
    }

    @inline(never) private func fingerprintOfRareName(_ name: Range<Int>) -> UInt32 {
        let bytes = unescapedName(name)
        func word(_ range: Range<Int>) -> UInt64 {
            bytes[range].reversed().reduce(0) { $0 &<< 8 | UInt64($1) }
        }
        let last = word(max(0, bytes.count - 8)..<bytes.count)
        let first = bytes.count > 8 ? word(0..<8) : last
        return NameHash.fingerprint(first: first, last: last, count: bytes.count)
    }

    /// Thirty-two bits of the whole name, seeded.
    func hash(of name: Range<Int>, hasEscapes: Bool) -> UInt32 {
        hasEscapes ? NameHash.hash(unescapedName(name).span) : withBytes(name) { NameHash.hash($0) }
    }

    func hash(ofNameAt start: Int) -> UInt32 {
        let (name, hasEscapes) = rangeOfName(at: start)
        return hash(of: name, hasEscapes: hasEscapes)
    }

    /// Whether the name that starts at `start` reads as `name` does.
    func isName(at start: Int, equalTo name: Range<Int>) -> Bool {
        let (other, _) = rangeOfName(at: start)
        if other.count == name.count, zip(other, name).allSatisfy({ self[$0] == self[$1] }) { return true }
        return unescapedName(other) == unescapedName(name)
    }

    /// The bytes from `start` to the quote that closes them.
    func rangeOfName(at start: Int) -> (range: Range<Int>, hasEscapes: Bool) {
        var end = start
        var hasEscapes = false
        while self[end] != UInt8(ascii: "\"") {
            if self[end] == UInt8(ascii: "\\") {
                hasEscapes = true
                end &+= 1
            }
            end &+= 1
        }
        return (start..<end, hasEscapes)
    }

    private func unescapedName(_ name: Range<Int>) -> [UInt8] {
        withBytes(name) { JSONString.unescape($0) }
    }
}

/// A hash of the multiply-and-fold family, seeded at random once a process. The seed moves names between the slots of a
/// table and is seen nowhere in the output.
enum NameHash {
    private static let seed = UInt64.random(in: .min ... .max)
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    static func hash(_ name: Span<UInt8>) -> UInt32 {
        // UInt8 has no padding and no invalid bit pattern.
        let bytes = unsafe name.bytes
        var state = seed ^ UInt64(truncatingIfNeeded: name.count)
        var index = 0
        while index &+ 8 <= name.count {
            // The loop's own condition keeps the load inside the span.
            let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            state = fold(state ^ word)
            index &+= 8
        }
        var rest: UInt64 = 0
        while index < name.count {
            rest = rest &<< 8 | UInt64(name[index])
            index &+= 1
        }
        return UInt32(truncatingIfNeeded: fold(state ^ rest) &>> 32)
    }

    private static func fold(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }

    @inline(__always) static func fingerprint(first: UInt64, last: UInt64, count: Int) -> UInt32 {
        let mixed = (first &* factor) ^ ((last &+ UInt64(truncatingIfNeeded: count)) &* 0xD6E8_FEB8_6659_FD93)
        return UInt32(truncatingIfNeeded: mixed &>> 32)
    }
}
