// Cursors move over the parts of one element. A cursor cannot store the tape, so each step receives it.

extension XMLTape {
    /// A position among the child elements of an element.
    struct ElementCursor {
        private var index = 0
        private var end = 0

        @inline(__always) fileprivate init(_ parent: Element, _ tape: borrowing XMLTape) {
            guard parent.composition.hasElements else { return }
            let content = tape.content(of: parent)
            (index, end) = (content.lowerBound, content.upperBound)
        }

        /// Returns the next child element; `nil` after the last one.
        @inline(__always) mutating func next(in tape: borrowing XMLTape) -> Int? {
            let child = tape.firstElement(from: index, to: end)
            guard child < end else { return nil }
            index = tape.end(at: child)
            return child
        }
    }

    /// Returns a cursor before the first child element.
    @inline(__always) func childElements(of parent: Int) -> ElementCursor { ElementCursor(element(at: parent), self) }

    /// Calls `body` with each text in a range of records.
    func forEachText(in records: Range<Int>, _ body: (Range<Int>) -> Void) {
        var index = records.lowerBound
        while index < records.upperBound {
            if kind(at: index) == .text || kind(at: index) == .element { body(text(at: index)) }
            index = self.index(after: index)
        }
    }

    /// A position among the namespace declarations of an element, which come first, and its attributes.
    struct AttributeCursor {
        private var index: Int
        private let end: Int

        /// - Parameter attributes: The range of ``XMLTape/attributes(of:)``.
        @inline(__always) init(_ attributes: Range<Int>) {
            (index, end) = (attributes.lowerBound, attributes.upperBound)
        }

        /// Returns the next declaration or attribute; `nil` after the last one.
        @inline(__always) mutating func next(in tape: borrowing XMLTape) -> Attribute? {
            guard index < end else { return nil }
            let isDeclaration = tape.kind(at: index) == .namespace
            let (name, value, next) = tape.attribute(at: index)
            index = next
            return Attribute(isDeclaration: isDeclaration, name: name, value: value)
        }
    }

    struct Attribute {
        /// Whether it is a namespace declaration. The local part of its name is the prefix.
        let isDeclaration: Bool
        let name: Int
        let value: Range<Int>
    }
}
