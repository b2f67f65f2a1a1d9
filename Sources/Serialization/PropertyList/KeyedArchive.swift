// NSKeyedArchiver writes a graph of objects as a property list: `$objects` contains all objects, a UID is the index of
// one, and `$top` contains the roots. Resolving an archive replaces each UID by its object.
//
//     $top {root: UID 1}, $objects ["$null", {$class: UID 3, NS.objects: [UID 2]}, "x", {$classname: "NSArray", …}]
//     → {"root": ["x"]}
//
// · Arrays, sets, dictionaries, strings, dates, data, UUIDs, URLs, numbers and null of Foundation become the values
//   that they represent.
// · An object of any other class becomes an object with the name of its class as `$class` and its members under their
//   names. The same applies to an object of Foundation that lacks the members that its class writes.
// · The value is always `$top`: its shape does not depend on the number of roots.
// · An object that contains itself is rejected (`plist.cycle`): JSON has no references. `archive=keep` writes the UIDs.
//
// Nothing is copied: new objects refer to the bytes of the old ones. Each old object becomes one new object, so shared
// objects remain shared, and the result is measured like any other graph before it is written.

struct KeyedArchive: ~Copyable {
    private let objectsArray: PropertyListObject
    /// The new object of each old one, plus one; 0 if there is none yet.
    private var resolved: [UInt32]
    /// Containers whose new object has not been filled yet.
    private var unfilled: [(old: Int, new: Int)] = []
    private let null: Int
    /// The name in each class description. Both are identifiers of objects.
    private var classNames: [Int: Int] = [:]

    /// The maximum length of the names of known Foundation classes, in bytes.
    private static let maxKnownNameBytes = 64

    /// The number of references that were resolved, also those of a collection that is then written like any other
    /// object.
    private var references = 0

    /// The memory for the new objects, which includes two references of each.
    private var memory: MemoryBudget
    private let includedReferences: Int

    /// The maximum number of references. One array can be the content of many objects.
    private static let maxReferences = PropertyListGraph.maxObjects * 2

    /// Replaces the archive by its resolved `$top`.
    /// - Returns: `false` if the value is not an archive; it remains unchanged then.
    static func resolve(
        _ graph: inout PropertyListGraph,
        _ bytes: Span<UInt8>,
        memory: any MemoryGrant
    ) throws(PropertyListFault) -> Bool {
        let root = graph.object(graph.top, bytes)
        guard root.kind == .dictionary, graph.member("$archiver", of: root, bytes) != nil,
            let top = graph.member("$top", of: root, bytes), graph.object(top, bytes).kind == .dictionary,
            let objects = graph.member("$objects", of: root, bytes), graph.object(objects, bytes).kind == .array
        else { return false }
        let resolvedBytes = PropertyListBuilder.bytesPerObject * (graph.kept.count + graph.count)
        var budget = MemoryBudget(memory)
        guard budget.take(resolvedBytes) else { throw PropertyListFault(.outOfMemory, at: Int(root.offset)) }
        graph.append(PropertyListObject(kind: .null))
        graph.reserve(objects: graph.kept.count + graph.count, references: Self.maxReferences)
        var archive = KeyedArchive(
            objectsArray: graph.object(objects, bytes),
            null: graph.count - 1,
            memory: budget,
            objects: graph.count
        )
        let newTop = try archive.resolve(top, in: &graph, bytes)
        while let (old, new) = archive.unfilled.popLast() {
            try archive.fill(new, from: graph.object(old, bytes), in: &graph, bytes)
        }
        graph.top = newTop
        return true
    }

    private init(objectsArray: PropertyListObject, null: Int, memory: consuming MemoryBudget, objects: Int) {
        self.objectsArray = objectsArray
        self.null = null
        self.memory = memory
        resolved = Array(repeating: 0, count: objects)
        includedReferences = objects * 2
    }

    // MARK: Steps

    /// Returns the new object of an old one. The new object of a container is empty until it is filled.
    private mutating func resolve(
        _ id: Int,
        in graph: inout PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) -> Int {
        let old = try follow(id, in: graph, bytes)
        // A string of a URL remains unchanged.
        if old == null || old >= BinaryPropertyList.stringBase { return old }
        if resolved[old] > 0 { return Int(resolved[old]) - 1 }
        let object = graph.object(old, bytes)
        let new: Int
        if let value = try scalar(object, in: &graph, bytes) {
            new = value
        } else if object.isContainer {
            new = graph.append(PropertyListObject(kind: object.kind, hasOwnReferences: true, offset: object.offset))
            unfilled.append((old, new))
        } else {
            new = old
        }
        resolved[old] = UInt32(truncatingIfNeeded: new + 1)
        return new
    }

