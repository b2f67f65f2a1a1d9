// Shared references make a property list a graph: sixty arrays, each of which contains the next one twice, have 283
// bytes and would become 2^60 values. Before anything is written, the length of every object is therefore computed from
// the lengths of the objects that it refers to, once per object, in a depth-first traversal with an explicit stack.
//
// Worked example, #0 [#1, #1], #1 [#2, #2], #2 true: 4 bytes, then 2 + 2 × 5 = 12, then 2 + 2 × 13 = 28.
//
// The lengths are those of texts without escapes: ``Limits/maxOutputBytes`` bounds what escapes add.

/// Reads the reachable objects, and rejects cycles, excessive nesting and values that would be too long.
struct PropertyListMeasure {
    private let maxDepth: Int
    private let maxMembers: Int
    private let maxPointerBytes: Int
    private let maxBytes: Int

    /// The length of each container as JSON, including everything that it refers to.
    private var lengths: [UInt32]

    /// The number of nested containers in each object, plus one: 0 until it is reached, 1 for a scalar, ``onPath``
    /// while it is being measured.
    private var heights: [UInt16]

    private struct Frame {
        var id: Int
        /// The index of the next reference.
        var index = 0
        var length = 2
        var height = 1
    }

    private var path: [Frame] = []
    private static let onPath = UInt16.max

    /// - Parameters:
    ///   - checker: Checks objects of the binary format that have not been reached before; `nil` if all have been.
    ///   - contentBytes: The length of the content, which determines the maximum length of the value.
    /// - Returns: The length of the value without escapes, in bytes.
    static func check(
        _ graph: borrowing PropertyListGraph,
        with checker: inout BinaryPropertyList.Checker?,
        _ bytes: Span<UInt8>,
        contentBytes: Int,
        limits: Limits
    ) throws(PropertyListFault) -> Int {
        var measure = PropertyListMeasure(objects: graph.count, contentBytes: contentBytes, limits: limits)
        try measure.run(graph, &checker, bytes)
        return Int(measure.lengths[graph.top])
    }

    /// Returns the maximum length of the value: 16 times the content plus 1 MiB.
    static func maxBytes(contentBytes: Int) -> Int {
        let (bytes, overflow) = contentBytes.multipliedReportingOverflow(by: 16)
        return overflow ? Int(UInt32.max) : min(bytes + (1 << 20), Int(UInt32.max))
    }

    private init(objects: Int, contentBytes: Int, limits: Limits) {
        maxDepth = min(limits.maxNestingDepth, Limits.hardMaxNestingDepth)
        maxMembers = limits.maxObjectMembers
        maxPointerBytes = limits.maxPointerBytes
        maxBytes = Self.maxBytes(contentBytes: contentBytes)
        lengths = Array(repeating: 0, count: objects)
        heights = Array(repeating: 0, count: objects)
    }

    private mutating func run(
        _ graph: borrowing PropertyListGraph,
        _ checker: inout BinaryPropertyList.Checker?,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) {
        try enter(graph.top, graph, &checker, bytes)
        while let last = path.indices.last {
            let frame = path[last]
            let container = graph.object(frame.id, bytes)
            if frame.index == container.referenceCount {
                path.removeLast()
                lengths[frame.id] = UInt32(truncatingIfNeeded: frame.length)
                heights[frame.id] = UInt16(truncatingIfNeeded: frame.height + 1)
                try add(frame.id, graph, bytes)
                continue
            }
            let child = graph.reference(frame.index, of: container, bytes)
            path[last].index += 1
            if container.kind == .url {
                try add(graph.object(child, bytes).leafLength, 1, graph, bytes)
                continue
            }
            guard child < graph.count else { throw fault(.invalidReference, at: container, graph, bytes) }
            switch heights[child] {
            case 0: try enter(child, graph, &checker, bytes)
            case Self.onPath: throw fault(.cycle, at: container, graph, bytes)
            case let height:
                guard path.count + Int(height) - 1 <= maxDepth else {
                    throw fault(.nestingTooDeep(max: maxDepth), at: container, graph, bytes)
                }
                try add(child, graph, bytes)
            }
            if container.kind == .dictionary, frame.index < Int(container.count) {
                let key = graph.object(child, bytes)
                guard key.isString else { throw fault(.invalidKey, at: key, graph, bytes) }
            }
        }
    }

    /// Visits an object for the first time.
    private mutating func enter(
        _ id: Int,
        _ graph: borrowing PropertyListGraph,
        _ checker: inout BinaryPropertyList.Checker?,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) {
        if id < graph.binary?.count ?? 0, checker != nil {
            do throws(PropertyListFault) {
                try checker?.check(id, bytes)
            } catch { throw PropertyListFault(error.reason, at: error.offset, pointer: pointer(graph, bytes)) }
        }
        let object = graph.object(id, bytes)
        guard object.isContainer else {
            heights[id] = 1
            return try add(object.leafLength, 1, graph, bytes)
        }
        guard path.count < maxDepth else { throw fault(.nestingTooDeep(max: maxDepth), at: object, graph, bytes) }
        if object.kind == .dictionary, Int(object.count) > maxMembers {
            throw fault(.tooManyMembers(max: maxMembers), at: object, graph, bytes)
        }
        heights[id] = Self.onPath
        path.append(Frame(id: id))
    }

    /// Adds a measured object to the container that is being measured.
    private mutating func add(
        _ id: Int,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) {
        let height = Int(heights[id])
        try add(height == 1 ? graph.object(id, bytes).leafLength : Int(lengths[id]), height, graph, bytes)
    }

    private mutating func add(
        _ length: Int,
        _ height: Int,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) {
        guard let last = path.indices.last else { return }
        path[last].length += length + 1
        path[last].height = max(path[last].height, height)
        guard path[last].length <= maxBytes else {
            throw fault(.expansionTooLarge(maxBytes: maxBytes), at: graph.object(path[last].id, bytes), graph, bytes)
        }
    }

    // MARK: Faults

    private func fault(
        _ reason: PropertyListError.Reason,
        at object: PropertyListObject,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) -> PropertyListFault {
        PropertyListFault(reason, at: Int(object.offset), pointer: pointer(graph, bytes))
    }

    private func pointer(_ graph: borrowing PropertyListGraph, _ bytes: Span<UInt8>) -> String {
        graph.pointer(
            through: path.lazy.map { ($0.id, $0.index - 1) },
            bytes,
            maxBytes: maxPointerBytes,
            isChecked: { heights[$0] != 0 }
        )
    }
}

extension PropertyListObject {
    /// The minimum length of an object without references as JSON.
    fileprivate var leafLength: Int {
        switch kind {
        case .null, .true: 4
        case .false: 5
        case .integer, .real32, .real64: 1
        case .integerText: Int(count)
        case .date, .dateText: 22
        case .data: Int(count) / 3 * 4 + 2
        case .ascii, .utf8, .utf16: Int(count) + 2
        case .uid: 14
        case .uuid: 38
        case .url, .array, .set, .orderedSet, .dictionary: 2
        }
    }
}
