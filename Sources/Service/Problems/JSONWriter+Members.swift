internal import Serialization

extension JSONWriter {
    mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }

    /// A member that is left out where it has nothing to say.
    mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts {
            string(text)
        }
        endArray()
    }
}
