internal import Serialization

/// The cost that the metadata of one image may still have.
///
/// A reader takes the cost of each step before the step, whether it then succeeds or not. Metadata that the budget does
/// not cover is omitted. An image whose parts it does not cover is rejected.
///
/// **Invariant.** What is left never becomes negative, and never grows, except by what a prefix did not need. The facts
/// of every format take a step before each part that they visit, so that they end even if they do not advance in the
/// content; the text of SVG is read byte by byte, and only forward. `HeaderBudgetTests` and `ImageCostTests` check this
/// for each format.
package struct HeaderBudget {
    package enum Cost: Int, CaseIterable, Sendable {
        /// Parts of the image that are visited, also those that are skipped: chunks, segments, blocks, boxes,
        /// directories and their entries, words. Each has at least one byte.
        case steps
        /// Bytes of decompressed texts and profiles.
        case inflatedBytes
        /// Bytes that are copied because they are not contiguous in the content.
        case copiedBytes
        /// Bytes whose checksums are computed although the picture does not depend on them.
        case checkedBytes
        /// Texts and comments.
        case texts
        /// Bytes of the texts in EXIF, which can share bytes.
        case textBytes
        /// Entries of the directories of EXIF.
        case entries
        /// Broken parts that are listed; the others are counted.
        case flaws
    }

    /// The remaining amount of each cost.
    private var rest: InlineArray<8, Int>

    /// Whether a reader did not get a step, and therefore ended early.
    private(set) var isOutOfSteps = false

    package init(_ content: Span<UInt8>) {
        rest = InlineArray { index in
            // There is an element for each cost.
            Cost(rawValue: index).map { Self.limit($0, contentBytes: content.count) } ?? 0
        }
    }

    /// Returns the maximum of a cost for content of this length.
    static func limit(_ cost: Cost, contentBytes: Int) -> Int {
        switch cost {
        // A reader that visits each part once takes less: only one that goes in circles takes more.
        case .steps: return contentBytes + 1
        case .inflatedBytes:
            // Eight times the length of short content, and as many bytes as longer content has.
            let short = min(max(8 * contentBytes, 64 << 10), 256 << 10)
            return min(max(contentBytes, short), 1 << 20)
        case .copiedBytes: return 1 << 20
        case .checkedBytes: return 64 << 10
        case .texts: return 1_000
        case .textBytes: return min(max(contentBytes, limit(.inflatedBytes, contentBytes: contentBytes)), 4 << 20)
        case .entries: return 2_560
        case .flaws: return 16
        }
    }

    /// The amount that may still be taken.
    func rest(of cost: Cost) -> Int { rest[cost.rawValue] }

    /// Takes an amount, or all that is left if it is less.
    /// - Returns: Whether the amount was left.
    mutating func take(_ amount: Int = 1, of cost: Cost) -> Bool {
        let left = rest[cost.rawValue]
        rest[cost.rawValue] = max(0, left - amount)
        return amount <= left
    }

    /// Takes a step.
    /// - Returns: Whether one was left. If none was, ``ImageHeader`` rejects the image.
    mutating func step() -> Bool {
        isOutOfSteps = isOutOfSteps || !take(of: .steps)
        return !isOutOfSteps
    }

    /// Lowers what is left to `amount`.
    mutating func limit(_ cost: Cost, to amount: Int) { rest[cost.rawValue] = min(rest[cost.rawValue], amount) }

    /// Decompresses a complete zlib stream.
    /// - Returns: `nil` if it is malformed, or longer than the budget allows.
    mutating func inflate(_ stream: Span<UInt8>) -> [UInt8]? {
        let index = Cost.inflatedBytes.rawValue
        return rest[index] > 0 ? ZlibStream.content(of: stream, within: &rest[index]) : nil
    }

    /// Decompresses the first `prefix` bytes of a zlib stream, or fewer if its content is shorter.
    /// - Returns: `nil` if it is malformed before that, or if the budget does not allow so many bytes.
    mutating func inflate(_ stream: Span<UInt8>, prefix: Int) -> [UInt8]? {
        guard prefix <= rest(of: .inflatedBytes), take(prefix, of: .inflatedBytes),
            let content = ZlibStream.content(of: stream, prefix: prefix)
        else { return nil }
        rest[Cost.inflatedBytes.rawValue] += prefix - content.count
        return content
    }
}
