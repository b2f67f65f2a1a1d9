// The last step of every format: from the graph to JSON, with an explicit stack. The graph has been measured: it has no
// cycles, is not nested too deeply, and every reference leads to a checked object.

/// Writes a measured graph.
struct PropertyListWriter: ~Copyable {
    private let options: PropertyListReader.Options
    private var frames: [Frame] = []
    private var keys = PropertyListKeys()
    /// The overridden duplicates in the dictionaries on the path that have any.
    private var overridden: [MemberSet] = []
    private var hints: TypeHints

    private(set) var nullsDropped = 0
    /// Keys that an earlier key of their dictionary equals, with their offsets in the content, that of the first such
    /// key, and their pointers.
    private(set) var duplicates: [(key: String, offset: Int, first: Int, pointer: String)] = []
    private(set) var unlistedDuplicates = 0

    private struct Frame {
        var id: Int
        var object: PropertyListObject
        /// The index of the next element or member.
        var index = 0
        /// The number of elements written, which is the index of the next one in the answer.
        var written = 0
        var hasOverridden = false
    }

    init(options: PropertyListReader.Options) {
        self.options = options
        hints = TypeHints(isWanted: options.hints, maxBytes: options.limits.maxOutputBytes, memory: options.memory)
    }

    /// Returns the hints as the text of a JSON object, or `nil` if none were requested or there are none.
    consuming func takeHints() -> [UInt8]? { hints.finish() }

    /// Whether the hints exceed the maximum length.
    var isOverLimit: Bool { hints.isOverLimit }
    var isOutOfMemory: Bool { hints.isOutOfMemory }

    mutating func write(
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>,
        into writer: inout JSONWriter
    ) throws(PropertyListFault) {
        try begin(graph.top, graph, bytes, &writer)
        // Beyond the limit nothing is written, and the caller of the writer reports that.
        while let last = frames.indices.last, !writer.isOverLimit, !isOverLimit {
            let frame = frames[last]
            if frame.index == Int(frame.object.count) {
                close(frame, &writer)
                continue
            }
            frames[last].index += 1
            switch frame.object.kind {
            case .dictionary: try member(frame, graph, bytes, &writer)
            case .url:
                if frame.index == 0 { writer.name("base") } else { writer.name("relative") }
                hints.enter(frame.index == 0 ? "base" : "relative")
                try begin(graph.reference(frame.index, of: frame.object, bytes), graph, bytes, &writer)
            case .array, .set, .orderedSet, .null, .false, .true, .integer, .integerText, .real32, .real64,
                .date, .dateText, .data, .ascii, .utf8, .utf16, .uid, .uuid:
                let child = graph.reference(frame.index, of: frame.object, bytes)
                if options.nulls == .dropAll, graph.object(child, bytes).kind == .null {
                    nullsDropped += 1
                    continue
                }
                hints.enter(index: frame.written)
                frames[last].written += 1
                try begin(child, graph, bytes, &writer)
            }
        }
    }

    // MARK: Structure

    private mutating func member(
        _ frame: Frame,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>,
        _ writer: inout JSONWriter
    ) throws(PropertyListFault) {
        if frame.hasOverridden, overridden[overridden.count - 1].contains(frame.index) { return }
        let key = graph.object(graph.reference(frame.index, of: frame.object, bytes), bytes)
        let child = graph.reference(frame.index + Int(frame.object.count), of: frame.object, bytes)
        if options.nulls != .keep, graph.object(child, bytes).kind == .null {
            nullsDropped += 1
            return
        }
        graph.withUTF8(of: key, bytes) { text in
            writer.name(utf8: text)
            hints.enter(utf8: text)
        }
        try begin(child, graph, bytes, &writer)
    }

    /// Writes a scalar, or the start of a container.
    private mutating func begin(
        _ id: Int,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>,
        _ writer: inout JSONWriter
    ) throws(PropertyListFault) {
        let object = graph.object(id, bytes)
        if let hint = object.hint { hints.note(hint) }
        switch object.kind {
        case .array, .set, .orderedSet:
            writer.beginArray()
            frames.append(Frame(id: id, object: object))
        case .dictionary:
            writer.beginObject()
            var frame = Frame(id: id, object: object)
            try checkKeys(of: frame, graph, bytes)
            try findLosers(&frame, graph, bytes)
            frames.append(frame)
        case .url where object.count == 1:
            let string = graph.object(graph.reference(0, of: object, bytes), bytes)
            graph.withUTF8(of: string, bytes) { writer.string(utf8: $0) }
            hints.leave()
        case .url:
            writer.beginObject()
            frames.append(Frame(id: id, object: object))
        case .ascii, .utf8, .utf16:
            graph.withUTF8(of: object, bytes) { writer.string(utf8: $0) }
            hints.leave()
        case .null, .false, .true, .integer, .integerText, .real32, .real64, .date, .dateText, .data, .uid,
            .uuid:
            writer.scalar(object, bytes)
            hints.leave()
        }
    }

    private mutating func close(_ frame: Frame, _ writer: inout JSONWriter) {
        switch frame.object.kind {
        case .dictionary, .url: writer.endObject()
        case .array, .set, .orderedSet, .null, .false, .true, .integer, .integerText, .real32, .real64, .date,
            .dateText, .data, .ascii, .utf8, .utf16, .uid, .uuid:
            writer.endArray()
        }
        if frame.hasOverridden { overridden.removeLast() }
        frames.removeLast()
        hints.leave()
    }

    // MARK: Duplicates

    /// Checks the length of keys before any text is created from them, because many keys may be the same long string.
    private func checkKeys(
        of frame: Frame,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) {
        let maxKeyBytes = options.limits.maxKeyBytes
        for index in 0..<Int(frame.object.count) {
            let key = graph.key(index, of: frame.object, bytes)
            guard !graph.isLonger(key, than: maxKeyBytes, bytes) else {
                throw PropertyListFault(
                    .keyTooLong(max: maxKeyBytes),
                    at: Int(key.offset),
                    pointer: pointer(graph, bytes, member: (frame.id, index))
                )
            }
        }
    }

    private mutating func findLosers(
        _ frame: inout Frame,
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) {
        let maxListed = max(options.duplicates == .reject ? 1 : 0, options.limits.maxWarnings - duplicates.count)
        guard
            let found = keys.repetitions(
                of: frame.object,
                keeping: options.duplicates,
                maxListed: maxListed,
                graph,
                bytes
            )
        else { return }
        for repetition in found.listed {
            let key = graph.key(repetition.index, of: frame.object, bytes)
            let first = Int(graph.key(repetition.first, of: frame.object, bytes).offset)
            let pointer = pointer(graph, bytes, member: (frame.id, repetition.index))
            if options.duplicates == .reject {
                throw PropertyListFault(
                    .duplicateKey(graph.text(of: key, bytes)),
                    at: Int(key.offset),
                    pointer: pointer,
                    first: first
                )
            }
            duplicates.append((graph.text(of: key, bytes), Int(key.offset), first, pointer))
        }
        unlistedDuplicates += found.unlistedCount
        overridden.append(found.overridden)
        frame.hasOverridden = true
    }

    private func pointer(
        _ graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>,
        member: (object: Int, index: Int)? = nil
    ) -> String {
        var steps = frames.map { (object: $0.id, index: $0.index - 1) }
        if let member { steps.append(member) }
        return graph.pointer(through: steps, bytes, maxBytes: options.limits.maxPointerBytes)
    }
}
