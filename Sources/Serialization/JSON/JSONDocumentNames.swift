/// The names of the members that were read in the open objects of a document.
///
/// **Invariant**: the names of an object are either all in ``listed``, behind those of the objects around it, or all in
/// its table. Few names are compared one by one, which takes less time than a table; many are not, which would take
/// quadratic time. `JSONDocumentReaderTests` check repeated names among few and many.
struct JSONDocumentNames {
    private struct Object {
        /// The number of names that were listed before.
        var start: Int
        /// The offset of each name, with which it is replaced if it has many names.
        var table: [[UInt8]: Int]?
    }

    private static let maxListed = 16

    private var objects: [Object] = []
    /// Names without escapes.
    private var listed: [Range<Int>] = []

    init() {
        objects.reserveCapacity(4)
        listed.reserveCapacity(Self.maxListed)
    }

    mutating func enter() { objects.append(Object(start: listed.count)) }

    /// Leaves the innermost object.
    /// - Returns: the number of its names.
    mutating func leave() -> Int {
        guard let object = objects.popLast() else { return 0 }
        let count = object.table?.count ?? listed.count - object.start
        listed.removeLast(listed.count - object.start)
        return count
    }

    /// Adds a name to the innermost object.
    /// - Returns: the offset of the opening quote of the same name, if the object has it.
    mutating func add(_ name: JSONStringToken, in text: Span<UInt8>) -> Int? {
        let innermost = objects.count - 1
        if objects[innermost].table == nil {
            let start = objects[innermost].start
            if !name.hasEscapes, listed.count - start < Self.maxListed {
                let range = name.range
                let bytes = text.extracting(first: range.upperBound).extracting(droppingFirst: range.lowerBound)
                for other in listed[start...] where other.count == bytes.count {
                    let listed = text.extracting(first: other.upperBound).extracting(droppingFirst: other.lowerBound)
                    if listed.equals(bytes) { return other.lowerBound - 1 }
                }
                listed.append(name.range)
                return nil
            }
            var table: [[UInt8]: Int] = [:]
            for other in listed[start...] {
                table[JSONStringToken(range: other, hasEscapes: false).utf8(in: text)] = other.lowerBound - 1
            }
            listed.removeLast(listed.count - start)
            objects[innermost].table = table
        }
        return objects[innermost].table?.updateValue(name.range.lowerBound - 1, forKey: name.utf8(in: text))
    }
}
