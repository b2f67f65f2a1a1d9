internal import Glibc

// The containers that are open, and the names that each open object has so far.
//
// Duplicate names must be found (RFC 8259 §4 leaves them to us, and losing one in silence is not an answer), compared
// as they read and not as they are spelt: "a" and "\u0061" are one name. It must also cost next to nothing, for nearly
// no text has any. So a name is known by a hash of 32 bits, and there are three ways, the shortest first:
//
//   1. Objects repeat their names in the same order, all through a text. The names that an object has so far are its
//      shape, a number; a small cache (`Shapes`) knows which shape follows from a shape and one more name, and which name
//      to expect. It is only ever filled with names whose hashes differ from all before them, so a hit settles the matter.
//      The first container in an object is not expected to be like any later one, so neither its names nor those of
//      what it holds are remembered; what an array holds is expected to be alike.
//   2. Otherwise each name sets one of 64 bits; a name whose bit is not set is new. Where it is, or where names came by way
//      of the cache before, the hashes of an object of up to 64 members are compared one after the other, eight at a time.
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
    /// What a value stands in.
    struct Container: Equatable {
        /// What closes it.
        let bracket: UInt8

        static let none = Container(bracket: 0)
        static let array = Container(bracket: UInt8(ascii: "]"))
        static let object = Container(bracket: UInt8(ascii: "}"))

        private init(bracket: UInt8) {
            self.bracket = bracket
        }

        /// Brackets are two apart in ASCII.
        @inline(__always) init(openedBy bracket: UInt8) {
            self.bracket = bracket &+ 2
        }

        /// What is wrong where neither a comma nor the bracket comes after a value.
        var fault: JSONFault.Kind {
            self == .object ? .expectedCommaOrEndOfObject : .expectedCommaOrEndOfArray
        }
    }

    /// All zeros to begin with. An open container sets what it needs, but for the indentation.
    private struct Level {
        var container = Container.none
        /// How many names were added one by one, in its lowest bits.
        var addedCount: UInt16 = 0
        /// How much white space stood last before a member or element at this depth.
        var indentation: UInt32 = 0
        /// Where its members begin on the stack of members.
        var memberBase: UInt32 = 0
        /// What its names are so far, in `Shapes`.
        var shape: UInt32 = 0
        /// How many losers there are among its members.
        var loserCount: UInt32 = 0
        /// How many containers were opened in it, up to the number from which on they count as alike. Those in one of that many
        /// have it from the start.
        var opened: UInt32 = 0
        /// Its table on the stack of slots: `slotCount` is a power of two, or 0 where it needs none.
        var slotCount = 0
        var slotBase = 0
        /// A bit for each name that was added one by one, told by the lowest bits of its hash. Where these are all
        /// (``addedCount``), a name whose bit is not set is new.
        var nameBits: UInt64 = 0
    }

    /// The first container in an object is not expected to be like any later one. What an array holds is.
    private static let firstAlike: UInt32 = 1

    private struct Member {
        static let supersededBit: UInt32 = 1 << 31
        /// Offset of the name's opening quote in the source; the highest bit marks the loser of two equal names.
        var quote: UInt32
        /// Where the member begins in the sink; it ends with its comma.
        var outputStart: UInt32
    }

    /// The most members that are told apart by comparing their hashes; beyond, an object has a table.
    private static let maxLinearMembers = 64

    /// Above this, members are not copied to a place with more room for them.
    private static let maxCopiedMembers = 16_384

    /// Members that memory is requested for at once.
    private static let grantedBlock = 32_768

    /// The shortest member, `"":1,`.
    private static let minMemberBytes = 5

    private static let blockLevels = 8
    private static let blockMembers = 32

    /// A name's offset leaves one bit free.
    static let maxSourceBytes = Int(Int32.max)

    private let source: JSONSource
    private let nameHash = NameHash()
    private let policy: DuplicateNames
    private let maxMembers: Int
    /// The most members that are told apart without a table, as far as ``maxMembers`` allows so many.
    private let maxLinearMembers: Int
    private let maxListed: Int
    private let maxDepth: Int
    /// The source of memory for the members of long objects; `nil` if it is not limited.
    private let memory: (any MemoryGrant)?
    /// Members and slots that need no further grant.
    private var grantedMembers = Self.maxCopiedMembers
    private var grantedSlots = Self.maxCopiedMembers
    /// Whether a request was rejected. Then the text must not be read to its end.
    private(set) var isOutOfMemory = false

    // The first three begin in one block, which is enough for a small text, and move to one of their own when
    // they grow; all are allocated by this struct and released in deinit, and no pointer to them leaves it.
    private let block: UnsafeMutableRawPointer
    /// Memory in the block for the window at the end of the source.
    private let end: UnsafeMutableRawPointer
    private var levels: UnsafeMutablePointer<Level>
    private var levelsEnd: UnsafeMutablePointer<Level>
    /// The innermost container, or the second of `levels` where none is open; the first is nobody's.
    private var level: UnsafeMutablePointer<Level>
    private var members: UnsafeMutablePointer<Member>
    /// Beside each member its name's hash, 0 for the first, and room for a group of eight beyond the last.
    private var hashes: UnsafeMutablePointer<UInt32>
    /// In a table of 2ⁿ slots, a member's index in its object, plus one, and above these n bits those of its hash, which
    /// are not in the slot's own number; 0 is free. So a slot alone tells nearly always whether it has the name.
    private var slots: UnsafeMutablePointer<UInt32>?
    /// How many members all open objects have, after a first that is nobody's.
    private var memberCount = 1
    private var memberCapacity = Self.blockMembers
    /// The lower of ``memberCapacity`` and ``grantedMembers``: the next member after as many needs more memory.
    private var memberEnd = Self.blockMembers
    private var slotCapacity = 0
    private var shapes: Shapes

    /// A member whose name an earlier member of its object has.
    struct Duplicate {
        /// The offset of the opening quote of its name.
        var quote: Int
        /// The offset of the opening quote of the first member with this name.
        var first: Int
    }

    /// The first duplicates, in the order of the source, at most as many as warnings are listed.
    private(set) var duplicates: [Duplicate] = []
    private(set) var duplicateCount = 0

    /// How many nulls were taken out of the value that is being read.
    var nullsDropped = 0

    @inline(__always) init(source: JSONSource, options: JSONReader.Options, memory: (any MemoryGrant)?) {
        self.source = source
        policy = options.duplicates
        maxMembers = options.limits.maxObjectMembers
        maxLinearMembers = min(Self.maxLinearMembers, maxMembers)
        maxListed = options.limits.maxWarnings
        maxDepth = max(0, min(options.limits.maxNestingDepth, Limits.hardMaxNestingDepth))
        self.memory = memory
        let levelBytes = Self.blockLevels * MemoryLayout<Level>.stride
        let hashBytes = (Self.blockMembers + 8) * MemoryLayout<UInt32>.stride
        let memberBytes = Self.blockMembers * MemoryLayout<Member>.stride
        // Sizes that are multiples of eight, one after the other, so each begins where its type may.
        let guessBytes = MemoryLayout<Shapes.Guess>.stride
        let bytes = levelBytes + hashBytes + guessBytes + memberBytes + JSONWindow.endBytes
        guard let block = unsafe malloc(bytes) else {
            preconditionFailure("out of memory: a block of a kilobyte")
        }
        unsafe self.block = block
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: levelBytes + hashBytes + guessBytes)
        unsafe levels = block.bindMemory(to: Level.self, capacity: Self.blockLevels)
        unsafe hashes = (block + levelBytes).bindMemory(to: UInt32.self, capacity: Self.blockMembers + 8)
        let guess = unsafe block + levelBytes + hashBytes
        unsafe shapes = Shapes(source: source, zeros: guess)
        unsafe members = (guess + guessBytes).bindMemory(to: Member.self, capacity: Self.blockMembers)
        unsafe end = guess + guessBytes + memberBytes
        unsafe slots = nil
        unsafe levelsEnd = levels + min(Self.blockLevels, maxDepth + 2)
        unsafe level = levels + 1
    }

    deinit {
        if unsafe UnsafeMutableRawPointer(levels) != block { unsafe free(levels) }
        if memberCapacity > Self.blockMembers {
            unsafe free(members)
            unsafe free(hashes)
        }
        unsafe slots?.deallocate()
        unsafe free(block)
    }

    // MARK: Opening and closing

    /// Opens a container inside the innermost one.
    /// - Parameter start: where its bracket stands.
    @inline(__always) mutating func open(_ container: Container, at start: Int) throws(JSONFault) {
        // `_slowPath` and `_fastPath`, here and elsewhere, keep what is rare from taking the registers of what is not.
        if unsafe _slowPath(level + 1 == levelsEnd) { try growLevels(at: start) }
        unsafe level += 1
        let level = unsafe level
        unsafe level.pointee.container = container
        unsafe level.pointee.memberBase = UInt32(truncatingIfNeeded: memberCount)
        unsafe level.pointee.loserCount = 0
        unsafe level.pointee.slotCount = 0
        unsafe level.pointee.nameBits = 0
        unsafe level.pointee.addedCount = 0
        let around = unsafe level - 1
        guard unsafe around.pointee.opened == Self.firstAlike else {
            unsafe around.pointee.opened &+= 1
            unsafe level.pointee.opened = container == .array ? Self.firstAlike : 0
            unsafe level.pointee.shape = container == .object ? Shapes.unknown : Shapes.none
            return
        }
        unsafe level.pointee.opened = Self.firstAlike
        // Objects in an array begin with the same shape, which the array keeps.
        var shape = unsafe around.pointee.container == .array ? around.pointee.shape : Shapes.none
        if container == .object {
            if shape == Shapes.none {
                shape = unsafe shapes.start(in: hashes[memberCount &- 1])
                if unsafe around.pointee.container == .array { unsafe around.pointee.shape = shape }
            }
        } else {
            shape = Shapes.none
        }
        unsafe level.pointee.shape = shape
    }

    /// Closes the innermost container.
    /// - Parameter end: where its text ends so far, the comma of its last member or element included.
    /// - Returns: the container around it, and where the closing bracket belongs.
    @inline(__always) mutating func close(end: Int, in sink: JSONAddresses) -> (Container, end: Int) {
        let level = unsafe level
        let end = unsafe _fastPath(level.pointee.loserCount == 0) ? end : cutLosers(end: end, in: sink)
        unsafe memberCount = Int(level.pointee.memberBase)
        unsafe self.level = level - 1
        // Behind each member and element is a comma, and before the first one the opening bracket.
        let last = end &- 1
        return unsafe ((level - 1).pointee.container, _fastPath(sink[last] == UInt8(ascii: ",")) ? last : end)
    }

    // MARK: The end of the source

    /// The window at the end of the source, which begins at `start`; it takes the place of the window before it.
    /// - Parameter start: behind that one's limit.
    @inline(never) func endWindow(from start: Int) -> JSONWindow {
        unsafe JSONWindow(endOf: source, from: start, in: end)
    }

    // MARK: White space

    /// Lends what is remembered of the white space before members and elements at this depth.
    @inline(__always) func withIndentation(_ body: (inout UInt32) -> Void) {
        unsafe body(&level.pointee.indentation)
    }

    /// The same of the container around, whose members stand under each other with this one's closing bracket.
    @inline(__always) func withOuterIndentation(_ body: (inout UInt32) -> Void) {
        unsafe body(&(level - 1).pointee.indentation)
    }

    // MARK: Names

    /// Copies the name that followed the same names last time, with its colon and the space behind that, where it is the
    /// innermost object's next, and notes the member. Its text need only be compared, and nothing has to be known of it but
    /// that it is the same.
    ///
    /// The processor goes on behind the name while it is being compared, and nearly always was right.
    /// - Returns: false where another name comes; both indices stay where they are then.
    @inline(__always) mutating func copyExpectedName(
        from window: JSONWindow,
        to sink: JSONAddresses,
        _ i: inout Int,
        _ o: inout Int
    ) -> Bool {
        let level = unsafe level
        let shape = unsafe level.pointee.shape
        let guess = unsafe shapes.guess(after: shape)
        guard unsafe guess.pointee.shape == shape else { return false }
        let bytes = window.vector(at: i)
        guard unsafe guess.pointee.lanes.isSubset(of: ByteMask(bytes .== guess.pointee.bytes)) else { return false }
        let count = unsafe Int(guess.pointee.count)
        sink.put(bytes, at: o)
        if count > 16 {
            let last = count &- 16
            let rest = unsafe source.vector(at: Int(guess.pointee.start) &+ last)
            guard ByteMask.all.isSubset(of: ByteMask(window.vector(at: i &+ last) .== rest)) else { return false }
            sink.put(window.vector(at: i &+ 16), at: o &+ 16)
        }
        unsafe push(i, guess.pointee.hash, o)
        unsafe level.pointee.shape = guess.pointee.next
        i &+= count
        unsafe o &+= Int(guess.pointee.outputCount)
        return true
    }

    /// Notes that the innermost object has a member of this name.
    /// - Parameters:
    ///   - name: the bytes between its quotes.
    ///   - hasEscapes: whether there may be a backslash among them.
    ///   - outputStart: where the member begins in the sink.
    @inline(never) mutating func add(_ name: Range<Int>, hasEscapes: Bool, outputStart: Int) throws(JSONFault) {
        let hash = source.hash(of: name, hasEscapes: hasEscapes, nameHash)
        let level = unsafe level
        if _slowPath(isOutOfMemory) { throw outOfMemory }
        let bit: UInt64 = 1 &<< UInt64(hash & 63)
        let bits = unsafe level.pointee.nameBits
        let addedCount = unsafe level.pointee.addedCount
        unsafe level.pointee.nameBits = bits | bit
        unsafe level.pointee.addedCount = addedCount &+ 1
        let count = unsafe memberCount &- Int(level.pointee.memberBase)
        if bits & bit == 0, Int(addedCount) == count, count < maxLinearMembers {
            // It is new.
            let shape = unsafe level.pointee.shape
            if shape == Shapes.unknown {
                push(name.lowerBound &- 1, hash, outputStart)
                return
            }
            if shapes.isFresh(shape) {
                push(name.lowerBound &- 1, hash, outputStart)
                let next = shapes.add(after: shape, hash)
                unsafe level.pointee.shape = next
                if next != Shapes.unknown, !hasEscapes, shapes.hasRoomForGuess(after: shape) {
                    shapes.noteGuess(name, in: source, after: shape, hash, next: next)
                }
                return
            }
        }
        try addToShape(name, hash, hasEscapes: hasEscapes, outputStart: outputStart)
    }

    @inline(never) private mutating func addToShape(
        _ name: Range<Int>,
        _ hash: UInt32,
        hasEscapes: Bool,
        outputStart: Int
    ) throws(JSONFault) {
        let level = unsafe level
        let shape = unsafe level.pointee.shape
        let known = shapes.shape(after: shape, hash)
        guard let next = unsafe known ?? (isNew(hash, in: level) ? shapes.add(after: shape, hash) : nil) else {
            return try addUncommon(name, hash, outputStart: outputStart)
        }
        push(name.lowerBound &- 1, hash, outputStart)
        unsafe level.pointee.shape = next
        // A name that was never here before may well never come again: it does not drive out another.
        if next != Shapes.unknown, !hasEscapes, known != nil || shapes.hasRoomForGuess(after: shape) {
            shapes.noteGuess(name, in: source, after: shape, hash, next: next)
        }
    }

    /// Whether the innermost object is short, has no name with this hash and may have one more.
    @inline(__always) private func isNew(_ hash: UInt32, in level: UnsafeMutablePointer<Level>) -> Bool {
        var base = unsafe Int(level.pointee.memberBase)
        let count = memberCount &- base
        guard count < maxLinearMembers else { return false }
        while base &+ 8 <= memberCount {
            if hits(hash, at: base) != 0 { return false }
            base &+= 8
        }
        // There is room for eight beyond the last; of those that are left, one byte each is looked at.
        let left = UInt64(truncatingIfNeeded: (memberCount &- base) &* 8)
        return hits(hash, at: base) & ((1 &<< left) &- 1) == 0
    }

    /// Which of the eight members from `index` on have this hash, a byte each.
    @inline(__always) private func hits(_ hash: UInt32, at index: Int) -> UInt64 {
        let eight = unsafe UnsafeRawPointer(hashes + index).loadUnaligned(as: SIMD8<UInt32>.self)
        // A mask of eight lanes of 32 bits, and eight bytes: same size each way, any bits valid.
        let lanes = unsafe unsafeBitCast(eight .== SIMD8<UInt32>(repeating: hash), to: SIMD8<UInt32>.self)
        return unsafe unsafeBitCast(SIMD8<UInt8>(truncatingIfNeeded: lanes), to: UInt64.self)
    }

    /// The same of a name whose hash the object has already, and in an object that is long.
    @inline(never) private mutating func addUncommon(
        _ name: Range<Int>,
        _ hash: UInt32,
        outputStart: Int
    ) throws(JSONFault) {
        let level = unsafe level
        let base = unsafe Int(level.pointee.memberBase)
        let index = memberCount &- base
        let quote = name.lowerBound &- 1
        if index == maxMembers { throw JSONFault(.tooManyMembers, at: quote) }
        push(quote, hash, outputStart)
        unsafe level.pointee.shape = Shapes.unknown

        let earlier: Int? =
            index < Self.maxLinearMembers
            ? findInLine(name, hash, from: base, before: index)
            : try unsafe findInTable(name, hash, in: level, before: index)
        guard let earlier else { return }
        guard policy != .reject else { throw JSONFault(.duplicateName, at: quote) }
        if duplicates.count < maxListed {
            let known = unsafe Int(members[base &+ earlier].quote)
            // The earlier member may be a duplicate itself. Then it is in the list, which is not full.
            let first = duplicates.last { $0.quote == known }?.first ?? known
            duplicates.append(Duplicate(quote: quote, first: first))
        }
        let loser = policy == .last ? earlier : index
        unsafe members[base &+ loser].quote |= Member.supersededBit
        unsafe level.pointee.loserCount &+= 1
        duplicateCount &+= 1
    }

    /// The member before `index` that has this name and is not superseded.
    private func findInLine(_ name: Range<Int>, _ hash: UInt32, from base: Int, before index: Int) -> Int? {
        (0..<index).last { candidate in
            let quote = unsafe members[base &+ candidate].quote
            return unsafe hashes[base &+ candidate] == hash && quote & Member.supersededBit == 0
                && source.isName(at: Int(quote) &+ 1, equalTo: name)
        }
    }

    /// The member before `index` that has this name, by the table; also notes the member itself there, or in place of
    /// the one that it supersedes.
    private mutating func findInTable(
        _ name: Range<Int>,
        _ hash: UInt32,
        in level: UnsafeMutablePointer<Level>,
        before index: Int
    ) throws(JSONFault) -> Int? {
        let slotCount = unsafe level.pointee.slotCount
        if slotCount == 0 {
            // The first table of an object stands above those of the objects around it.
            unsafe level.pointee.slotBase = endOfTables
            try unsafe makeTable(after: 64, in: level, for: index)
        } else if index &* 4 >= slotCount &* 3 {
            try unsafe makeTable(after: slotCount, in: level, for: index)
        }
        guard let slots = unsafe slots else { preconditionFailure("a table was made") }
        let table = unsafe slots + level.pointee.slotBase
        let mask = unsafe UInt32(truncatingIfNeeded: level.pointee.slotCount &- 1)
        let own = hash & ~mask | UInt32(truncatingIfNeeded: index &+ 1)
        let base = unsafe Int(level.pointee.memberBase)
        var slot = hash & mask
        while case let entry = unsafe table[Int(slot)], entry != 0 {
            let candidate = Int(entry & mask) &- 1
            if (entry ^ hash) & ~mask == 0, unsafe hashes[base &+ candidate] == hash {
                let quote = unsafe members[base &+ candidate].quote & ~Member.supersededBit
                if source.isName(at: Int(quote) &+ 1, equalTo: name) {
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
        // Arrays have none.
        var outer = unsafe level - 1
        while unsafe outer > levels, unsafe outer.pointee.slotCount == 0 {
            unsafe outer -= 1
        }
        return unsafe outer > levels ? outer.pointee.slotBase &+ outer.pointee.slotCount : 0
    }

    /// Lays out a table with the first `count` members that are not superseded, larger than one of `size` slots.
    private mutating func makeTable(after size: Int, in level: UnsafeMutablePointer<Level>, for count: Int)
        throws(JSONFault)
    {
        let slotBase = unsafe level.pointee.slotBase
        var slotCount = size &* 2
        // Only one of the open objects can have the rest of the text to itself: tables of many would be longer than the text.
        let maxSlots = slotBase == 0 ? size &* 16 : slotCount
        while slotCount < maxSlots, slotCount &* 3 <= expectedCount &* 4 { slotCount &*= 2 }
        if slotBase &+ slotCount > slotCapacity {
            // Doubling what is already long would leave much of it unused.
            let capacity = slotBase &+ max(slotCount, min(slotBase / 4, slotCapacity))
            if let memory, capacity > grantedSlots {
                let bytes = (capacity - grantedSlots) * MemoryLayout<UInt32>.stride
                guard memory.grow(by: bytes) else { throw outOfMemory }
                grantedSlots = capacity
            }
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
        let base = unsafe Int(level.pointee.memberBase)
        for index in base..<base &+ count {
            if unsafe members[index].quote & Member.supersededBit != 0 { continue }
            let hash = unsafe hashes[index]
            var slot = hash & mask
            while unsafe table[Int(slot)] != 0 { slot = (slot &+ 1) & mask }
            unsafe table[Int(slot)] = hash & ~mask | UInt32(truncatingIfNeeded: index &- base &+ 1)
        }
    }

    /// How many members the innermost object will have if all that is left of the text is its own, and its members go on
    /// as long as they are. It has one or more.
    private var expectedCount: Int {
        let base = unsafe Int(level.pointee.memberBase)
        let count = memberCount &- base
        let first = unsafe Int(members[base].quote & ~Member.supersededBit)
        let last = unsafe Int(members[memberCount &- 1].quote & ~Member.supersededBit)
        // Offsets and counts are below 2³¹.
        return count &* (source.count &- first) / max(1, last &- first)
    }

    // MARK: Losers

    /// Cuts the innermost object's losers out of the sink.
    /// - Parameter end: where the object's text ends so far, the comma of its last member included.
    /// - Returns: where it ends now.
    @inline(never) private func cutLosers(end: Int, in sink: JSONAddresses) -> Int {
        let base = unsafe Int(level.pointee.memberBase)
        var output = unsafe sink.address(members[base].outputStart)
        for index in base..<memberCount where unsafe members[index].quote & Member.supersededBit == 0 {
            let start = unsafe sink.address(members[index].outputStart)
            let next = unsafe index &+ 1 == memberCount ? end : sink.address(members[index &+ 1].outputStart)
            sink.move(start..<next, to: output)
            output &+= next &- start
        }
        return output
    }

    // MARK: Room

    @inline(__always) private mutating func push(_ quote: Int, _ hash: UInt32, _ outputStart: Int) {
        let index = memberCount
        if _slowPath(index == memberEnd) { growMembers() }
        unsafe members[index] = Member(
            quote: UInt32(truncatingIfNeeded: quote),
            outputStart: UInt32(truncatingIfNeeded: outputStart)
        )
        unsafe hashes[index] = hash
        memberCount = index &+ 1
    }

    @inline(never) private mutating func growMembers() {
        if memberCount == grantedMembers {
            if let memory {
                // In blocks, as they are written: what is allocated and not used costs nothing.
                let bytes = Self.grantedBlock * (MemoryLayout<Member>.stride + MemoryLayout<UInt32>.stride)
                if !isOutOfMemory, !memory.grow(by: bytes) { isOutOfMemory = true }
                // If none is granted, the next name that is not expected ends the text. Until then there are few.
                grantedMembers += isOutOfMemory ? Self.blockMembers : Self.grantedBlock
            } else {
                grantedMembers = .max
            }
            memberEnd = min(memberCapacity, grantedMembers)
            if memberCount < memberEnd { return }
        }
        let isInBlock = memberCapacity == Self.blockMembers
        let base = unsafe Int(level.pointee.memberBase)
        let expected = memberCount > base ? base + expectedCount : 0
        var capacity = max(memberCapacity * 2, min(memberCapacity * 16, expected))
        if capacity > Self.maxCopiedMembers {
            // As many as the rest of the text can hold: a copy of so many would take as much again. What is not used is never
            // touched.
            let last = unsafe Int(members[memberCount &- 1].quote & ~Member.supersededBit)
            capacity = max(memberCount + (source.count - last) / Self.minMemberBytes + 2, memberCapacity + 1)
        }
        unsafe members = Self.move(members, count: memberCapacity, to: capacity, isInBlock: isInBlock)
        unsafe hashes = Self.move(hashes, count: memberCapacity + 8, to: capacity + 8, isInBlock: isInBlock)
        memberCapacity = capacity
        memberEnd = min(memberCapacity, grantedMembers)
    }

    /// At the last member.
    var outOfMemory: JSONFault {
        JSONFault(.outOfMemory, at: unsafe Int(members[memberCount &- 1].quote & ~Member.supersededBit))
    }

    /// Makes room for one more level, which `maxDepth` must allow.
    /// - Parameter start: where its bracket stands.
    @inline(never) private mutating func growLevels(at start: Int) throws(JSONFault) {
        let count = unsafe levelsEnd - levels
        guard count < maxDepth + 2 else { throw JSONFault(.nestingTooDeep, at: start) }
        let capacity = min(count * 2, maxDepth + 2)
        let isInBlock = unsafe UnsafeMutableRawPointer(levels) == block
        let depth = unsafe level - levels
        unsafe levels = Self.move(levels, count: count, to: capacity, isInBlock: isInBlock)
        unsafe (levels + count).initialize(repeating: Level(), count: capacity - count)
        unsafe level = levels + depth
        unsafe levelsEnd = levels + capacity
    }

    /// Moves `count` elements to a place of their own with room for `capacity`, all others of which are zero.
    private static func move<Element: BitwiseCopyable>(
        _ old: UnsafeMutablePointer<Element>,
        count: Int,
        to capacity: Int,
        isInBlock: Bool
    ) -> UnsafeMutablePointer<Element> {
        guard let block = unsafe calloc(capacity, MemoryLayout<Element>.stride) else {
            preconditionFailure("out of memory: \(capacity) members or levels")
        }
        let new = unsafe block.bindMemory(to: Element.self, capacity: capacity)
        unsafe new.update(from: old, count: count)
        if !isInBlock { unsafe free(old) }
        return unsafe new
    }
}
