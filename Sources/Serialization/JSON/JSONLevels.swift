internal import Glibc

// The open containers, and the names in each open object.
//
// Duplicate names must be found (RFC 8259 §4 leaves the handling to the implementation, and silently losing one is not
// acceptable). They are compared by their text, not by their spelling: "a" and "\u0061" are the same name. This must
// cost almost nothing, because hardly any text contains duplicates. A name is therefore identified by a hash of 32
// bits, and there are three methods, the fastest first:
//
//   1. Objects in a text usually repeat their names in the same order. The names of an object so far are its shape,
//      which is a number. A small cache (`Shapes`) contains the shape that results from a shape and one more name, and
//      the name to expect. Only names whose hashes differ from all before them are added to it, so a hit excludes a
//      duplicate. The first container in an object is not expected to be like any later one, so neither its names nor
//      those of its contents are cached; the elements of an array are expected to be alike.
//   2. Otherwise each name sets one of 64 bits; a name whose bit is not set is new. If it is set, or if some names came
//      through the cache, the hashes of an object of up to 64 members are compared, eight at a time.
//   3. Longer objects have a table with open addressing. It has buckets for as many members as the object will have if
//      the next members are as long as the previous ones, but at most sixteen times as many as the last table.
//
// An equal hash is not a proof: the names themselves are compared then. Members and hashes are on a stack for all
// levels, with twelve bytes per member; tables are on another stack. Only the innermost object grows, so both stacks
// grow at their ends.
//
// An overridden duplicate remains in the sink until its object ends. Then all of them are removed in one pass, so that
// a text with many duplicates costs no more than one without. Members that are left out (`JSONOmittedNames`) are found
// then by their hashes, and removed in the same pass.

/// The stack of open containers.
@safe struct JSONLevels: ~Copyable {
    /// The kind of container around a value.
    struct Container: Equatable {
        /// The closing bracket.
        let bracket: UInt8

        static let none = Container(bracket: 0)
        static let array = Container(bracket: UInt8(ascii: "]"))
        static let object = Container(bracket: UInt8(ascii: "}"))

        private init(bracket: UInt8) { self.bracket = bracket }

        /// Opening and closing brackets differ by two in ASCII.
        @inline(__always) init(openedBy bracket: UInt8) { self.bracket = bracket &+ 2 }

        /// The error if neither a comma nor the bracket follows a value.
        var fault: JSONFault.Kind { self == .object ? .expectedCommaOrEndOfObject : .expectedCommaOrEndOfArray }
    }

    /// The state of one open container. Initially zero. Opening a container sets all fields that it needs, except the
    /// indentation.
    private struct Level {
        var container = Container.none
        /// The number of names that were added one by one, in the lowest bits.
        var addedCount: UInt16 = 0
        /// The length of the last white space before a member or element at this depth.
        var indentation: UInt32 = 0
        /// The start of its members on the stack of members.
        var memberBase: UInt32 = 0
        /// The shape of its names so far, in `Shapes`.
        var shape: UInt32 = 0
        /// The number of overridden duplicates among its members, and ``omitsBit``.
        var removals: UInt32 = 0
        /// The number of containers that were opened in it, up to the number from which they are expected to be alike.
        /// Containers inside such a container start with that number.
        var opened: UInt32 = 0
        /// Its table on the stack of buckets: `bucketCount` is a power of two, or 0 if it needs none.
        var bucketCount = 0
        var bucketBase = 0
        /// One bit per name that was added one by one, selected by the lowest bits of its hash. If all names were added
        /// like this (``addedCount``), a name whose bit is not set is new. An array has no names: see ``entersBit``.
        var nameBits: UInt64 = 0

        /// Set in ``removals`` if a pattern may denote some of its members.
        static let omitsBit: UInt32 = 1 << 31

        /// Set in ``nameBits`` of an array once the patterns that enter its elements are known, which are the same for
        /// all, with ``omitsBit`` if one may denote members of them.
        static let entersBit: UInt64 = 1
    }

    /// The first container in an object is not expected to be like any later one, but the elements of an array are.
    private static let firstAlike: UInt32 = 1

    private struct Member {
        static let removedBit: UInt32 = 1 << 31
        /// The offset of the name's opening quote in the source. The highest bit marks an overridden duplicate, or a
        /// member that is left out.
        var quote: UInt32
        /// The start of the member in the sink. The member ends with its comma.
        var outputStart: UInt32
    }

