/// Finds the attributes of an element that have the same key, in time linear in their number.
///
/// All elements share a table with the last attribute for each key. An entry identifies its element, so the table is
/// never cleared.
struct XMLAttributeClashes {
    private struct Entry {
        var element = -1
        var name = -1
        /// Whether the element also has the key under another name.
        var clashes = false
    }

    /// The entries by key. Empty until the first element is examined.
    private var last: [Entry] = []

    /// Examines the attributes of an element.
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

    /// Returns whether several attributes of the last examined element have the key.
    func contains(_ key: Int) -> Bool { last[key].clashes }
}