    /// Returns the object that a UID refers to. Any other object is returned unchanged.
    private func follow(
        _ id: Int,
        in graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) -> Int {
        let object = graph.object(id, bytes)
        guard object.kind == .uid else { return id }
        guard let index = Int(exactly: PropertyListUID.value(object, bytes)), index < Int(objectsArray.count) else {
            throw PropertyListFault(.invalidArchive, at: Int(object.offset))
        }
        let target = graph.reference(index, of: objectsArray, bytes)
        // The archiver's representation of nil.
        if index == 0, graph.isString(graph.object(target, bytes), "$null", bytes) { return null }
        guard graph.object(target, bytes).kind != .uid else {
            throw PropertyListFault(.invalidArchive, at: Int(graph.object(target, bytes).offset))
        }
        return target
    }

    /// Returns the name of the class, as an object.
    private mutating func className(
        of object: PropertyListObject,
        in graph: borrowing PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) -> Int? {
        guard object.kind == .dictionary, let reference = graph.member("$class", of: object, bytes),
            graph.object(reference, bytes).kind == .uid
        else { return nil }
        let id = try follow(reference, in: graph, bytes)
        if let known = classNames[id] { return known }
        let description = graph.object(id, bytes)
        guard description.kind == .dictionary, let name = graph.member("$classname", of: description, bytes),
            graph.object(name, bytes).isString
        else { throw PropertyListFault(.invalidArchive, at: Int(object.offset)) }
        classNames[id] = name
        return name
    }

    /// Returns the name of a class if it is short enough to be a known one.
    private func text(_ name: Int, _ graph: borrowing PropertyListGraph, _ bytes: Span<UInt8>) -> String {
        graph.object(name, bytes).range.count <= Self.maxKnownNameBytes
            ? graph.text(of: graph.object(name, bytes), bytes) : ""
    }

    /// Returns the value of an object that represents a scalar, or `nil` for any other object.
    private mutating func scalar(
        _ object: PropertyListObject,
        in graph: inout PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) -> Int? {
        guard let name = try className(of: object, in: graph, bytes) else { return nil }
        /// Returns the value of the member if it has the kind that the class writes.
        func member(_ name: String, _ isRight: (PropertyListObject) -> Bool) throws(PropertyListFault) -> Int? {
            guard let id = graph.member(name, of: object, bytes) else { return nil }
            let value = try follow(id, in: graph, bytes)
            return value < graph.count && isRight(graph.object(value, bytes)) ? value : nil
        }
        switch text(name, graph, bytes) {
        case "NSNull": return null
        case "NSString", "NSMutableString": return try member("NS.string") { $0.isString }
        case "NSData", "NSMutableData": return try member("NS.data") { $0.kind == .data }
        case "NSNumber":
            for name in ["NS.boolval", "NS.intval", "NS.dblval"] {
                if let number = try member(name, { !$0.isContainer && !$0.isString }) { return number }
            }
            return nil
        case "NSDate":
            guard let time = try member("NS.time", { $0.kind == .real64 }) else { return nil }
            let seconds = Double(bitPattern: bytes.bigEndianWord(at: Int(graph.object(time, bytes).start), width: 8))
            guard PropertyListDate.isRepresentable(secondsSince2001: seconds) else {
                throw PropertyListFault(.invalidDate, at: Int(graph.object(time, bytes).offset))
            }
            return graph.append(graph.object(time, bytes), as: .date)
        case "NSUUID":
            guard let id = try member("NS.uuidbytes", { $0.kind == .data && $0.count == 16 }) else { return nil }
            return graph.append(graph.object(id, bytes), as: .uuid)
        case "NSURL":
            guard let relative = try member("NS.relative", { $0.isString }),
                try member("NS.base", { $0.kind == .null }) != nil
            else { return nil }
            return graph.append(.url, [UInt32(truncatingIfNeeded: relative)], like: object)
        default: return nil
        }
    }

