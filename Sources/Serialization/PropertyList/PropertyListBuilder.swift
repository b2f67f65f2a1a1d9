/// Builds a graph from the contents of the text and XML formats, in source order.
///
/// Worked example, `{a = (x);}`: open the dictionary, string `a`, open the array, string `x`, close, close. Objects are
/// added when they are complete, so the last one added is the value.
struct PropertyListBuilder: ~Copyable {
    /// The texts, data and numbers, at the ranges of their objects.
    private(set) var bytes: [UInt8] = []
    private var graph = PropertyListGraph()
    /// The decimal numbers that were rounded, of which one more than is reported is listed.
    private(set) var rounded: [PropertyListReader.Note] = []
    /// The objects whose container is still open.
    private var pending: [UInt32] = []
    private var levels: [Level] = []
    private let limits: Limits
    private let maxDepth: Int
    /// The memory for objects.
    private var memory: MemoryBudget

    /// The memory for one object, in bytes: the object, its references and its entries in the lists for checking and
    /// writing.
    static let bytesPerObject = 40

    private struct Level {
        var kind: PropertyListObject.Kind
        var offset: Int
        /// The index of its first object in `pending`.
        var start: Int
    }

    /// - Parameters:
    ///   - contentBytes: The length of the text. Address space for the longest possible result is reserved, so that
    ///     growing copies nothing. Unused parts of it are never touched.
    ///   - memory: The source of memory for objects.
    init(limits: Limits, contentBytes: Int, memory: any MemoryGrant) {
        self.limits = limits
        self.memory = MemoryBudget(memory)
        bytes.reserveCapacity(contentBytes)
        let maxObjects = min(contentBytes / 2 + 2, PropertyListGraph.maxObjects)
        graph.reserve(objects: maxObjects, references: maxObjects)
        pending.reserveCapacity(maxObjects)
        maxDepth = min(limits.maxNestingDepth, Limits.hardMaxNestingDepth)
    }

    /// The innermost open container, or `nil` if there is none.
    var container: PropertyListObject.Kind? { levels.last?.kind }

    /// Whether only the outermost container is open.
    var isAtTop: Bool { levels.count == 1 }

    var hasValue: Bool { levels.isEmpty && graph.count > 0 }

    /// Whether the open dictionary expects the value of a key.
    var needsValue: Bool {
        guard let level = levels.last, level.kind == .dictionary else { return false }
        return (pending.count - level.start) % 2 == 1
    }

    /// Returns the graph, with the last object as its value.
    consuming func finish() -> (graph: PropertyListGraph, bytes: [UInt8]) {
        graph.top = max(0, graph.count - 1)
        return (graph, bytes)
    }

    // MARK: Containers

    mutating func open(_ kind: PropertyListObject.Kind, at offset: Int) throws(PropertyListFault) {
        guard levels.count < maxDepth else { throw fault(.nestingTooDeep(max: maxDepth), at: offset) }
        levels.append(Level(kind: kind, offset: offset, start: pending.count))
    }

    mutating func close() throws(PropertyListFault) {
        guard let level = levels.popLast() else { return }
        // A range, not a slice: a slice would be a second reference to `pending`, and each change would copy all of it.
        let children = level.start..<pending.count
        var object = PropertyListObject(kind: level.kind, hasOwnReferences: true)
        object.start = UInt32(truncatingIfNeeded: graph.references.count)
        object.count = UInt32(truncatingIfNeeded: children.count)
        if level.kind == .dictionary {
            object.count /= 2
            guard Int(object.count) <= limits.maxObjectMembers else {
                throw fault(.tooManyMembers(max: limits.maxObjectMembers), at: level.offset)
            }
            if let uid = uid(of: children, at: level.offset) {
                pending.removeSubrange(children)
                return try add(uid)
            }
            for first in [0, 1] {
                for index in stride(from: children.lowerBound + first, to: children.upperBound, by: 2) {
                    graph.references.append(pending[index])
                }
            }
        } else {
            graph.references.append(contentsOf: pending[children])
        }
        object.offset = UInt32(truncatingIfNeeded: level.offset)
        pending.removeSubrange(children)
        try add(object)
    }

