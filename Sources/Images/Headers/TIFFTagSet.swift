internal import Serialization

/// The tags of the entries that were read in one directory of a TIFF: each value is read once, however many entries
/// have its tag.
struct TIFFTagSet {
    /// One bit per tag.
    private var bits = InlineArray<1_024, UInt64>(repeating: 0)

    /// Adds a tag, which has 16 bits.
    /// - Returns: Whether the set did not contain it.
    mutating func insert(_ tag: Int) -> Bool {
        let bit = UInt64(1) << (tag & 63)
        guard (bits[tag >> 6] & bit) == 0 else { return false }
        bits[tag >> 6] |= bit
        return true
    }
}
