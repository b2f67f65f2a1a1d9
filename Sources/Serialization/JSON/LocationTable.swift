/// The locations of several offsets in a text, which may be in any order.
struct LocationTable {
    private let offsets: [Int]
    private let locations: [SourceLocation]

    /// - Parameter contentOffsets: returns the offsets in the content for ascending offsets in `text`.
    init(of offsets: [Int], in text: Span<UInt8>, _ contentOffsets: ([Int]) -> [Int]) {
        let offsets = Set(offsets).sorted()
        self.offsets = offsets
        locations = zip(text.locate(offsets), contentOffsets(offsets)).map { location, byte in
            var location = location
            location.byte = byte
            return location
        }
    }

    /// The line and column of an offset of the table, its offset in the content, and the value that contains it.
    subscript(offset: Int, pointer: String?, record: Int? = nil) -> SourceLocation {
        var location = self[offset]
        location.pointer = pointer
        location.record = record
        return location
    }

    /// The line and column of an offset of the table, and its offset in the content.
    subscript(offset: Int) -> SourceLocation {
        // There may be as many offsets as warnings, twice.
        locations[max(0, offsets.indices.partitioningIndex { offsets[$0] > offset } - 1)]
    }
}