    /// The maximum number of members that are compared by their hashes; a longer object has a table.
    private static let maxLinearMembers = 64

    /// The maximum number of members that are copied to larger memory.
    private static let maxCopiedMembers = 16_384

    /// The number of members for which memory is requested at a time.
    private static let grantedBlock = 32_768

    /// The length of the shortest member, `"":1,`.
    private static let minMemberBytes = 5

    private static let blockLevels = 8
    private static let blockMembers = 32

    /// The maximum length of a source: the offset of a name leaves one bit free.
    static let maxSourceBytes = Int(Int32.max)

    private let source: JSONSource
    private let nameHash = NameHash()
    private let policy: DuplicateNames
    private let maxMembers: Int
    /// The maximum number of members that are compared without a table, at most ``maxMembers``.
    private let maxLinearMembers: Int
    private let maxListed: Int
    private let maxDepth: Int
    /// The memory for the tables, and for members beyond ``grantedMembers``.
    private var memory: MemoryBudget
    private var grantedMembers = Self.maxCopiedMembers
    /// Whether a request was rejected. The text must then not be read to its end.
    private(set) var isOutOfMemory = false

    // The first three begin in one block, which is enough for a small text, and move to separate blocks when they grow.
    // This struct allocates all of them and releases them in `deinit`, and no pointer to them leaves it.
    private let block: UnsafeMutableRawPointer
    /// The memory in the block for the window at the end of the source.
    private let end: UnsafeMutableRawPointer
    private var levels: UnsafeMutablePointer<Level>
    private var levelsEnd: UnsafeMutablePointer<Level>
    /// The innermost container, or the second of `levels` if none is open. The first one is a sentinel.
    private var level: UnsafeMutablePointer<Level>
    private var members: UnsafeMutablePointer<Member>
    /// The hash of the name of each member, 0 for the first, with the capacity for a group of eight beyond the last.
    private var hashes: UnsafeMutablePointer<UInt32>
    /// The buckets of the tables. In a table of 2ⁿ buckets, the lower n bits are a member's index in its object plus
    /// one, and the others are bits of its hash that are not part of the bucket's own number. 0 is a free bucket. A
    /// bucket alone therefore almost always shows whether it contains the name.
    private var buckets: UnsafeMutablePointer<UInt32>?
    /// The number of members of all open objects, including a sentinel at the start.
    private var memberCount = 1
    private var memberCapacity = Self.blockMembers
    /// The lower of ``memberCapacity`` and ``grantedMembers``: a member beyond it needs more memory.
    private var memberEnd = Self.blockMembers
    private var bucketCapacity = 0
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

    /// The number of nulls that were removed from the value that is being read.
    var nullsDropped = 0

    /// The patterns of members that are left out, if there are any.
    private var omissions: Omissions?
    /// Whether there are, which is cheaper to read.
    private let omits: Bool
    /// The number of members that were left out.
    private(set) var omittedCount = 0
    /// The length of the members that were left out and of their commas, in bytes.
    private(set) var omittedBytes = 0

