/// Finds the known name that is most similar to a misspelled one.
enum NearestName {
    /// The longest text that is compared, in bytes.
    private static let maxBytes = 40

    /// Returns the nearest of `names`. At most a third of its letters are wrong, missing, superfluous or swapped with a
    /// neighbour, or it begins with `text`. `nil` if there is no such name.
    static func nearest(to text: String, in names: [String]) -> String? {
        guard text.utf8.count <= maxBytes else { return nil }
        let wanted = Array(text.lowercased().utf8)
        guard 1...maxBytes ~= wanted.count else { return nil }
        var rows = Rows()
        var best: (name: String, distance: Int)?
        for name in names where name != text {
            let bytes = Array(name.utf8)
            guard bytes.count <= maxBytes else { continue }
            let most = min(max(1, bytes.count / 3), bytes.count - 1, (best?.distance ?? .max) - 1)
            let distance: Int? =
                if wanted.count >= 3, bytes.starts(with: wanted) {
                    min(1, bytes.count - wanted.count)
                } else {
                    rows.distance(wanted, bytes, atMost: most)
                }
            if let distance, distance <= most { best = (name, distance) }
        }
        return best?.name
    }

    /// The last three rows of the table of distances between the beginnings of two texts. They are allocated once for
    /// all comparisons.
    private struct Rows {
        private var current = [Int](repeating: 0, count: maxBytes + 1)
        private var previous = [Int](repeating: 0, count: maxBytes + 1)
        private var beforePrevious = [Int](repeating: 0, count: maxBytes + 1)

        /// Returns the optimal string alignment distance: the number of edits that turn one text into the other.
        /// - Returns: `nil` if it is above `most`.
        mutating func distance(_ left: [UInt8], _ right: [UInt8], atMost most: Int) -> Int? {
            // Each superfluous or missing letter is an edit.
            guard abs(left.count - right.count) <= most else { return nil }
            for j in 0...right.count { current[j] = j }
            var previousLeast = 0
            for i in 1...left.count {
                swap(&beforePrevious, &previous)
                swap(&previous, &current)
                current[0] = i
                var least = i
                for j in 0..<right.count {
                    let isSame = left[i - 1] == right[j]
                    var edits = min(current[j] + 1, previous[j + 1] + 1, previous[j] + (isSame ? 0 : 1))
                    if i > 1, j > 0, left[i - 1] == right[j - 1], left[i - 2] == right[j] {
                        edits = min(edits, beforePrevious[j - 1] + 1)
                    }
                    current[j + 1] = edits
                    least = min(least, edits)
                }
                // The distances of a row are derived from the two rows before it, and never decrease.
                guard min(least, previousLeast) <= most else { return nil }
                previousLeast = least
            }
            return current[right.count] <= most ? current[right.count] : nil
        }
    }
}
