/// Collects the paths of arrays that only repetition made, each once: few, and none of them long.
struct XMLInferredArrays {
    /// As ``XMLFacts/inferredArrays`` lists them.
    private(set) var paths: [String] = []

    /// Of the paths that are listed, and of the beginnings that are.
    private var hashes: Set<UInt64> = []
    private var bytes = 0
    private let maxPathBytes: Int

    init(maxPathBytes: Int) {
        self.maxPathBytes = maxPathBytes
    }

    /// Of the path that has one step more.
    @inline(__always) static func hash(_ path: UInt64, _ key: Int) -> UInt64 {
        let mixed = (path ^ UInt64(key &+ 1)) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ (mixed &>> 29)
    }

    /// Lists a path, or of one that is too long its beginning: whole steps, and `…` after the last.
    /// - Parameters:
    ///   - path: the keys from the root on.
    ///   - hash: of all of them.
    mutating func add(_ path: Span<Int>, hash: UInt64, _ keys: XMLKeys) {
        guard paths.count < XMLFacts.maxListed, bytes < XMLFacts.maxInferredBytes, !hashes.contains(hash) else {
            return
        }
        var steps = 0
        var pathBytes = 0
        var beginning: UInt64 = 0
        while steps < path.count {
            let next = pathBytes + 1 + keys.text(path[steps]).utf8.count
            if next > maxPathBytes { break }
            pathBytes = next
            beginning = Self.hash(beginning, path[steps])
            steps += 1
        }
        let isWhole = steps == path.count
        // The complement, since a path of these steps alone is another one.
        guard hashes.insert(isWhole ? hash : ~beginning).inserted else { return }
        var text = ""
        for step in 0..<steps { text += "/" + keys.text(path[step]) }
        if !isWhole { text += "/…" }
        guard bytes + text.utf8.count <= XMLFacts.maxInferredBytes else {
            bytes = XMLFacts.maxInferredBytes
            return
        }
        bytes += text.utf8.count
        paths.append(text)
    }
}
