/// Sorts the children of elements by key, in time linear in their number, whatever their keys are.
///
/// The children of `<a><b/><c/><b/></a>` are sorted to b, b, c: keys in the order of their first child, and the
/// children of one key in document order. The children are first counted by key; then each is placed in the range of
/// its key, after those that were placed before. All elements share the table of keys. An entry identifies its parent,
/// so the table is never cleared.
struct XMLSiblingGroups {
    private struct Entry {
        var parent: UInt32 = .max
        /// The number of children; then the index for the next one.
        var next: UInt32 = 0
    }

    /// The entries by key.
    private var entries: [Entry]

    init(keyCount: Int) { entries = Array(repeating: Entry(), count: keyCount) }

    /// Returns the children of an element, sorted by key, with four bytes for each.
    mutating func children(
        of element: Int,
        _ content: Range<Int>,
        _ keys: XMLKeys,
        _ tape: borrowing XMLTape
    ) -> [UInt32] {
        let (count, order) = countChildren(of: element, content, keys, tape)
        var start: UInt32 = 0
        for key in order {
            let number = entries[Int(key)].next
            entries[Int(key)].next = start
            start += number
        }
        var children = [UInt32](repeating: 0, count: count)
        var child = tape.firstElement(from: content.lowerBound, to: content.upperBound)
        while child < content.upperBound {
            let decoded = tape.element(at: child)
            let key = keys.element(decoded.name)
            children[Int(entries[key].next)] = UInt32(child)
            entries[key].next += 1
            child = tape.firstElement(from: tape.end(of: decoded), to: content.upperBound)
        }
        return children
    }

    /// - Returns: The number of children, and their keys in the order of their first children.
    private mutating func countChildren(
        of element: Int,
        _ content: Range<Int>,
        _ keys: XMLKeys,
        _ tape: borrowing XMLTape
    ) -> (count: Int, order: [UInt32]) {
        var count = 0
        var order: [UInt32] = []
        var child = tape.firstElement(from: content.lowerBound, to: content.upperBound)
        while child < content.upperBound {
            let decoded = tape.element(at: child)
            let key = keys.element(decoded.name)
            if entries[key].parent == UInt32(element) {
                entries[key].next += 1
            } else {
                entries[key] = Entry(parent: UInt32(element), next: 1)
                order.append(UInt32(key))
            }
            count += 1
            child = tape.firstElement(from: tape.end(of: decoded), to: content.upperBound)
        }
        return (count, order)
    }
}
