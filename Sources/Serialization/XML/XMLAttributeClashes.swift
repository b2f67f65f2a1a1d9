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
        var attributes = XMLTape.AttributeCursor(tape.attributes(of: element))
        while let attribute = attributes.next(in: tape) {
            guard !attribute.isDeclaration else { continue }
            let key = keys.element(attribute.name)
            if last[key].element == element {
                last[key].clashes = last[key].clashes || last[key].name != attribute.name
            } else {
                last[key] = Entry(element: element, name: attribute.name)
            }
        }
    }

    /// Returns whether several attributes of the last examined element have the key.
    func contains(_ key: Int) -> Bool { last[key].clashes }
}
