// Maps offsets in a changed copy to the text from which it was created.
//
// A text may need a change at every byte, so a change is stored compactly: its distance from the previous one, in the
// copy and in the source, as two variable-length numbers (LEB128), almost always one byte each. Landmarks at regular
// intervals contain absolute numbers, so that a look-up is a binary search and a short scan.
//
//     source   {a:'b'}        edits, as they are added      (2, 1) (4, 2) (8, 6)
//     copy     {"a":"b"}      as they are stored            2 1    2 1    4 4

/// Ascending pairs of offsets: from each one, the copy follows the source.
struct JSONSourceMap {
    private struct Landmark {
        /// The offsets of the last edit before it.
        var copy: UInt32 = 0
        var source: UInt32 = 0
        /// The offset of the next edit in storage.
        var start: UInt32 = 0
    }

    private static let editsOfLandmark = 64

    /// The maximum length of a distance: offsets have 32 bits.
    private static let maxStepBytes = 5

    private var steps: [UInt8] = []
    private var landmarks = [Landmark()]
    private var last = (copy: 0, source: 0)
    private var editsSinceLandmark = 0

    /// Records that the copy from `copy` follows the source from `source`. Neither offset may decrease.
    mutating func append(copy: Int, source: Int) {
        // It follows already.
        guard copy - last.copy != source - last.source else { return }
        if editsSinceLandmark == Self.editsOfLandmark {
            landmarks.append(
                Landmark(
                    copy: UInt32(truncatingIfNeeded: last.copy),
                    source: UInt32(truncatingIfNeeded: last.source),
                    start: UInt32(truncatingIfNeeded: steps.count)
                )
            )
            editsSinceLandmark = 0
        }
        appendStep(copy - last.copy)
        appendStep(source - last.source)
        last = (copy, source)
        editsSinceLandmark += 1
    }

    /// Takes memory for one more edit.
    /// - Returns: `false` if there is none.
    mutating func takeMemoryForEdit(from budget: inout MemoryBudget) -> Bool {
        budget.reserve(&steps, 2 * Self.maxStepBytes) && budget.reserve(&landmarks, 1)
    }

    private mutating func appendStep(_ distance: Int) {
        var rest = distance
        while rest > 0x7F {
            steps.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        steps.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Returns the offset in the source for `offset` in the copy. Inserted text is mapped to the next edit.
    func origin(of offset: Int) -> Int {
        let landmark = landmarks[max(0, landmarks.indices.partitioningIndex { landmarks[$0].copy > offset } - 1)]
        var copy = Int(landmark.copy)
        var source = Int(landmark.source)
        var index = Int(landmark.start)
        while index < steps.count {
            let nextCopy = copy + step(&index)
            let nextSource = source + step(&index)
            if nextCopy > offset { return min(source + (offset - copy), nextSource) }
            (copy, source) = (nextCopy, nextSource)
        }
        return source + (offset - copy)
    }

    private func step(_ index: inout Int) -> Int {
        var distance = 0
        var shift = 0
        while true {
            let byte = steps[index]
            index += 1
            distance |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return distance }
            shift += 7
        }
    }
}
