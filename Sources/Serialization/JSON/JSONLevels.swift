internal import Glibc

// The containers that are open, and the names that each open object has so far.
//
// Duplicate names must be found (RFC 8259 §4 leaves them to us, and losing one in silence is not an answer), compared
// as they read and not as they are spelt: "a" and "\u0061" are one name. It must also cost next to nothing, for nearly
// no text has any. So a name is known by a hash of 32 bits, and there are three ways, the shortest first:
//
//   1. Objects repeat their names in the same order, all through a text. The names that an object has so far are its
//      shape, a number; a small cache (`Shapes`) knows which shape follows from a shape and one more name. It is only
//      ever filled with names whose hashes differ from all before them, so a hit settles the matter.
//   2. Otherwise the hashes of an object of up to 64 members are compared one after the other, eight at a time.
//   3. Beyond that there is a table with open addressing. It is made for as many members as the object will have if
//      those to come are as long as those so far, but at most sixteen times as large as the last.
//
// An equal hash proves nothing: the names themselves are compared then. Members and hashes are kept on a stack for all
// levels, twelve bytes a member; tables stand on another. Only the innermost object grows, so both grow at their ends.
//
// A loser of two equal names stays in the sink until its object ends; then all losers are cut in one sweep, so that a
// text full of them costs no more than a text without.

/// The stack of open containers.
@safe struct JSONLevels: ~Copyable {
    private struct Level {
        var isObject = false
        /// How much white space stood last before a member or element at this depth.
        var indentation = 0
        /// Where its members begin on the stack of members, and how many they are.
        var memberBase = 0
        var count = 0
        /// What its names are so far, in `Shapes`.
        var shape = Shapes.empty
        var cutCount = 0
        /// Its table on the stack of slots: `slotCount` is a power of two, or 0 where it needs none.
        var slotBase = 0
        var slotCount = 0
    }

    private struct Member {
        static let supersededBit: UInt32 = 1 << 31
        /// Offset of the name's first byte in the source; the highest bit marks the loser of two equal names.
        var name: UInt32
        /// Where the member begins in the sink, its comma included.
        var outputStart: UInt32
    }

    /// The most members that are told apart by comparing their hashes; beyond, an object has a table.
    private static let maxLinearMembers = 64

    private static let blockLevels = 8
    private static let blockMembers = 32

    /// A name's offset leaves one bit free.
    static let maxSourceBytes = Int(Int32.max)

    private let source: JSONSource
    /// Where the value at hand is written; the next value may be written elsewhere.
    var sink: JSONSink?
    private let nameHash = NameHash()
    private let policy: DuplicateNames
    private let maxMembers: Int
    private let maxListed: Int

    // The first three begin in one block, which is enough for a small text, and move to one of their own when they grow;
    // all are allocated by this struct and released in deinit, and no pointer to them leaves it.
    private let block: UnsafeMutableRawPointer
    private var levels: UnsafeMutablePointer<Level>
    private var levelsEnd: UnsafeMutablePointer<Level>
    /// The innermost container, or the second of `levels` where none is open; the first is nobody's.
    private var level: UnsafeMutablePointer<Level>
    private var members: UnsafeMutablePointer<Member>
    /// Beside each member its name's hash, and room for a group of eight beyond the last.
    private var hashes: UnsafeMutablePointer<UInt32>
    /// In a table of 2ⁿ slots, a member's index in its object, plus one, and above these n bits those of its hash, which
    /// are not in the slot's own number; 0 is free. So a slot alone tells nearly always whether it has the name.
    private var slots: UnsafeMutablePointer<UInt32>?
    private var memberCapacity = Self.blockMembers
    private var slotCapacity = 0
    private var shapes: Shapes
    private var cuts: [UInt32] = []

    /// Offsets of the opening quotes of names that had stood in their object before, in source order, the first few.
    private(set) var duplicates: [Int] = []
    private(set) var duplicateCount = 0

