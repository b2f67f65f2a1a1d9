/// The offsets at which a stream is cut into the pieces that a reader receives.
package struct StreamCuts: Equatable {
    /// The offsets where a piece begins, the first one excepted, in ascending order without duplicates.
    package var offsets: [Int]

    package init(_ offsets: [Int]) {
        self.offsets = offsets
    }

    /// One piece.
    package static let none = StreamCuts([])

    /// Every byte is a piece of its own.
    package static func everywhere(in count: Int) -> StreamCuts {
        StreamCuts(Array(1..<max(1, count)))
    }

    /// Random pieces: few or many, of similar or very different lengths, sometimes around line ends.
    package static func random(in bytes: [UInt8], _ random: inout RandomSource) -> StreamCuts {
        guard bytes.count > 1 else { return .none }
        var offsets: Set<Int> = []
        switch random.below(4) {
        case 0:
            let offset = 1 + random.below(bytes.count - 1)
            offsets = [offset]
        case 1:
            for _ in 0..<1 + random.below(20) { offsets.insert(1 + random.below(bytes.count - 1)) }
        case 2:
            let maxBytes = random.pick([10, 100, 1_460, 5_000])
            // Not everywhere: the head that is incomplete is presented again with every piece.
            var offset = 1 + random.below(random.oneIn(2) ? maxBytes : bytes.count - 1)
            while offset < bytes.count, offsets.count < 300 {
                offsets.insert(offset)
                offset += 1 + random.below(maxBytes)
            }
        default:
            for (index, byte) in bytes.prefix(20_000).enumerated() where byte == 10 && random.oneIn(3) {
                offsets.insert(index + random.below(3) - 1)
            }
        }
        return StreamCuts(offsets.filter { $0 > 0 && $0 < bytes.count }.sorted())
    }

    /// The pieces of `bytes`, in order.
    package func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        zip([0] + offsets, offsets + [bytes.count]).map { bytes[$0..<$1] }
    }
}
