/// An object that is in at most one ``SparseList`` at a time.
protocol ListElement: AnyObject {
    /// Its index in the list, which only the list changes.
    var listIndex: Int { get set }
}

/// Objects in the order in which they were appended.
///
/// Each knows its index, and is removed in constant time: its element stays empty until it is reached, or until the
/// empty ones are the majority.
struct SparseList<Element: ListElement>: Sequence {
    private var elements: [Element?] = []
    /// The number of elements at the start that are empty.
    private var start = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    struct Iterator: IteratorProtocol {
        fileprivate var elements: IndexingIterator<[Element?]>

        mutating func next() -> Element? {
            while let element = elements.next() { if let element { return element } }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(elements: elements.makeIterator()) }

    mutating func append(_ element: Element) {
        element.listIndex = elements.count
        elements.append(element)
        count += 1
    }

    /// Removes and returns the first object, or the last one.
    mutating func next(isLIFO: Bool = false) -> Element? {
        while start < elements.count {
            let element = isLIFO ? elements[elements.count - 1] : elements[start]
            if let element {
                remove(element)
                return element
            }
            if isLIFO { elements.removeLast() } else { start += 1 }
        }
        return nil
    }

    /// Removes an object, if it is in the list.
    /// - Returns: whether it was.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        let index = element.listIndex
        guard elements.indices ~= index, elements[index] === element else { return false }
        elements[index] = nil
        count -= 1
        if count == 0 || (elements.count > 16 && count * 2 < elements.count) {
            let remaining = Array(self)
            elements.removeAll(keepingCapacity: true)
            (start, count) = (0, 0)
            for element in remaining { append(element) }
        }
        return true
    }
}
