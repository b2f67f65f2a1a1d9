/// Which attributes of an element have the same key, in time linear in their number.
///
/// The attribute that was seen last of every key is kept in a table that all elements share: an entry says whose
/// attribute it is, so that the table is never emptied.
struct XMLAttributeClashes {
    private struct Entry {
        var element = -1
        var name = -1
        /// Whether the element has it under another name, too.
        var clashes = false
    }

    /// By key; empty until an element is looked through.
    private var last: [Entry] = []

    /// Looks through the attributes of an element.
    mutating func find(in element: Int, _ keys: XMLKeys, _ tape: borrowing XMLTape) {
        if last.isEmpty { last = Array(repeating: Entry(), count: keys.count) }
        let attributes = tape.attributes(of: element)
        var index = attributes.lowerBound
        while index < attributes.upperBound {
            defer { index = tape.attribute(after: index) }
            guard tape.kind(at: index) == .attribute else { continue }
            let name = tape.name(at: index)
            let key = keys.element(name)
            if last[key].element == element {
                last[key].clashes = last[key].clashes || last[key].name != name
            } else {
                last[key] = Entry(element: element, name: name)
            }
        }
    }

    /// Whether more than one attribute of the element that was looked through last has the key.
    func contains(_ key: Int) -> Bool { last[key].clashes }
}