    init(source: JSONSource, options: JSONReader.Options) {
        self.source = source
        policy = options.duplicates
        maxMembers = options.limits.maxObjectMembers
        maxListed = options.limits.maxWarnings
        shapes = Shapes(sourceBytes: source.count)
        let levelBytes = Self.blockLevels * MemoryLayout<Level>.stride
        let memberBytes = Self.blockMembers * MemoryLayout<Member>.stride
        let hashBytes = (Self.blockMembers + 8) * MemoryLayout<UInt32>.stride
        // Sizes that are multiples of eight, one after the other, so each begins where its type may.
        guard let block = unsafe malloc(levelBytes + memberBytes + hashBytes) else {
            preconditionFailure("out of memory: a block of a kilobyte")
        }
        unsafe self.block = block
        unsafe levels = block.bindMemory(to: Level.self, capacity: Self.blockLevels)
        unsafe members = (block + levelBytes).bindMemory(to: Member.self, capacity: Self.blockMembers)
        unsafe hashes = (block + levelBytes + memberBytes).bindMemory(to: UInt32.self, capacity: Self.blockMembers + 8)
        unsafe slots = nil
        unsafe levels.initialize(repeating: Level(), count: Self.blockLevels)
        unsafe levelsEnd = levels + Self.blockLevels
        unsafe level = levels + 1
        unsafe hashes.initialize(repeating: 0, count: Self.blockMembers + 8)
    }

    deinit {
        if unsafe UnsafeMutableRawPointer(levels) != block { unsafe levels.deallocate() }
        if memberCapacity > Self.blockMembers {
            unsafe members.deallocate()
            unsafe hashes.deallocate()
        }
        unsafe slots?.deallocate()
        unsafe free(block)
    }

    // MARK: Opening and closing

    /// Opens a container inside the innermost one.
    @inline(__always) mutating func open(isObject: Bool) {
        let memberBase = unsafe level.pointee.memberBase &+ level.pointee.count
        unsafe level += 1
        if unsafe level == levelsEnd { growLevels() }
        unsafe level.pointee.isObject = isObject
        unsafe level.pointee.memberBase = memberBase
        unsafe level.pointee.count = 0
        // The rest is an object's alone.
        if isObject {
            unsafe level.pointee.shape = shapes.start
            unsafe level.pointee.cutCount = 0
            unsafe level.pointee.slotCount = 0
        }
    }

    /// Closes the innermost container and tells whether the one around it is an object.
    @inline(__always) mutating func close() -> Bool {
        unsafe level -= 1
        return unsafe level.pointee.isObject
    }

    // MARK: White space

    /// Lends what is remembered of the white space before members and elements at this depth.
    @inline(__always) func withIndentation(_ body: (inout Int) -> Void) {
        unsafe body(&level.pointee.indentation)
    }

    /// The same of the container around, whose members stand under each other with this one's closing bracket.
    @inline(__always) func withOuterIndentation(_ body: (inout Int) -> Void) {
        unsafe body(&(level - 1).pointee.indentation)
    }

    // MARK: Names

    /// Notes the next member of the innermost object if its name is the one that is expected: that which followed the
    /// same names last time. Its text is compared, so nothing has to be known of it but that it is the same.
    ///
    /// The processor goes on behind the name while it is being compared, and nearly always was right.
    /// - Parameter quote: where the name's opening quote stands, `maxGuessBytes` or more before the end of the source.
    /// - Returns: the name's length, quotes included; 0 where it is not the one expected.
    @inline(__always) mutating func addExpected(at quote: Int, outputStart: Int) -> Int {
        let level = unsafe level
        guard let guess = unsafe shapes.guess(after: level.pointee.shape) else { return 0 }
        let (name, count) = (Int(guess.name), Int(guess.count))
        guard source.differences(quote, name).first >= min(count, 16) else { return 0 }
        if count > 16, !source.differences(quote &+ count &- 16, name &+ count &- 16).isEmpty { return 0 }
        let index = unsafe level.pointee.count
        unsafe push(quote &+ 1, guess.hash, outputStart, at: level.pointee.memberBase &+ index)
        unsafe level.pointee.count = index &+ 1
        unsafe level.pointee.shape = guess.next
        return count
    }

