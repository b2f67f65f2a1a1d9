internal import Glibc

/// Which names an object has so far, as a number, and which number comes after one more name.
///
/// An object without names is told apart by the member that it stands in, itself or with arrays around it, for objects in
/// members of one name are alike. In `{"users":[{"id":…,"text":…}` it has, say, shape 3 and in the end shape 5: the cache
/// holds (in, "users") → 3, (3, "id") → 4 and (4, "text") → 5, and the next object there meets three hits. The cache is
/// small and forgets: of the entries that fall into one set of four, the one that was added first makes room. What is
/// forgotten only costs time, for a shape's number is never used again.
@safe struct Shapes: ~Copyable {
    /// No object's shape: what an empty entry follows from.
    static let none: UInt32 = 0

    /// What the shape of an object without names follows from, with the hash of its member.
    private static let inMember: UInt32 = 1

    /// An object without names in any member that came when there were many. In a dictionary each has a name of its own, and
    /// the objects in them are alike.
    private static let inAnyMember: UInt32 = 2

    /// An object whose hashes are not known to differ from each other; nothing follows from it.
    static let unknown = UInt32.max

    private struct Entry {
        var shape: UInt32
        var hash: UInt32
        var next: UInt32
    }

    /// The name that came after a shape last time, with its colon and the space behind that, if any: most likely it comes
    /// again.
    struct Guess {
        /// The first sixteen bytes from its opening quote on.
        var bytes: SIMD16<UInt8>
        /// Which of these are the same again.
        var lanes: ByteMask
        /// The shape that it came after.
        var shape: UInt32
        /// The shape with this name.
        var next: UInt32
        var hash: UInt32
        /// Where the name stood in the source, its opening quote.
        var start: UInt32
        /// How many bytes are the same again.
        var count: UInt8
        /// How many of them are written: all but the space.
        var outputCount: UInt8
    }

    /// The most bytes that are guessed: two vectors.
    static let maxGuessBytes = 32

    private static let ways = 4
    private static let maxGuesses = 512

    // One block, allocated here, released in deinit, lent to nobody: `ways << bits` entries, a set's first index below that,
    // and then as many guesses, up to a limit; a shape's own stands at its number's lower bits. Without a cache `bits` is 0,
    // nothing is ever noted, and the one guess that is looked at is lent by the owner.
    private let entries: UnsafeMutablePointer<Entry>
    private let bits: UInt64
    private let guesses: UnsafeMutablePointer<Guess>
    private let guessMask: UInt32
    private var last = Self.inAnyMember
    /// How many more members get a shape of their own for the objects in them.
    private var startsLeft: Int

    /// - Parameters:
    ///   - source: the text. A short one pays for a small cache, from 4 sets to 256, or for none; a list sooner, as its
    ///     objects are alike.
    ///   - zeros: as many as a guess has bytes; stay alive and unchanged.
    @inline(__always) init(source: JSONSource, zeros: UnsafeMutableRawPointer) {
        guard source.count >= 384 || source.count >= 128 && source[0] == UInt8(ascii: "[") else {
            bits = 0
            startsLeft = 0
            unsafe entries = zeros.bindMemory(to: Entry.self, capacity: 0)
            unsafe guesses = zeros.bindMemory(to: Guess.self, capacity: 1)
            guessMask = 0
            return
        }
        bits = UInt64(truncatingIfNeeded: max(2, min(8, 56 &- source.count.leadingZeroBitCount)))
        startsLeft = 1 &<< Int(bits)
        let count = Self.ways &<< Int(bits)
        let guessCount = min(count, Self.maxGuesses)
        let entryBytes = count &* MemoryLayout<Entry>.stride
        let bytes = entryBytes &+ guessCount &* MemoryLayout<Guess>.stride
        // A little longer than its zeros, or the compiler calls `calloc`, which is ten times slower for small blocks.
        guard let block = unsafe malloc(bytes &+ 8) else {
            preconditionFailure("out of memory: a block of 36 kilobytes or less")
        }
        // Zeros follow from no shape. A set is 48 bytes long, so the guesses begin where their type may.
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        unsafe entries = block.bindMemory(to: Entry.self, capacity: count)
        unsafe guesses = (block + entryBytes).bindMemory(to: Guess.self, capacity: guessCount)
        guessMask = UInt32(truncatingIfNeeded: guessCount &- 1)
    }

