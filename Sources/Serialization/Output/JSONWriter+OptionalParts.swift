// Parts of a value that are omitted if they are empty.

extension JSONWriter {
    /// An object or array that was begun, and is removed again if nothing is written into it.
    package struct OptionalPart {
        fileprivate var start: Mark
        fileprivate var opened: Mark
    }

    /// Begins an object that is a member.
    package mutating func beginOptionalObject(_ name: StaticString) -> OptionalPart {
        let start = mark
        beginObject(name)
        return OptionalPart(start: start, opened: mark)
    }

    /// Begins an object that is an element.
    package mutating func beginOptionalObject() -> OptionalPart {
        let start = mark
        beginObject()
        return OptionalPart(start: start, opened: mark)
    }

    /// Begins an array that is a member.
    package mutating func beginOptionalArray(_ name: StaticString) -> OptionalPart {
        let start = mark
        beginArray(name)
        return OptionalPart(start: start, opened: mark)
    }

    package func isEmpty(_ part: OptionalPart) -> Bool { isAt(part.opened) }

    package mutating func endOptionalObject(_ part: OptionalPart) {
        if isAt(part.opened) { rollBack(to: part.start) } else { endObject() }
    }

    package mutating func endOptionalArray(_ part: OptionalPart) {
        if isAt(part.opened) { rollBack(to: part.start) } else { endArray() }
    }
}