    /// Notes that the innermost object has a member of this name.
    /// - Parameters:
    ///   - name: the bytes between its quotes.
    ///   - hasEscapes: whether there may be a backslash among them.
    ///   - outputStart: where the member begins in the sink, its comma included.
    @inline(__always) mutating func add(_ name: Range<Int>, hasEscapes: Bool, outputStart: Int) throws(JSONFault) {
        let hash = source.hash(of: name, hasEscapes: hasEscapes, nameHash)
        let level = unsafe level
        if let shape = unsafe shapes.shape(after: level.pointee.shape, hash) {
            if name.count &+ 2 <= Shapes.maxGuessBytes, !hasEscapes {
                shapes.note(Shapes.Guess(after: unsafe level.pointee.shape, name, hash, next: shape))
            }
            let index = unsafe level.pointee.count
            unsafe push(name.lowerBound, hash, outputStart, at: level.pointee.memberBase &+ index)
            unsafe level.pointee.count = index &+ 1
            unsafe level.pointee.shape = shape
        } else if unsafe level.pointee.shape == Shapes.unknown && isNewAmongEight(hash, in: level) {
            let index = unsafe level.pointee.count
            unsafe push(name.lowerBound, hash, outputStart, at: level.pointee.memberBase &+ index)
            unsafe level.pointee.count = index &+ 1
        } else {
            try addToNewShape(name, hash, hasEscapes: hasEscapes, outputStart: outputStart)
        }
    }

