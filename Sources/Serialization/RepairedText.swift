/// A copy of a text that deviates from its format, in which what deviates is replaced, with the repairs and the mapping
/// of offsets to the source.
///
/// Its memory is taken before it grows. Without memory it ends early, and nothing is read from it.
struct RepairedText: ~Copyable {
    struct Note: Equatable {
        var kind: Warning.Kind
        /// The offsets in the copy and in the source.
        var copy: Int
        var source: Int
    }

    private(set) var bytes: [UInt8] = []
    /// The first notes; the others are only counted.
    private(set) var notes: [Note] = []
    private(set) var unlistedNotes = 0
    /// The leniencies that the text needs.
    private(set) var used: Leniencies = []
    private(set) var isOutOfMemory = false
    private var map = JSONSourceMap()
    private var budget: MemoryBudget
    private let maxNotes: Int
    private let sourceBytes: Int

    /// Offsets of the readers have 31 bits.
    private static let maxBytes = JSONLevels.maxSourceBytes

    /// - Parameter text: The source.
    init(of text: Span<UInt8>, maxNotes: Int, memory: any MemoryGrant) {
        self.maxNotes = maxNotes
        sourceBytes = text.count
        budget = MemoryBudget(memory)
        // Most repairs make the text a little longer, and a growing array exists twice.
        _ = reserveCapacity(for: text.count + text.count / 16)
    }

    var isRepaired: Bool { !notes.isEmpty || unlistedNotes > 0 }

    /// The number of bytes by which the copy is longer than the source, which may be negative.
    var addedBytes: Int { bytes.count - sourceBytes }

    /// Returns the offset in the source for `offset` in the copy.
    func origin(of offset: Int) -> Int { map.origin(of: offset) }

    @inline(__always) mutating func append(_ byte: UInt8) { if reserveCapacity(for: 1) { bytes.append(byte) } }

    mutating func append(contentsOf text: some Collection<UInt8>) {
        if reserveCapacity(for: text.count) { bytes.append(contentsOf: text) }
    }

    mutating func append(_ text: Span<UInt8>, _ range: Range<Int>) {
        if reserveCapacity(for: range.count) { bytes.append(text, range) }
    }

    /// Adds a repair at the end of the copy.
    mutating func note(_ kind: Warning.Kind, at source: Int) {
        if case .lenient(let leniency) = kind { used.formUnion(leniency) }
        if notes.count < maxNotes {
            notes.append(Note(kind: kind, copy: bytes.count, source: source))
        } else {
            unlistedNotes += 1
        }
    }

    /// Records that the copy follows the source from `source`.
    mutating func resume(at source: Int) {
        guard !isOutOfMemory, map.takeMemoryForEdit(from: &budget) else {
            isOutOfMemory = true
            return
        }
        map.append(copy: bytes.count, source: source)
    }

    /// Takes memory for `count` more bytes.
    /// - Returns: `false` if there is none.
    @inline(__always) private mutating func reserveCapacity(for count: Int) -> Bool {
        if !isOutOfMemory, bytes.count + count > bytes.capacity { grow(by: count) }
        return !isOutOfMemory
    }

    @inline(never) private mutating func grow(by count: Int) {
        isOutOfMemory = bytes.count + count > Self.maxBytes || !budget.reserve(&bytes, count)
    }
}
