/// Sorts the members of an object by the UTF-16 code units of their unescaped names (RFC 8785 §3.2.3).
///
/// Members are the offsets of their names. Up to ``runMembers`` of them are sorted with one key each. More members are
/// merged from runs of that length, with memory for half of the members and without keys.
/// Members with equal names keep their order.
struct MemberSorter {
    private struct Key {
        /// The ranks of the first eight bytes of the name, the first one highest. Usually sufficient for a comparison.
        var prefix: UInt64
        var member: UInt32
    }

    private static let runMembers = 8192

    private var keys: [Key] = []

    /// - Parameter text: A minified value. The offsets are those of the opening quotes of the names.
    mutating func sort(_ members: inout [UInt32], _ range: Range<Int>, _ text: Span<UInt8>) {
        if range.count == 2 {
            let (first, second) = (members[range.lowerBound], members[range.lowerBound + 1])
            if Self.precedes(second, first, text) { members.swapAt(range.lowerBound, range.lowerBound + 1) }
            return
        }
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.runMembers) {
            sortRun(&members, start..<min(start + Self.runMembers, range.upperBound), text)
        }
        guard range.count > Self.runMembers else { return }
        var width = Self.runMembers
        var left: [UInt32] = []
        left.reserveCapacity(range.count / 2 + Self.runMembers)
        while width < range.count {
            for start in stride(from: range.lowerBound, to: range.upperBound - width, by: width * 2) {
                let end = min(start + width * 2, range.upperBound)
                Self.merge(&members, start, start + width, end, &left, text)
            }
            width *= 2
        }
    }

    private mutating func sortRun(_ members: inout [UInt32], _ range: Range<Int>, _ text: Span<UInt8>) {
        keys.removeAll(keepingCapacity: true)
        for index in range {
            var name = NameBytes(from: Int(members[index]) + 1)
            var prefix: UInt64 = 0
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                guard let byte = name.next(text) else { break }
                prefix |= UInt64(Self.rank(byte)) << shift
            }
            keys.append(Key(prefix: prefix, member: members[index]))
        }
        keys.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            return Self.precedes(left.member, right.member, text)
        }
        for (index, key) in zip(range, keys) { members[index] = key.member }
    }

    /// Merges two adjacent sorted runs.
    private static func merge(
        _ members: inout [UInt32],
        _ start: Int,
        _ middle: Int,
        _ end: Int,
        _ left: inout [UInt32],
        _ text: Span<UInt8>
    ) {
        left.removeAll(keepingCapacity: true)
        left.append(contentsOf: members[start..<middle])
        var output = start
        var index = 0
        var right = middle
        while index < left.count {
            if right < end, precedes(members[right], left[index], text) {
                members[output] = members[right]
                right += 1
            } else {
                members[output] = left[index]
                index += 1
            }
            output += 1
        }
    }

    /// Returns whether the name at `left` precedes the name at `right`.
    private static func precedes(_ left: UInt32, _ right: UInt32, _ text: Span<UInt8>) -> Bool {
        let equal = equalBytes(Int(left) + 1, Int(right) + 1, text)
        var first = NameBytes(from: Int(left) + 1 + equal)
        var second = NameBytes(from: Int(right) + 1 + equal)
        while true {
            guard let b = second.next(text) else { return false }
            guard let a = first.next(text) else { return true }
            if a != b { return rank(a) < rank(b) }
        }
    }

    /// Returns the number of bytes at the start of two names that are written identically. It ends before a lone high
    /// surrogate and before the end of the names.
    private static func equalBytes(_ left: Int, _ right: Int, _ text: Span<UInt8>) -> Int {
        var count = 0
        while true {
            let byte = text[left + count]
            guard byte == text[right + count], byte != UInt8(ascii: "\"") else { return count }
            guard byte == UInt8(ascii: "\\") else {
                count += 1
                continue
            }
            let escaped = text[left + count + 1]
            guard escaped == text[right + count + 1] else { return count }
            guard escaped == UInt8(ascii: "u") else {
                count += 2
                continue
            }
            var bytes = 6
            if let unit = text.jsonCodeUnit(at: left + count), UTF16.isLeadSurrogate(unit) {
                // Its meaning depends on the next escape.
                guard let next = text.jsonCodeUnit(at: left + count + 6), UTF16.isTrailSurrogate(next) else {
                    return count
                }
                bytes = 12
            }
            for index in count..<count + bytes where text[left + index] != text[right + index] { return count }
            count += bytes
        }
    }

    /// Returns a byte that sorts UTF-8 in the order of UTF-16. The two orders differ only for characters beyond U+FFFF,
    /// whose surrogates (D800 to DFFF) precede U+E000 to U+FFFF. Lead bytes from F0 are therefore less than EE and EF.
    private static func rank(_ byte: UInt8) -> UInt8 { byte >= 0xF0 ? byte - 2 : byte >= 0xEE ? byte + 8 : byte }

    /// An iterator over the bytes of an unescaped name.
    private struct NameBytes {
        private var offset: Int
        /// The remaining bytes of a character that was written as an escape, the next byte lowest.
        private var rest: UInt32 = 0

        /// - Parameter offset: The start of a character or an escape in the name, or its closing quote.
        init(from offset: Int) { self.offset = offset }

        @inline(__always) mutating func next(_ text: Span<UInt8>) -> UInt8? {
            if rest != 0 {
                let byte = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                return byte
            }
            let byte = text[offset]
            if byte == UInt8(ascii: "\"") { return nil }
            if byte == UInt8(ascii: "\\") { return unescape(text) }
            offset += 1
            return byte
        }

        private mutating func unescape(_ text: Span<UInt8>) -> UInt8 {
            var bytes: UInt32 = 0
            for byte in JSONString.scalar(ofEscapeAt: &offset, in: text).utf8.reversed() {
                bytes = bytes << 8 | UInt32(byte)
            }
            rest = bytes >> 8
            return UInt8(truncatingIfNeeded: bytes)
        }
    }
}