    /// Whether an object of fewer than eight members has none with this hash, and may have one more.
    @inline(__always) private func isNewAmongEight(_ hash: UInt32, in level: UnsafeMutablePointer<Level>) -> Bool {
        let count = unsafe level.pointee.count
        guard count < 8, count < maxMembers else { return false }
        // There is room for eight beyond the last; of the bytes that a lane each becomes, the first `count` are looked at.
        let place = unsafe UnsafeRawPointer(hashes + level.pointee.memberBase)
        let eight = unsafe place.loadUnaligned(as: SIMD8<UInt32>.self)
        let hits = eight .== SIMD8<UInt32>(repeating: hash)
        // A mask of eight lanes of 32 bits, and eight bytes: same size each way, any bits valid.
        let lanes = unsafe unsafeBitCast(hits, to: SIMD8<UInt32>.self)
        let bytes = unsafe unsafeBitCast(SIMD8<UInt8>(truncatingIfNeeded: lanes), to: UInt64.self)
        return bytes & ((1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1) == 0
    }

    @inline(never) private mutating func addToNewShape(
        _ name: Range<Int>,
        _ hash: UInt32,
        hasEscapes: Bool,
        outputStart: Int
    ) throws(JSONFault) {
        let level = unsafe level
        let base = unsafe level.pointee.memberBase
        let index = unsafe level.pointee.count
        if index == maxMembers { throw JSONFault(.tooManyMembers, at: name.lowerBound &- 1) }
        push(name.lowerBound, hash, outputStart, at: base &+ index)
        unsafe level.pointee.count = index &+ 1

        let earlier: Int?
        if index >= Self.maxLinearMembers {
            earlier = unsafe findInTable(name, hash, in: level, before: index)
        } else if let first = findHash(hash, from: base, count: index) {
            unsafe level.pointee.shape = Shapes.unknown
            earlier = findInLine(name, hash, from: base, first..<index)
        } else {
            let shape = unsafe level.pointee.shape
            let next = shapes.add(after: shape, hash)
            unsafe level.pointee.shape = next
            if name.count &+ 2 <= Shapes.maxGuessBytes, !hasEscapes {
                shapes.noteFirst(Shapes.Guess(after: shape, name, hash, next: next))
            }
            return
        }
        guard let earlier else { return }
        guard policy != .reject else { throw JSONFault(.duplicateName, at: name.lowerBound &- 1) }
        let loser = policy == .last ? earlier : index
        unsafe members[base &+ loser].name |= Member.supersededBit
        cuts.append(UInt32(truncatingIfNeeded: loser))
        unsafe level.pointee.cutCount &+= 1
        duplicateCount &+= 1
        if duplicates.count < maxListed { duplicates.append(name.lowerBound &- 1) }
    }

    /// The first of `count` members with this hash.
    @inline(__always) private func findHash(_ hash: UInt32, from base: Int, count: Int) -> Int? {
        let wanted = SIMD8<UInt32>(repeating: hash)
        var group = 0
        while group < count {
            // There is room for eight beyond the last; what stands from `count` on does not count.
            let eight = unsafe UnsafeRawPointer(hashes + base + group).loadUnaligned(as: SIMD8<UInt32>.self)
            // A mask of eight lanes of 32 bits is four words of 64, whatever they hold.
            let hits = unsafe unsafeBitCast(eight .== wanted, to: SIMD4<UInt64>.self)
            if hits[0] | hits[1] | hits[2] | hits[3] != 0 {
                for index in group..<min(group &+ 8, count) where unsafe hashes[base &+ index] == hash { return index }
            }
            group &+= 8
        }
        return nil
    }

    /// The member among `candidates` that has this name and is not superseded.
    private func findInLine(_ name: Range<Int>, _ hash: UInt32, from base: Int, _ candidates: Range<Int>) -> Int? {
        candidates.last { candidate in
            let member = unsafe members[base &+ candidate].name
            return unsafe hashes[base &+ candidate] == hash && member & Member.supersededBit == 0
                && source.isName(at: Int(member), equalTo: name)
        }
    }

    /// The member before `index` that has this name, by the table; also notes the member itself there, or in place of
    /// the one that it supersedes.
    private mutating func findInTable(
        _ name: Range<Int>,
        _ hash: UInt32,
        in level: UnsafeMutablePointer<Level>,
        before index: Int
    ) -> Int? {
        unsafe level.pointee.shape = Shapes.unknown
        let slotCount = unsafe level.pointee.slotCount
        if slotCount == 0 {
            // The first table of an object stands above those of the objects around it.
            unsafe level.pointee.slotBase = endOfTables
            unsafe makeTable(after: 64, in: level, for: index)
        } else if index &* 4 >= slotCount &* 3 {
            unsafe makeTable(after: slotCount, in: level, for: index)
        }
        guard let slots = unsafe slots else { preconditionFailure("a table was made") }
        let table = unsafe slots + level.pointee.slotBase
        let mask = unsafe UInt32(truncatingIfNeeded: level.pointee.slotCount &- 1)
        let own = hash & ~mask | UInt32(truncatingIfNeeded: index &+ 1)
        let base = unsafe level.pointee.memberBase
        var slot = hash & mask
        while case let entry = unsafe table[Int(slot)], entry != 0 {
            let candidate = Int(entry & mask) &- 1
            if (entry ^ hash) & ~mask == 0, unsafe hashes[base &+ candidate] == hash {
                let member = unsafe members[base &+ candidate].name & ~Member.supersededBit
                if source.isName(at: Int(member), equalTo: name) {
                    if policy == .last { unsafe table[Int(slot)] = own }
                    return candidate
                }
            }
            slot = (slot &+ 1) & mask
        }
        unsafe table[Int(slot)] = own
        return nil
    }

    /// Where the innermost of the open objects' tables ends.
    private var endOfTables: Int {
        // Arrays have none, and the levels below the first object neither.
        var outer = unsafe level - 1
        while unsafe outer > levels, unsafe !outer.pointee.isObject || outer.pointee.slotCount == 0 {
            unsafe outer -= 1
        }
        return unsafe outer > levels ? outer.pointee.slotBase &+ outer.pointee.slotCount : 0
    }

    /// Lays out a table with the first `count` members that are not superseded, larger than one of `size` slots.
    private mutating func makeTable(after size: Int, in level: UnsafeMutablePointer<Level>, for count: Int) {
        let slotBase = unsafe level.pointee.slotBase
        var slotCount = size &* 2
        while slotCount < size &* 16, slotCount &* 3 <= expectedCount &* 4 { slotCount &*= 2 }
        if slotBase &+ slotCount > slotCapacity {
            let capacity = max(slotBase &+ slotCount, slotCapacity &* 2)
            let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
            if let slots = unsafe slots {
                unsafe larger.update(from: slots, count: slotBase)
                unsafe slots.deallocate()
            }
            unsafe slots = larger
            slotCapacity = capacity
        }
        guard let slots = unsafe slots else { preconditionFailure("there is room now") }
        let table = unsafe slots + slotBase
        unsafe table.initialize(repeating: 0, count: slotCount)
        unsafe level.pointee.slotCount = slotCount
        let mask = UInt32(truncatingIfNeeded: slotCount &- 1)
        for index in unsafe level.pointee.memberBase..<level.pointee.memberBase &+ count {
            if unsafe members[index].name & Member.supersededBit != 0 { continue }
            let hash = unsafe hashes[index]
            var slot = hash & mask
            while unsafe table[Int(slot)] != 0 { slot = (slot &+ 1) & mask }
            unsafe table[Int(slot)] = hash & ~mask | UInt32(truncatingIfNeeded: index &- level.pointee.memberBase &+ 1)
        }
    }

    /// How many members the innermost object will have if all that is left of the text is its own, and its members go on
    /// as long as they are. It has one or more.
    private var expectedCount: Int {
        let count = unsafe level.pointee.count
        let first = unsafe Int(members[level.pointee.memberBase].name & ~Member.supersededBit)
        let last = unsafe Int(members[level.pointee.memberBase &+ count &- 1].name & ~Member.supersededBit)
        // Offsets and counts are below 2³¹.
        return count &* (source.count &- first) / max(1, last &- first)
    }

    // MARK: Losers

    /// Cuts the innermost object's losers out of the sink.
    /// - Parameter end: where the object's text ends so far, its closing brace not yet written.
    /// - Returns: where it ends now.
    @inline(__always) mutating func finishObject(end: Int) -> Int {
        unsafe level.pointee.cutCount == 0 ? end : cutLosers(end: end)
    }

    @inline(never) private mutating func cutLosers(end: Int) -> Int {
        let level = unsafe level.pointee
        guard let sink else { preconditionFailure("who writes an object says where") }
        let losers = cuts.suffix(level.cutCount).sorted()
        cuts.removeLast(level.cutCount)

        func start(_ index: Int) -> Int {
            unsafe index == level.count ? end : Int(members[level.memberBase &+ index].outputStart)
        }
        let bodyStart = start(0)
        var output = bodyStart
        var kept = 0
        for loser in losers.map(Int.init) + [level.count] {
            var segment = start(kept)..<start(loser)
            if output == bodyStart, !segment.isEmpty, sink[segment.lowerBound] == UInt8(ascii: ",") {
                segment = (segment.lowerBound &+ 1)..<segment.upperBound
            }
            sink.move(segment, to: output)
            output &+= segment.count
            kept = min(loser &+ 1, level.count)
        }
        return output
    }

    // MARK: Room

    @inline(__always) private mutating func push(_ name: Int, _ hash: UInt32, _ outputStart: Int, at index: Int) {
        if index == memberCapacity { growMembers() }
        unsafe members[index] = Member(
            name: UInt32(truncatingIfNeeded: name),
            outputStart: UInt32(truncatingIfNeeded: outputStart)
        )
        unsafe hashes[index] = hash
    }

    @inline(never) private mutating func growMembers() {
        let isInBlock = memberCapacity == Self.blockMembers
        let base = unsafe level.pointee.memberBase
        let expected = unsafe level.pointee.count > 0 ? base + expectedCount : 0
        let capacity = max(memberCapacity * 2, min(memberCapacity * 16, expected))
        unsafe members = Self.move(members, count: memberCapacity, to: capacity, isInBlock: isInBlock)
        unsafe hashes = Self.move(hashes, count: memberCapacity, to: capacity + 8, isInBlock: isInBlock)
        unsafe (hashes + memberCapacity).initialize(repeating: 0, count: capacity + 8 - memberCapacity)
        memberCapacity = capacity
    }

    @inline(never) private mutating func growLevels() {
        let count = unsafe levelsEnd - levels
        let isInBlock = unsafe UnsafeMutableRawPointer(levels) == block
        unsafe levels = Self.move(levels, count: count, to: count * 2, isInBlock: isInBlock)
        unsafe level = levels + count
        unsafe levelsEnd = level + count
        unsafe level.initialize(repeating: Level(), count: count)
    }

    /// Moves `count` elements to a place of their own with room for `capacity`.
    private static func move<Element: BitwiseCopyable>(
        _ old: UnsafeMutablePointer<Element>,
        count: Int,
        to capacity: Int,
        isInBlock: Bool
    ) -> UnsafeMutablePointer<Element> {
        let new = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        unsafe new.update(from: old, count: count)
        if !isInBlock { unsafe old.deallocate() }
        return unsafe new
    }
}
