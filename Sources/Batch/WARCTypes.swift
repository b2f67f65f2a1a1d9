internal import Primitives

/// The numbers of skipped records by type. The number of different types is bounded, because a file may invent them.
struct WARCTypes: Sendable {
    /// The counts since the last block.
    private(set) var counts: [String: Int] = [:]
    private var names: Set<String> = []

    /// The maximum number of different names, and the maximum length of a name in bytes. Records of other types are
    /// counted as `other`.
    private static let (maxNames, maxNameBytes) = (64, 40)

    mutating func count(_ type: String) { counts[names.contains(type) || add(type) ? type : "other", default: 0] += 1 }

    mutating func takeCounts() -> [String: Int] {
        defer { counts = [:] }
        return counts
    }

    /// - Returns: whether the type is counted by its name.
    private mutating func add(_ type: String) -> Bool {
        let isName = type.utf8.allSatisfy { $0.isTokenCharacter || $0 == UInt8(ascii: " ") }
        guard isName, 1...Self.maxNameBytes ~= type.utf8.count, names.count < Self.maxNames else { return false }
        names.insert(type)
        return true
    }
}
