internal import Glibc

/// A cache of shapes: a number for the names in an object so far, and the number that follows after one more name.
///
/// The shape of an object without names depends on the member that contains it, directly or in arrays, because objects
/// in members of the same name are usually alike. In `{"users":[{"id":…,"text":…}` the object has, for example, first
/// shape 3 and finally shape 5: the cache contains (in, "users") → 3, (3, "id") → 4 and (4, "text") → 5, and the next
/// object there finds all three. The cache is small: in each set of four entries, a new entry replaces the oldest one.
/// Lost entries only cost time, because the number of a shape is never used again.
@safe struct Shapes: ~Copyable {
    /// The shape of no object. It marks an empty entry.
    static let none: UInt32 = 0

    /// The predecessor of the shape of an object without names, combined with the hash of its member.
    private static let inMember: UInt32 = 1

    /// The shape of an object without names in any member, once there were many shapes. In a dictionary each member has
    /// a different name, and the objects in them are alike.
    private static let inAnyMember: UInt32 = 2

    /// The shape of an object whose hashes may not be distinct; it has no successor.
    static let unknown = UInt32.max

    struct Entry {
        /// The shape before the name.
        var shape: UInt32
        /// The hash of the name.
        var hash: UInt32
        /// The shape with the name.
        var next: UInt32
    }

    /// The name that followed a shape last time, with its colon and an optional space after it. It is likely to follow
    /// again.
    struct Guess {
        /// The first sixteen bytes, from its opening quote.
        var bytes: SIMD16<UInt8>
        /// The lanes that must be equal.
        var lanes: ByteMask
        var entry: Entry
        /// The offset of the name's opening quote in the source.
        var start: UInt32
        /// The number of bytes that must be equal.
        var count: UInt8
        /// The number of these bytes that are written: all except the space.
        var outputCount: UInt8
    }

    /// The maximum length of a guess, in bytes: two vectors.
    static let maxGuessBytes = 32

    private static let ways = 4
    private static let maxGuesses = 512

    // One block, allocated here and released in `deinit`, that never leaves this type: `ways << bits` entries, and then
    // as many guesses, up to a limit. The lower bits of a shape's number select its guess. Without a cache `bits` is 0,
    // nothing is ever noted, and the owner provides the only guess that is examined.
    private let entries: UnsafeMutablePointer<Entry>
    private let bits: UInt64
    private let guesses: UnsafeMutablePointer<Guess>
    private let guessMask: UInt32
    private var last = Self.inAnyMember
    /// The number of further members whose objects get a shape of their own.
    private var startsLeft: Int

    /// - Parameters:
    ///   - source: The text. Its length determines the size of the cache, from 4 sets to 256, or none for a short text.
    ///     A list gets a cache earlier, because its objects are alike.
    ///   - zeros: As many zero bytes as the size of a guess. They must stay alive and unchanged.
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
        // Slightly larger than the zeroed part, because the compiler would otherwise call `calloc`, which is ten times
        // slower for small blocks.
        guard let block = unsafe malloc(bytes &+ 8) else {
            preconditionFailure("out of memory: a block of 36 kilobytes or less")
        }
        // Zeros are entries of no shape. A set is 48 bytes long, so the guesses are aligned for their type.
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        unsafe entries = block.bindMemory(to: Entry.self, capacity: count)
        unsafe guesses = (block + entryBytes).bindMemory(to: Guess.self, capacity: guessCount)
        guessMask = UInt32(truncatingIfNeeded: guessCount &- 1)
    }

    deinit { if bits > 0 { unsafe free(entries) } }

    /// Returns the shape of an object without names in a member with this hash, or ``unknown`` in a text that is too
    /// short for a cache.
    @inline(__always) mutating func start(in hash: UInt32) -> UInt32 {
        guard bits > 0 else { return Self.unknown }
        if let known = shape(after: Self.inMember, hash) { return known }
        if startsLeft == 0 { return Self.inAnyMember }
        startsLeft &-= 1
        return add(after: Self.inMember, hash)
    }

    /// Returns the guess for `shape`: the name that followed it, or another shape with the same lower bits, last time.
    @inline(__always) func guess(after shape: UInt32) -> UnsafePointer<Guess> {
        unsafe UnsafePointer(guesses + Int(shape & guessMask))
    }

    /// Returns whether `shape` is so new that it has no successor yet.
    @inline(__always) func isFresh(_ shape: UInt32) -> Bool { shape == last }

    /// Returns whether a guess after `shape` would replace no other guess.
    @inline(__always) func hasRoomForGuess(after shape: UInt32) -> Bool {
        unsafe guesses[Int(shape & guessMask)].entry.shape == Self.none
    }

    /// Notes the name after `shape`, unless it is too long or its colon does not follow directly.
    /// - Parameter name: The range between its quotes, without escapes.
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
        // A name is only guessed if two vectors can be read, and therefore only noted then.
        guard start &+ Self.maxGuessBytes <= source.count else { return }
        unsafe guesses[Int(shape & guessMask)] = Guess(
            bytes: source.vector(at: start),
            lanes: count < 16 ? ~ByteMask.all.dropping(count) : .all,
            entry: Entry(shape: shape, hash: hash, next: next),
            start: UInt32(truncatingIfNeeded: start),
            count: UInt8(truncatingIfNeeded: count),
            outputCount: UInt8(truncatingIfNeeded: outputCount)
        )
    }

    /// Returns the shape after `shape` and one more name, or `nil` if it is not known.
    @inline(__always) func shape(after shape: UInt32, _ hash: UInt32) -> UInt32? {
        guard shape != Self.unknown else { return nil }
        let set = unsafe entries + firstIndex(shape, hash)
        if unsafe set[0].shape == shape && set[0].hash == hash { return unsafe set[0].next }
        if unsafe set[1].shape == shape && set[1].hash == hash { return unsafe set[1].next }
        if unsafe set[2].shape == shape && set[2].hash == hash { return unsafe set[2].next }
        if unsafe set[3].shape == shape && set[3].hash == hash { return unsafe set[3].next }
        return nil
    }

    /// Creates the shape after `shape` and one more name, whose hash must differ from all others in the object.
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

    /// Returns the first index of the set for this pair.
    @inline(__always) private func firstIndex(_ shape: UInt32, _ hash: UInt32) -> Int {
        let key = UInt64(shape) &<< 32 | UInt64(hash)
        return Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> (64 &- bits)) &* Self.ways
    }
}
