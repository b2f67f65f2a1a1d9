extension JSONWriter {
    /// Begins an object that is a member.
    package mutating func beginObject(_ name: StaticString) {
        self.name(name)
        beginObject()
    }

    /// Begins an array that is a member.
    package mutating func beginArray(_ name: StaticString) {
        self.name(name)
        beginArray()
    }

    // Members that are omitted if their value is `nil`.

    package mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    package mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        self.name(name)
        integer(value)
    }

    package mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        self.name(name)
        boolean(value)
    }

    package mutating func member(_ name: StaticString, _ location: SourceLocation?) {
        guard let location else { return }
        self.name(name)
        self.location(location)
    }

    /// Writes a member with an array of strings, unless it is empty.
    package mutating func member(_ name: StaticString, _ texts: [String]) {
        guard !texts.isEmpty else { return }
        self.name(name)
        strings(texts)
    }

    /// Writes an array of strings.
    package mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
