/// Sorts the members of an object by the UTF-16 code units of their names as they read (RFC 8785 §3.2.3).
///
/// Members are the offsets of their names. Up to ``runMembers`` of them are sorted by a key each; more are merged from
/// runs of that many, with memory for half of the members and no keys. Members of equal names keep their order.
struct MemberSorter {
    private struct Key {
        /// The ranks of the name's first eight bytes, the first highest: mostly all that a comparison needs.
        var prefix: UInt64
        var member: UInt32
    }

    private static let runMembers = 8192

    private var keys: [Key] = []

    /// - Parameter text: a minified value, in which the offsets lead to the quotes that open the names.
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
            var name = NameBytes(at: members[index], text)
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

    /// Merges two sorted neighbours.
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

    /// Whether the name at `left` comes before the one at `right`.
    private static func precedes(_ left: UInt32, _ right: UInt32, _ text: Span<UInt8>) -> Bool {
        var first = NameBytes(at: left, text)
        var second = NameBytes(at: right, text)
        while true {
            guard let b = second.next(text) else { return false }
            guard let a = first.next(text) else { return true }
            if a != b { return rank(a) < rank(b) }
        }
    }

    /// UTF-8 bytes in the order of UTF-16: the two sort alike but for characters beyond U+FFFF, whose surrogates (D800 to
    /// DFFF) come before U+E000 to U+FFFF, so that lead bytes F0 and up count as less than EE and EF.
    private static func rank(_ byte: UInt8) -> UInt8 {
        byte >= 0xF0 ? byte - 2 : byte >= 0xEE ? byte + 8 : byte
    }

    /// The bytes of a name as it reads, one after the other.
    private struct NameBytes {
        private var position: Int
        /// The rest of a character that was written as an escape, the next byte lowest.
        private var rest: UInt32 = 0

        init(at member: UInt32, _ text: Span<UInt8>) {
            position = Int(member) + 1
        }

        @inline(__always) mutating func next(_ text: Span<UInt8>) -> UInt8? {
            if rest != 0 {
                let byte = UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                return byte
            }
            let byte = text[position]
            if byte == UInt8(ascii: "\"") { return nil }
            if byte == UInt8(ascii: "\\") { return unescape(text) }
            position += 1
            return byte
        }

        private mutating func unescape(_ text: Span<UInt8>) -> UInt8? {
            // An escape is as long as twelve bytes: a pair of surrogates.
            var end = position + 2
            if text[position + 1] == UInt8(ascii: "u") {
                end += 4
                if text[position + 2] | 0x20 == UInt8(ascii: "d"), end + 6 <= text.count,
                    text[end] == UInt8(ascii: "\\"), text[end + 1] == UInt8(ascii: "u"),
                    text[position + 3] >= UInt8(ascii: "8")
                {
                    end += 6
                }
            }
            let bytes = JSONString.unescape(text.extracting(position..<end))
            position = end
            for byte in bytes.dropFirst().reversed() { rest = rest << 8 | UInt32(byte) }
            return bytes[0]
        }
    }
}
