internal import Glibc

/// Which names an object has so far, as a number, and which number comes after one more name.
///
/// Shape 0 has no name. `{"id":…,"text":…}` has, say, shape 2: the cache holds (0, "id") → 1 and (1, "text") → 2, and
/// the next object with these names in this order meets two hits. The cache is small and forgets: of the entries that
/// fall into one set of four, the one that was added first makes room. What is forgotten only costs time, for a shape's
/// number is never used again.
@safe struct Shapes: ~Copyable {
    /// An object without names yet.
    static let empty: UInt32 = 0

    /// An object whose hashs are not known to differ from each other; nothing follows from it.
    static let unknown = UInt32.max

    /// No object's shape: what an empty entry follows from.
    private static let none = UInt32.max - 1

    private struct Entry {
        var shape: UInt32
        var hash: UInt32
        var next: UInt32
    }

    /// The name that came after a shape last time: most likely it comes again.
    struct Guess {
        /// The shape that it came after.
        var shape: UInt32
        /// Where the name stood in the source, its opening quote, and how long it is with both quotes.
        var name: UInt32
        var count: UInt32
        var hash: UInt32
        /// The shape with this name.
        var next: UInt32
    }

    /// The longest name, quotes included, that is guessed: two vectors.
    static let maxGuessBytes = 32

    private static let ways = 4

    /// What an object begins as: ``empty``, or ``unknown`` in a text that is too short for a cache to pay.
    let start: UInt32

    // One block, allocated here, released in deinit, lent to nobody: `ways << bits` entries, a set's first index below that,
    // and then the guesses. None where objects begin as unknown, for of these nothing is looked up.
    private let entries: UnsafeMutablePointer<Entry>?
    private let bits: UInt64
    /// Half as many as entries; a shape's own stands at its number's lower bits.
    private let guesses: UnsafeMutablePointer<Guess>?
    private let guessMask: UInt32
    private var last: UInt32 = 0

    /// - Parameter sourceBytes: length of the text, so that a short one pays for a small cache or none: from 8 sets to 256.
    init(sourceBytes: Int) {
        guard sourceBytes >= 384 else {
            start = Self.unknown
            unsafe entries = nil
            unsafe guesses = nil
            guessMask = 0
            bits = 0
            return
        }
        start = Self.empty
        bits = UInt64(max(2, min(8, sourceBytes.bitWidth - sourceBytes.leadingZeroBitCount - 7)))
        let count = Self.ways << Int(bits)
        let entryBytes = count * MemoryLayout<Entry>.stride
        let guessBytes = count / 2 * MemoryLayout<Guess>.stride
        guard let block = unsafe malloc(entryBytes + guessBytes) else {
            preconditionFailure("out of memory: a block of 22 kilobytes or less")
        }
        // Both are words of 32 bits, so the second begins where its type may.
        let entries = unsafe block.bindMemory(to: Entry.self, capacity: count)
        unsafe entries.initialize(repeating: Entry(shape: Self.none, hash: 0, next: 0), count: count)
        unsafe self.entries = entries
        let guesses = unsafe (block + entryBytes).bindMemory(to: Guess.self, capacity: count / 2)
        let nothing = Guess(shape: Self.none, name: 0, count: 0, hash: 0, next: 0)
        unsafe guesses.initialize(repeating: nothing, count: count / 2)
        unsafe self.guesses = guesses
        guessMask = UInt32(count / 2 - 1)
    }

    deinit {
        unsafe free(entries)
    }

    /// What came after `shape` last time, where that is remembered.
    @inline(__always) func guess(after shape: UInt32) -> Guess? {
        guard let guesses = unsafe guesses else { return nil }
        let guess = unsafe guesses[Int(shape & guessMask)]
        return guess.shape == shape ? guess : nil
    }

    /// Notes what came after its shape.
    @inline(__always) func note(_ guess: Guess) {
        if let guesses = unsafe guesses { unsafe guesses[Int(guess.shape & guessMask)] = guess }
    }

    /// Notes what came after its shape for the first time, unless that takes the place of another.
    func noteFirst(_ guess: Guess) {
        guard let guesses = unsafe guesses, guess.next != Self.unknown,
            unsafe guesses[Int(guess.shape & guessMask)].shape == Self.none
        else { return }
        note(guess)
    }

    /// The shape of an object of `shape` with one more name, where that is known.
    @inline(__always) func shape(after shape: UInt32, _ hash: UInt32) -> UInt32? {
        guard shape != Self.unknown, let entries = unsafe entries else { return nil }
        let set = unsafe entries + firstIndex(shape, hash)
        if unsafe set[0].shape == shape && set[0].hash == hash { return unsafe set[0].next }
        if unsafe set[1].shape == shape && set[1].hash == hash { return unsafe set[1].next }
        return unsafe shapeInLaterWays(set, shape, hash)
    }

    @inline(never) private func shapeInLaterWays(
        _ set: UnsafeMutablePointer<Entry>,
        _ shape: UInt32,
        _ hash: UInt32
    ) -> UInt32? {
        for way in 2..<Self.ways where unsafe set[way].shape == shape && set[way].hash == hash {
            return unsafe set[way].next
        }
        return nil
    }

    /// Makes up the shape of an object of `shape` with one more name, whose hash differs from all it has.
    mutating func add(after shape: UInt32, _ hash: UInt32) -> UInt32 {
        guard shape != Self.unknown, last + 1 < Self.none, let entries = unsafe entries else { return Self.unknown }
        last += 1
        let set = unsafe entries + firstIndex(shape, hash)
        for way in stride(from: Self.ways - 1, to: 0, by: -1) { unsafe set[way] = set[way - 1] }
        unsafe set[0] = Entry(shape: shape, hash: hash, next: last)
        return last
    }

    /// Where the set of this pair begins.
    @inline(__always) private func firstIndex(_ shape: UInt32, _ hash: UInt32) -> Int {
        let key = UInt64(shape) &<< 32 | UInt64(hash)
        return Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> (64 &- bits)) &* Self.ways
    }
}

extension Shapes.Guess {
    /// - Parameter name: where it stands between its quotes; it has no escape.
    @inline(__always) init(after shape: UInt32, _ name: Range<Int>, _ hash: UInt32, next: UInt32) {
        self.init(
            shape: shape,
            name: UInt32(truncatingIfNeeded: name.lowerBound &- 1),
            count: UInt32(truncatingIfNeeded: name.count &+ 2),
            hash: hash,
            next: next
        )
    }
}
