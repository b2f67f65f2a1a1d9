/// The children of an element by their meaning, each list in the order of the document.
struct FeedChildren {
    fileprivate struct Entry {
        var element: Int
        var term: FeedTerm
        /// The position of the next entry with the same meaning; -1 if there is none.
        var next: Int
    }

    private var entries: [Entry] = []
    /// The positions of the first and the last entry of each term; -1 if there is none.
    private var firsts = Array(repeating: -1, count: FeedTerm.allCases.count)
    private var lasts = Array(repeating: -1, count: FeedTerm.allCases.count)

    /// The modules to which any of the elements belongs.
    private(set) var modules: FeedModules = []

    mutating func removeAll() {
        modules = []
        // Most elements have few children, of a few meanings.
        for entry in entries { firsts[Int(entry.term.rawValue)] = -1 }
        entries.removeAll(keepingCapacity: true)
    }

    /// - Returns: `false` if there is no memory.
    mutating func append(_ element: Int, _ term: FeedTerm, _ memory: inout MemoryBudget) -> Bool {
        guard memory.reserve(&entries, 1) else { return false }
        let index = Int(term.rawValue)
        if firsts[index] < 0 {
            firsts[index] = entries.count
        } else {
            entries[lasts[index]].next = entries.count
        }
        lasts[index] = entries.count
        modules.formUnion(term.module)
        entries.append(Entry(element: element, term: term, next: -1))
        return true
    }

    func contains(_ term: FeedTerm) -> Bool { firsts[Int(term.rawValue)] >= 0 }

    /// The elements with one meaning.
    func all(_ term: FeedTerm) -> Elements { Elements(entries: entries, index: firsts[Int(term.rawValue)]) }

    struct Elements: Sequence, IteratorProtocol {
        fileprivate let entries: [Entry]
        fileprivate var index: Int

        mutating func next() -> Int? {
            guard index >= 0 else { return nil }
            defer { index = entries[index].next }
            return entries[index].element
        }
    }
}