    /// Sets the references of a new container.
    private mutating func fill(
        _ new: Int,
        from object: PropertyListObject,
        in graph: inout PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) {
        let className = try className(of: object, in: graph, bytes)
        var kind = object.kind
        var children: [UInt32] = []
        if let className, let (known, members) = try collection(className, object, in: &graph, bytes) {
            kind = known
            children = members
        } else {
            try admit(object.referenceCount, of: object)
            let count = Int(object.count)
            children.reserveCapacity(object.referenceCount)
            for index in 0..<object.referenceCount {
                let child = graph.reference(index, of: object, bytes)
                let isKey = object.kind == .dictionary && index < count
                let isClass =
                    className != nil && !isKey
                    && graph.isString(
                        graph.object(graph.reference(index - count, of: object, bytes), bytes),
                        "$class",
                        bytes
                    )
                if isKey {
                    children.append(UInt32(truncatingIfNeeded: child))
                } else if isClass, let className {
                    children.append(UInt32(truncatingIfNeeded: className))
                } else {
                    children.append(UInt32(truncatingIfNeeded: try resolve(child, in: &graph, bytes)))
                }
            }
        }
        let start = graph.references.count
        graph.replace(new) { object in
            object.kind = kind
            object.start = UInt32(truncatingIfNeeded: start)
            object.count = UInt32(truncatingIfNeeded: kind == .dictionary ? children.count / 2 : children.count)
        }
        graph.references.append(contentsOf: children)
    }

    /// Returns the elements, or the keys and then the values, of a Foundation collection. Returns `nil` if it lacks the
    /// members that its class writes, or has keys that are not strings.
    private mutating func collection(
        _ className: Int,
        _ object: PropertyListObject,
        in graph: inout PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) -> (PropertyListObject.Kind, [UInt32])? {
        let kind: PropertyListObject.Kind
        switch text(className, graph, bytes) {
        case "NSArray", "NSMutableArray": kind = .array
        case "NSSet", "NSMutableSet": kind = .set
        case "NSOrderedSet", "NSMutableOrderedSet": kind = .orderedSet
        case "NSDictionary", "NSMutableDictionary": kind = .dictionary
        default: return nil
        }
        guard let values = graph.member("NS.objects", of: object, bytes), graph.object(values, bytes).kind == .array
        else { return nil }
        guard kind == .dictionary else { return (kind, try elements(of: values, in: &graph, bytes)) }
        guard let keys = graph.member("NS.keys", of: object, bytes), graph.object(keys, bytes).kind == .array,
            graph.object(keys, bytes).count == graph.object(values, bytes).count
        else { return nil }
        let newKeys = try elements(of: keys, in: &graph, bytes)
        guard newKeys.allSatisfy({ graph.object(Int($0), bytes).isString }) else { return nil }
        return (kind, newKeys + (try elements(of: values, in: &graph, bytes)))
    }

    private mutating func elements(
        of array: Int,
        in graph: inout PropertyListGraph,
        _ bytes: Span<UInt8>
    ) throws(PropertyListFault) -> [UInt32] {
        let object = graph.object(array, bytes)
        try admit(Int(object.count), of: object)
        var elements: [UInt32] = []
        elements.reserveCapacity(Int(object.count))
        for index in 0..<Int(object.count) {
            let element = try resolve(graph.reference(index, of: object, bytes), in: &graph, bytes)
            elements.append(UInt32(truncatingIfNeeded: element))
        }
        return elements
    }
}

extension KeyedArchive {
    /// Counts references before they are resolved.
    private mutating func admit(_ count: Int, of object: PropertyListObject) throws(PropertyListFault) {
        references += count
        guard references <= Self.maxReferences else {
            throw PropertyListFault(.tooManyObjects(max: Self.maxReferences), at: Int(object.offset))
        }
        let more = min(count, references - includedReferences)
        guard more <= 0 || memory.take(more * MemoryLayout<UInt32>.size) else {
            throw PropertyListFault(.outOfMemory, at: Int(object.offset))
        }
    }
}

extension PropertyListGraph {
    /// Returns the value of `key` in a dictionary. If there are several, the first one counts.
    fileprivate func member(_ key: String, of object: PropertyListObject, _ bytes: Span<UInt8>) -> Int? {
        let count = Int(object.count)
        for index in 0..<count where isString(self.key(index, of: object, bytes), key, bytes) {
            return reference(index + count, of: object, bytes)
        }
        return nil
    }

    /// Adds an object with the payload of another one and a different kind.
    fileprivate mutating func append(_ object: PropertyListObject, as kind: PropertyListObject.Kind) -> Int {
        var object = object
        object.kind = kind
        return append(object)
    }
}
