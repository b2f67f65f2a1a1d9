/// A set of members of one dictionary, identified by index, with one bit per member.
struct MemberSet: Sequence {
    private var words: [UInt64]

    /// - Parameter count: The number of members in the dictionary.
    init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    @inline(__always) func contains(_ index: Int) -> Bool { words[index >> 6] >> UInt64(index & 63) & 1 != 0 }

    mutating func insert(_ index: Int) { words[index >> 6] |= 1 << UInt64(index & 63) }

    /// Iterates over the indices in ascending order.
    func makeIterator() -> AnyIterator<Int> {
        var wordIndex = 0
        var word = words.first ?? 0
        return AnyIterator {
            while word == 0 {
                wordIndex += 1
                guard wordIndex < words.count else { return nil }
                word = words[wordIndex]
            }
            let index = (wordIndex << 6) + word.trailingZeroBitCount
            word &= word - 1
            return index
        }
    }
}
