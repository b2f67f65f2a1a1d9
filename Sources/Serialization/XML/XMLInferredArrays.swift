/// Collects the paths of arrays that exist only because of repetition, each once, with limits on their number and
/// length.
struct XMLInferredArrays {
    /// The paths for ``XMLFacts/inferredArrays``.
    private(set) var paths: [String] = []

    /// The hashes of the listed paths and of the listed truncated paths.
    private var hashes: Set<UInt64> = []
    private var bytes = 0
    private let maxPathBytes: Int

    init(maxPathBytes: Int) { self.maxPathBytes = maxPathBytes }

    /// Returns the hash of a path with one more step.
    @inline(__always) static func hash(_ path: UInt64, _ key: Int) -> UInt64 {
        let mixed = (path ^ UInt64(key &+ 1)) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ (mixed &>> 29)
    }

    /// Lists a path. A path that is too long is truncated after a whole step and ends with `…`.
    /// - Parameters:
    ///   - path: The keys from the root.
    ///   - hash: The hash of all keys.
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
        // The complement, because a complete path of these steps is a different one.
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
