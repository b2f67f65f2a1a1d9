/// Finds the known name that is most similar to a misspelled one.
enum NearestName {
    /// The longest text that is compared, in bytes.
    private static let maxBytes = 40

    /// Returns the nearest of `names`. At most a third of its letters are wrong, missing, superfluous or swapped with a
    /// neighbour, or it begins with `text`. `nil` if there is no such name.
    static func nearest(to text: String, in names: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8)
        guard 1...maxBytes ~= wanted.count else { return nil }
        var best: (name: String, distance: Int)?
        for name in names where name != text {
            let bytes = Array(name.utf8)
            guard bytes.count <= maxBytes else { continue }
            var distance = distance(wanted, bytes)
            if wanted.count >= 3, bytes.starts(with: wanted) { distance = min(distance, 1) }
            guard distance <= max(1, bytes.count / 3), distance < bytes.count, distance < best?.distance ?? .max else {
                continue
            }
            best = (name, distance)
        }
        return best?.name
    }

    /// Returns the optimal string alignment distance: the number of edits that turn one text into the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for i in 1...left.count {
            var row = [i]
            for j in 0..<right.count {
                let isSame = left[i - 1] == right[j]
                var least = min(row[j] + 1, rows[i - 1][j + 1] + 1, rows[i - 1][j] + (isSame ? 0 : 1))
                if i > 1, j > 0, left[i - 1] == right[j - 1], left[i - 2] == right[j] {
                    least = min(least, rows[i - 2][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