    /// Returns a UID if a dictionary has the form `{CF$UID = n}`, which archives use in the XML format because it has
    /// no UID type.
    /// - Parameter children: The range of the keys and values in `pending`, in source order.
    private mutating func uid(of children: Range<Int>, at offset: Int) -> PropertyListObject? {
        guard children.count == 2 else { return nil }
        let key = graph.object(Int(pending[children.lowerBound]), bytes.span)
        let number = graph.object(Int(pending[children.lowerBound + 1]), bytes.span)
        guard number.kind == .integerText, graph.isString(key, "CF$UID", bytes.span),
            let uid = UInt64(String(decoding: bytes[number.range], as: UTF8.self))
        else { return nil }
        let start = bytes.count
        bytes.append(bigEndian: uid)
        return object(.uid, from: start, at: offset)
    }

    // MARK: Values

    /// Adds a value without a payload.
    mutating func add(_ kind: PropertyListObject.Kind, at offset: Int) throws(PropertyListFault) {
        try add(PropertyListObject(kind: kind, offset: UInt32(truncatingIfNeeded: offset)))
    }

    /// Adds a value whose payload `body` appends to the bytes.
    /// - Parameters:
    ///   - reason: The error if `body` returns `false`.
    mutating func add(
        _ kind: PropertyListObject.Kind,
        at offset: Int,
        or reason: PropertyListError.Reason,
        _ body: (inout [UInt8]) -> Bool
    ) throws(PropertyListFault) {
        let start = bytes.count
        guard body(&bytes) else { throw fault(reason, at: offset) }
        try add(object(kind, from: start, at: offset))
    }

    /// Adds a string whose text `body` appends to the bytes.
    mutating func add(
        _ kind: PropertyListObject.Kind,
        at offset: Int,
        _ body: (inout [UInt8]) -> Void
    ) throws(PropertyListFault) {
        let start = bytes.count
        body(&bytes)
        try add(object(kind, from: start, at: offset))
    }

    /// Adds a decimal number, and notes whether it is rounded.
    mutating func addReal(_ text: Span<UInt8>, at offset: Int) throws(PropertyListFault) {
        guard let number = PropertyListScalarText.real(text) else { throw fault(.invalidNumber, at: offset) }
        if rounded.count <= limits.maxWarnings, PropertyListScalarText.isRounded(text, to: number) {
            let kind = Warning.Kind.propertyListNumberRounded(from: text.text, to: number.description)
            rounded.append(PropertyListReader.Note(kind: kind, offset: offset, pointer: pointer))
        }
        try add(.real64, at: offset) { $0.append(bigEndian: number.bitPattern) }
    }

    /// Adds the key that expects a value as its own value.
    mutating func addKeyAsValue() {
        guard needsValue, let key = pending.last else { return }
        pending.append(key)
    }

    private func object(_ kind: PropertyListObject.Kind, from start: Int, at offset: Int) -> PropertyListObject {
        PropertyListObject(
            kind: kind,
            start: UInt32(truncatingIfNeeded: start),
            count: UInt32(truncatingIfNeeded: bytes.count - start),
            offset: UInt32(truncatingIfNeeded: offset)
        )
    }

    private mutating func add(_ object: PropertyListObject) throws(PropertyListFault) {
        guard graph.count < PropertyListGraph.maxObjects else {
            throw fault(.tooManyObjects(max: PropertyListGraph.maxObjects), at: Int(object.offset))
        }
        guard memory.take(Self.bytesPerObject) else { throw fault(.outOfMemory, at: Int(object.offset)) }
        if !levels.isEmpty { pending.append(UInt32(truncatingIfNeeded: graph.count)) }
        graph.append(object)
    }

    // MARK: Faults

    /// Returns a fault in the value that would be added next.
    func fault(_ reason: PropertyListError.Reason, at offset: Int) -> PropertyListFault {
        PropertyListFault(reason, at: offset, pointer: pointer)
    }

    private var pointer: String {
        var pointer = JSONPointer(maxBytes: limits.maxPointerBytes)
        for (index, level) in levels.enumerated() where !pointer.isCut {
            let end = index + 1 < levels.count ? levels[index + 1].start : pending.count
            guard level.kind == .dictionary else {
                pointer.append(end - level.start)
                continue
            }
            guard (end - level.start) % 2 == 1 else { break }
            pointer.append(graph.text(of: graph.object(Int(pending[end - 1]), bytes.span), bytes.span))
        }
        return pointer.text
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian word: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
}