    @inline(__always) init(
        source: JSONSource,
        options: JSONReader.Options,
        memory: any MemoryGrant,
        omitting omittedNames: JSONOmittedNames?
    ) {
        self.source = source
        policy = options.duplicates
        maxMembers = options.limits.maxObjectMembers
        maxLinearMembers = min(Self.maxLinearMembers, maxMembers)
        maxListed = options.limits.maxWarnings
        maxDepth = max(0, min(options.limits.maxNestingDepth, Limits.hardMaxNestingDepth))
        self.memory = MemoryBudget(memory)
        omits = omittedNames != nil
        if let omittedNames { omissions = Omissions(omittedNames, inRecords: options.records != nil) }
        let levelBytes = Self.blockLevels * MemoryLayout<Level>.stride
        let hashBytes = (Self.blockMembers + 8) * MemoryLayout<UInt32>.stride
        let memberBytes = Self.blockMembers * MemoryLayout<Member>.stride
        // The sizes are multiples of eight, so each part is aligned for its type.
        let guessBytes = MemoryLayout<Shapes.Guess>.stride
        let bytes = levelBytes + hashBytes + guessBytes + memberBytes + JSONWindow.endBytes
        guard let block = unsafe malloc(bytes) else { preconditionFailure("out of memory: a block of a kilobyte") }
        unsafe self.block = block
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: levelBytes + hashBytes + guessBytes)
        unsafe levels = block.bindMemory(to: Level.self, capacity: Self.blockLevels)
        unsafe hashes = (block + levelBytes).bindMemory(to: UInt32.self, capacity: Self.blockMembers + 8)
        let guess = unsafe block + levelBytes + hashBytes
        unsafe shapes = Shapes(source: source, zeros: guess)
        unsafe members = (guess + guessBytes).bindMemory(to: Member.self, capacity: Self.blockMembers)
        unsafe end = guess + guessBytes + memberBytes
        unsafe buckets = nil
        unsafe levelsEnd = levels + min(Self.blockLevels, maxDepth + 2)
        unsafe level = levels + 1
    }

    deinit {
        if unsafe UnsafeMutableRawPointer(levels) != block { unsafe free(levels) }
        if memberCapacity > Self.blockMembers {
            unsafe free(members)
            unsafe free(hashes)
        }
        unsafe buckets?.deallocate()
        unsafe free(block)
    }

    // MARK: Opening and closing

    /// Opens a container inside the innermost one.
    /// - Parameter start: The offset of its bracket.
    @inline(__always) mutating func open(_ container: Container, at start: Int) throws(JSONFault) {
        // `_slowPath` and `_fastPath`, here and elsewhere, prevent unlikely code from taking the registers of likely
        // code.
        if unsafe _slowPath(level + 1 == levelsEnd) { try growLevels(at: start) }
        unsafe level += 1
        let level = unsafe level
        unsafe level.pointee.container = container
        unsafe level.pointee.memberBase = UInt32(truncatingIfNeeded: memberCount)
        unsafe level.pointee.removals = _fastPath(!omits) ? 0 : enter(container)
        unsafe level.pointee.bucketCount = 0
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
        // Objects in an array begin with the same shape, which the array stores.
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
    /// - Parameter end: The current end of its text, including the comma of its last member or element.
    /// - Returns: The container around it, and the offset for the closing bracket.
    @inline(__always) mutating func close(end: Int, in sink: JSONAddresses) -> (Container, end: Int) {
        let level = unsafe level
        let end = unsafe _fastPath(level.pointee.removals == 0) ? end : removeMembers(end: end, in: sink)
        unsafe memberCount = Int(level.pointee.memberBase)
        unsafe self.level = level - 1
        // A comma follows each member and element, and the opening bracket precedes the first one.
        let last = end &- 1
        return unsafe ((level - 1).pointee.container, _fastPath(sink[last] == UInt8(ascii: ",")) ? last : end)
    }

    // MARK: The end of the source

    /// Returns the window at the end of the source, which begins at `start`. It replaces the previous window.
    /// - Parameter start: An index beyond the limit of that window.
    @inline(never) func endWindow(from start: Int) -> JSONWindow {
        unsafe JSONWindow(endOf: source, from: start, in: end)
    }

    // MARK: White space

    /// Calls `body` with the stored length of the white space before members and elements at this depth.
    @inline(__always) func withIndentation(_ body: (inout UInt32) -> Void) { unsafe body(&level.pointee.indentation) }

    /// Calls `body` with the stored length of the parent container, whose members are aligned with the closing bracket
    /// of this one.
    @inline(__always) func withOuterIndentation(_ body: (inout UInt32) -> Void) {
        unsafe body(&(level - 1).pointee.indentation)
    }

    // MARK: Names

    /// Copies the name that followed the same names last time, with its colon and the space after that, if it is the
    /// next name of the innermost object, and notes the member. A comparison of the text is sufficient.
    ///
    /// The processor continues speculatively after the name during the comparison, and is almost always right.
    /// - Returns: `false` if another name follows; both indices are unchanged then.
    @inline(__always) mutating func copyExpectedName(
        from window: JSONWindow,
        to sink: JSONAddresses,
        _ i: inout Int,
        _ o: inout Int
    ) -> Bool {
        let level = unsafe level
        let shape = unsafe level.pointee.shape
        let guess = unsafe shapes.guess(after: shape)
        guard unsafe guess.pointee.entry.shape == shape else { return false }
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
        unsafe push(i, guess.pointee.entry.hash, o)
        unsafe level.pointee.shape = guess.pointee.entry.next
        i &+= count
        unsafe o &+= Int(guess.pointee.outputCount)
        return true
    }

    /// Notes that the innermost object has a member of this name.
    /// - Parameters:
    ///   - name: The bytes between its quotes.
    ///   - hasEscapes: Whether they may contain a backslash.
    ///   - outputStart: The start of the member in the sink.
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
            // The name is new.
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
        // A name that has not occurred before may not occur again: it does not replace another one.
        if next != Shapes.unknown, !hasEscapes, known != nil || shapes.hasRoomForGuess(after: shape) {
            shapes.noteGuess(name, in: source, after: shape, hash, next: next)
        }
    }

    /// Returns whether the innermost object is short, has no name with this hash and may have one more.
    @inline(__always) private func isNew(_ hash: UInt32, in level: UnsafeMutablePointer<Level>) -> Bool {
        var base = unsafe Int(level.pointee.memberBase)
        let count = memberCount &- base
        guard count < maxLinearMembers else { return false }
        while base &+ 8 <= memberCount {
            if hits(hash, at: base) != 0 { return false }
            base &+= 8
        }
        // There is capacity for eight beyond the last one. One byte is examined for each remaining member.
        let left = UInt64(truncatingIfNeeded: (memberCount &- base) &* 8)
        return hits(hash, at: base) & ((1 &<< left) &- 1) == 0
    }

    /// Returns a mask with one byte for each of the eight members from `index`, set if the member has this hash.
    @inline(__always) private func hits(_ hash: UInt32, at index: Int) -> UInt64 {
        let eight = unsafe UnsafeRawPointer(hashes + index).loadUnaligned(as: SIMD8<UInt32>.self)
        // A mask of eight lanes of 32 bits, and eight bytes: same size each way, any bits valid.
        let lanes = unsafe unsafeBitCast(eight .== SIMD8<UInt32>(repeating: hash), to: SIMD8<UInt32>.self)
        return unsafe unsafeBitCast(SIMD8<UInt8>(truncatingIfNeeded: lanes), to: UInt64.self)
    }

    /// Adds a name whose hash the object already has, or a name in a long object.
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
        let overridden = policy == .last ? earlier : index
        unsafe members[base &+ overridden].quote |= Member.removedBit
        unsafe level.pointee.removals &+= 1
        duplicateCount &+= 1
    }

    /// Returns the member before `index` that has this name and is not overridden, or `nil` if there is none.
    private func findInLine(_ name: Range<Int>, _ hash: UInt32, from base: Int, before index: Int) -> Int? {
        (0..<index).last { candidate in
            let quote = unsafe members[base &+ candidate].quote
            return unsafe hashes[base &+ candidate] == hash && quote & Member.removedBit == 0
                && source.isName(at: Int(quote) &+ 1, equalTo: name)
        }
    }

    /// Returns the member before `index` that has this name, using the table. Also adds the member to the table, or
    /// replaces the one that it overrides.
    private mutating func findInTable(
        _ name: Range<Int>,
        _ hash: UInt32,
        in level: UnsafeMutablePointer<Level>,
        before index: Int
    ) throws(JSONFault) -> Int? {
        let bucketCount = unsafe level.pointee.bucketCount
        if bucketCount == 0 {
            // The first table of an object is above those of the objects around it.
            unsafe level.pointee.bucketBase = endOfTables
            try unsafe makeTable(after: 64, in: level, for: index)
        } else if index &* 4 >= bucketCount &* 3 {
            try unsafe makeTable(after: bucketCount, in: level, for: index)
        }
        guard let buckets = unsafe buckets else { preconditionFailure("there is a table") }
        let table = unsafe buckets + level.pointee.bucketBase
        let mask = unsafe UInt32(truncatingIfNeeded: level.pointee.bucketCount &- 1)
        let own = hash & ~mask | UInt32(truncatingIfNeeded: index &+ 1)
        let base = unsafe Int(level.pointee.memberBase)
        var bucket = hash & mask
        while case let entry = unsafe table[Int(bucket)], entry != 0 {
            let candidate = Int(entry & mask) &- 1
            if (entry ^ hash) & ~mask == 0, unsafe hashes[base &+ candidate] == hash {
                let quote = unsafe members[base &+ candidate].quote & ~Member.removedBit
                if source.isName(at: Int(quote) &+ 1, equalTo: name) {
                    if policy == .last { unsafe table[Int(bucket)] = own }
                    return candidate
                }
            }
            bucket = (bucket &+ 1) & mask
        }
        unsafe table[Int(bucket)] = own
        return nil
    }

    /// The end of the table of the innermost open object.
    private var endOfTables: Int {
        // Arrays have none.
        var outer = unsafe level - 1
        while unsafe outer > levels, unsafe outer.pointee.bucketCount == 0 { unsafe outer -= 1 }
        return unsafe outer > levels ? outer.pointee.bucketBase &+ outer.pointee.bucketCount : 0
    }

    /// Creates a table with the first `count` members that are not overridden. It has more than `size` buckets.
    private mutating func makeTable(after size: Int, in level: UnsafeMutablePointer<Level>, for count: Int)
        throws(JSONFault)
    {
        let bucketBase = unsafe level.pointee.bucketBase
        var bucketCount = size &* 2
        // Only one of the open objects can contain the rest of the text: tables for many would be longer than the text.
        let maxBuckets = bucketBase == 0 ? size &* 16 : bucketCount
        while bucketCount < maxBuckets, bucketCount &* 3 <= expectedCount &* 4 { bucketCount &*= 2 }
        if bucketBase &+ bucketCount > bucketCapacity {
            // Doubling long tables would leave much memory unused.
            let capacity = bucketBase &+ max(bucketCount, min(bucketBase / 4, bucketCapacity))
            guard memory.take((capacity - bucketCapacity) * MemoryLayout<UInt32>.stride) else { throw outOfMemory }
            let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
            if let buckets = unsafe buckets {
                unsafe larger.update(from: buckets, count: bucketBase)
                unsafe buckets.deallocate()
            }
            unsafe buckets = larger
            bucketCapacity = capacity
        }
        guard let buckets = unsafe buckets else { preconditionFailure("there is capacity") }
        let table = unsafe buckets + bucketBase
        unsafe table.initialize(repeating: 0, count: bucketCount)
        unsafe level.pointee.bucketCount = bucketCount
        let mask = UInt32(truncatingIfNeeded: bucketCount &- 1)
        let base = unsafe Int(level.pointee.memberBase)
        for index in base..<base &+ count {
            if unsafe members[index].quote & Member.removedBit != 0 { continue }
            let hash = unsafe hashes[index]
            var bucket = hash & mask
            while unsafe table[Int(bucket)] != 0 { bucket = (bucket &+ 1) & mask }
            unsafe table[Int(bucket)] = hash & ~mask | UInt32(truncatingIfNeeded: index &- base &+ 1)
        }
    }

    /// The number of members that the innermost object will have if it contains the rest of the text and its members
    /// keep their average length. It must have at least one member.
    private var expectedCount: Int {
        let base = unsafe Int(level.pointee.memberBase)
        let count = memberCount &- base
        let first = unsafe Int(members[base].quote & ~Member.removedBit)
        let last = unsafe Int(members[memberCount &- 1].quote & ~Member.removedBit)
        // Offsets and counts are below 2³¹.
        return count &* (source.count &- first) / max(1, last &- first)
    }

    // MARK: Removed members

    /// Removes the overridden duplicates of the innermost object, and those of its members that are left out, from the
    /// sink.
    /// - Parameter end: The current end of the object's text, including the comma of its last member.
    /// - Returns: The new end.
    @inline(never) private mutating func removeMembers(end: Int, in sink: JSONAddresses) -> Int {
        if unsafe level.pointee.removals & Level.omitsBit != 0, mayOmit { markOmitted(end: end, in: sink) }
        let base = unsafe Int(level.pointee.memberBase)
        guard unsafe level.pointee.removals & ~Level.omitsBit != 0 else { return end }
        var output = unsafe sink.address(members[base].outputStart)
        var kept = output
        for index in base..<memberCount where unsafe members[index].quote & Member.removedBit != 0 {
            let start = unsafe sink.address(members[index].outputStart)
            if output < kept, kept < start { sink.move(kept..<start, to: output) }
            output &+= start &- kept
            kept = endOfMember(index, end: end, in: sink)
        }
        if kept < end { sink.move(kept..<end, to: output) }
        output &+= end &- kept
        // Without a member that remains, one has no comma.
        let start = unsafe sink.address(members[base].outputStart)
        if unsafe level.pointee.removals & Level.omitsBit != 0, output == start { omittedBytes &-= 1 }
        return output
    }

    /// Returns the end of a member of the innermost object in the sink.
    @inline(__always) private func endOfMember(_ index: Int, end: Int, in sink: JSONAddresses) -> Int {
        unsafe index &+ 1 == memberCount ? end : sink.address(members[index &+ 1].outputStart)
    }

    // MARK: Members that are left out

    /// The number of containers around the innermost one.
    private var depth: Int { unsafe level - levels - 2 }

    /// Notes which patterns enter the container that was opened.
    /// - Returns: ``Level/omitsBit`` if some may denote its members.
    @inline(never) private mutating func enter(_ container: Container) -> UInt32 {
        let around = unsafe level - 1
        let isElement = unsafe around.pointee.container == .array
        if isElement, case let known = unsafe around.pointee.nameBits, known & Level.entersBit != 0 {
            return container == .object ? UInt32(truncatingIfNeeded: known) & Level.omitsBit : 0
        }
        var member: (hash: UInt32, quote: Int)?
        if unsafe around.pointee.container == .object {
            let last = memberCount &- 1
            member = unsafe (hashes[last], Int(members[last].quote & ~Member.removedBit))
        }
        let depth = depth
        let omits = omissions?.enter(level: depth, of: member, in: source) ?? false
        let removals = omits ? Level.omitsBit : 0
        if isElement { unsafe around.pointee.nameBits = Level.entersBit | UInt64(removals) }
        return container == .object ? removals : 0
    }

    /// Whether a pattern may denote members of the innermost object, by their hashes.
    @inline(__always) private var mayOmit: Bool {
        let depth = depth
        guard let step = omissions?.step(level: depth) else { return false }
        for index in unsafe Int(level.pointee.memberBase)..<memberCount where unsafe step.mayName(hashes[index]) {
            return true
        }
        return false
    }

    /// Marks the members of the innermost object that patterns denote, and counts those that were not removed before.
    @inline(never) private mutating func markOmitted(end: Int, in sink: JSONAddresses) {
        let depth = depth
        guard let step = omissions?.step(level: depth) else { return }
        let base = unsafe Int(level.pointee.memberBase)
        var (count, bytes) = (0, 0)
        for index in base..<memberCount where unsafe step.mayName(hashes[index]) {
            let quote = unsafe members[index].quote
            let start = unsafe sink.address(members[index].outputStart)
            let memberBytes = endOfMember(index, end: end, in: sink) &- start
            // A null was already removed.
            guard quote & Member.removedBit == 0, memberBytes > 0,
                unsafe omissions?.denoteMember(hashes[index], Int(quote), level: depth, in: source) == true
            else { continue }
            unsafe members[index].quote |= Member.removedBit
            count &+= 1
            bytes &+= memberBytes
        }
        unsafe level.pointee.removals &+= UInt32(truncatingIfNeeded: count)
        omittedCount += count
        omittedBytes += bytes
    }

    // MARK: Capacity

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
            // In blocks, as they are written: unused allocated memory costs nothing.
            let bytes = Self.grantedBlock * (MemoryLayout<Member>.stride + MemoryLayout<UInt32>.stride)
            if !isOutOfMemory, !memory.take(bytes) { isOutOfMemory = true }
            // If none is granted, the next unexpected name ends the text. Only a few members precede it.
            grantedMembers += isOutOfMemory ? Self.blockMembers : Self.grantedBlock
            memberEnd = min(memberCapacity, grantedMembers)
            if memberCount < memberEnd { return }
        }
        let isInBlock = memberCapacity == Self.blockMembers
        let base = unsafe Int(level.pointee.memberBase)
        let expected = memberCount > base ? base + expectedCount : 0
        var capacity = max(memberCapacity * 2, min(memberCapacity * 16, expected))
        if capacity > Self.maxCopiedMembers {
            // The maximum number of members in the rest of the text: copying this many later would need the same amount
            // again. Unused capacity is never touched.
            let last = unsafe Int(members[memberCount &- 1].quote & ~Member.removedBit)
            capacity = max(memberCount + (source.count - last) / Self.minMemberBytes + 2, memberCapacity + 1)
        }
        unsafe members = Self.move(members, count: memberCapacity, to: capacity, isInBlock: isInBlock)
        unsafe hashes = Self.move(hashes, count: memberCapacity + 8, to: capacity + 8, isInBlock: isInBlock)
        memberCapacity = capacity
        memberEnd = min(memberCapacity, grantedMembers)
    }

    /// The fault at the last member.
    var outOfMemory: JSONFault {
        JSONFault(.outOfMemory, at: unsafe Int(members[memberCount &- 1].quote & ~Member.removedBit))
    }

    /// Adds capacity for one more level, if `maxDepth` allows it.
    /// - Parameter start: The offset of its bracket.
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

    /// Moves `count` elements to separate memory with the given capacity. All other elements there are zero.
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
