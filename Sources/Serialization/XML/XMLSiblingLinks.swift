/// Which children of an element have the same key, in time linear in their number, whatever their keys are.
///
/// Each child is linked to the next one of its key. The child that was seen last of every key is kept in a table that all
/// elements share: an entry says whose child it is, so that the table is never emptied.
struct XMLSiblingLinks {
    /// By record, once there is a link: the lowest 31 bits are the next child's index, or 0 for none, and the highest
    /// says that the record is itself linked to.
    private var links: [UInt32] = []

    /// By key.
    private var last: [(parent: Int, child: Int)]

    private static let laterBit = UInt32(1) << 31

    init(keyCount: Int) {
        last = Array(repeating: (-1, -1), count: keyCount)
    }

    /// Links the children of an element, once for each element.
    mutating func link(childrenOf element: Int, _ keys: XMLKeys, _ tape: borrowing XMLTape) {
        if links.isEmpty { links = Array(repeating: 0, count: tape.count) }
        let end = tape.end(at: element)
        var child = tape.firstElement(from: tape.content(of: element).lowerBound, to: end)
        while child < end {
            let key = keys.element(tape.name(at: child))
            if last[key].parent == element {
                links[last[key].child] |= UInt32(child)
                links[child] |= Self.laterBit
            }
            last[key] = (element, child)
            child = tape.firstElement(from: tape.end(at: child), to: end)
        }
    }

    /// The next child of the same key.
    func next(after child: Int) -> Int? {
        let next = links[child] & ~Self.laterBit
        return next == 0 ? nil : Int(next)
    }

    /// Whether there is one of the same key before.
    func isLater(_ child: Int) -> Bool {
        links[child] & Self.laterBit != 0
    }
}