    deinit {
        if bits > 0 { unsafe free(entries) }
    }

    /// The shape of an object without names in a member with this hash; ``unknown`` in a text that is too short for a
    /// cache to pay.
    @inline(__always) mutating func start(in hash: UInt32) -> UInt32 {
        guard bits > 0 else { return Self.unknown }
        if let known = shape(after: Self.inMember, hash) { return known }
        if startsLeft == 0 { return Self.inAnyMember }
        startsLeft &-= 1
        return add(after: Self.inMember, hash)
    }

    /// The guess at the place of `shape`: what came after it last time, or after another shape.
    @inline(__always) func guess(after shape: UInt32) -> UnsafePointer<Guess> {
        unsafe UnsafePointer(guesses + Int(shape & guessMask))
    }

    /// Whether `shape` is so new that nothing follows from it yet.
    @inline(__always) func isFresh(_ shape: UInt32) -> Bool { shape == last }

    /// Whether a guess of what comes after `shape` drives out none.
    @inline(__always) func hasRoomForGuess(after shape: UInt32) -> Bool {
        unsafe guesses[Int(shape & guessMask)].shape == Self.none
    }

    /// Notes what came after `shape`, unless it is too long or its colon stands elsewhere.
    /// - Parameter name: where it stands between its quotes; it has no escape.
    @inline(__always) func noteGuess(
        _ name: Range<Int>,
        in source: JSONSource,
        after shape: UInt32,
        _ hash: UInt32,
        next: UInt32
    ) {
        let colon = name.upperBound &+ 1
        let outputCount = name.count &+ 3
        guard outputCount < Self.maxGuessBytes, colon &+ 1 < source.count, source[colon] == UInt8(ascii: ":") else {
            return
        }
        let count = source[colon &+ 1] == 0x20 ? outputCount &+ 1 : outputCount
        let start = name.lowerBound &- 1
        // A name is guessed where two vectors can be read, and so it is noted.
        guard start &+ Self.maxGuessBytes <= source.count else { return }
        unsafe guesses[Int(shape & guessMask)] = Guess(
            bytes: source.vector(at: start),
            lanes: count < 16 ? ~ByteMask.all.dropping(count) : .all,
            shape: shape,
            next: next,
            hash: hash,
            start: UInt32(truncatingIfNeeded: start),
            count: UInt8(truncatingIfNeeded: count),
            outputCount: UInt8(truncatingIfNeeded: outputCount)
        )
    }

    /// The shape of an object of `shape` with one more name, where that is known.
    @inline(__always) func shape(after shape: UInt32, _ hash: UInt32) -> UInt32? {
        guard shape != Self.unknown else { return nil }
        let set = unsafe entries + firstIndex(shape, hash)
        if unsafe set[0].shape == shape && set[0].hash == hash { return unsafe set[0].next }
        if unsafe set[1].shape == shape && set[1].hash == hash { return unsafe set[1].next }
        if unsafe set[2].shape == shape && set[2].hash == hash { return unsafe set[2].next }
        if unsafe set[3].shape == shape && set[3].hash == hash { return unsafe set[3].next }
        return nil
    }

    /// Makes up the shape of an object of `shape` with one more name, whose hash differs from all it has.
    @inline(__always) mutating func add(after shape: UInt32, _ hash: UInt32) -> UInt32 {
        guard shape != Self.unknown, last &+ 1 < Self.unknown else { return Self.unknown }
        last &+= 1
        let set = unsafe entries + firstIndex(shape, hash)
        unsafe set[3] = set[2]
        unsafe set[2] = set[1]
        unsafe set[1] = set[0]
        unsafe set[0] = Entry(shape: shape, hash: hash, next: last)
        return last
    }

    /// Where the set of this pair begins.
    @inline(__always) private func firstIndex(_ shape: UInt32, _ hash: UInt32) -> Int {
        let key = UInt64(shape) &<< 32 | UInt64(hash)
        return Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> (64 &- bits)) &* Self.ways
    }
}
